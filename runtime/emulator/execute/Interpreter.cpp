#include "runtime/emulator/execute/Interpreter.h"
#include "runtime/emulator/execute/Statistics.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace nstf::emulator {
namespace {

/// The host's floating-point settings for one of MODE's two groups: rounding (nearest, up, down, zero) and whether
/// subnormal sources and results are taken for zero.
class HostFloatMode {
public:
  HostFloatMode() : saved(get()) {}
  ~HostFloatMode() { set(saved); }
#if defined(__SSE2__)
  static uint32_t get() { return _mm_getcsr(); }
  static void set(uint32_t value) { _mm_setcsr(value); }
  uint32_t with(unsigned round, unsigned denormal) const {
    static constexpr uint32_t rounding[] = {0, 2, 1, 3};
    uint32_t value = (saved & ~0xe040u) | rounding[round] << 13;
    if (!(denormal & 1)) // sources
      value |= 0x0040;
    if (!(denormal & 2)) // results
      value |= 0x8000;
    return value;
  }
#elif defined(__aarch64__)
  static uint64_t get() {
    uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set(uint64_t value) { asm volatile("msr fpcr, %0" ::"r"(value)); }
  uint64_t with(unsigned round, unsigned denormal) const {
    return (saved & ~(uint64_t(7) << 22)) | uint64_t(round) << 22 | uint64_t(denormal == 3 ? 0 : 1) << 24;
  }
#else
#error "floating-point modes are written for x86 and AArch64"
#endif
  void restore() const { set(saved); }

private:
  decltype(get()) saved;
};

/// The run loop for a MODE that isn't the host's default.
template <typename Observe> void runInMode(Wave &w, const MicroOp *op, Observe observe) {
  HostFloatMode host;
  auto single = host.with(w.mode >> mode::round32 & 3, w.mode >> mode::denormal32 & 3);
  auto halfDouble = host.with(w.mode >> mode::round16_64 & 3, w.mode >> mode::denormal16_64 & 3);
  bool skip = w.mode & mode::vectorSkip;
  while (op) {
    if (skip && op->vector) {
      ++op;
      continue;
    }
    observe(op);
    switch (FloatMode(op->floatMode)) {
    case FloatMode::None:
      op = op->handler(w, op);
      break;
    case FloatMode::Single:
      HostFloatMode::set(single);
      op = op->handler(w, op);
      host.restore();
      break;
    case FloatMode::HalfDouble:
      HostFloatMode::set(halfDouble);
      op = op->handler(w, op);
      host.restore();
      break;
    }
  }
}

/// Calls `observe` before every micro-op. A loop of its own for each kind of observer: who observes nothing pays
/// nothing.
template <typename Observe> void runTurn(Wave &w, Observe observe) {
  do { // s_setreg comes back here
    const MicroOp *op = w.next;
    if ((w.mode & (mode::floatMask | mode::vectorSkip)) == mode::floatDefault)
      while (op) {
        observe(op);
        op = op->handler(w, op);
      }
    else
      runInMode(w, op, observe);
  } while (w.status == WaveStatus::Running);
}

} // namespace

void runWave(Wave &w) {
  w.status = WaveStatus::Running;
  w.fuel = fuelOfTurn;
  if (ExecutionCounters *counters = w.group->counters)
    runTurn(w, [&w, counters](const MicroOp *op) { counters->count(w, op); });
  else
    runTurn(w, [](const MicroOp *) {});
}

/// A wave that waits for what never comes yields for ever; where a time is set, that ends there.
static void checkTime(const Wave &wave) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline = wave.group->launch->deadline;
  if (deadline != Clock::time_point() && Clock::now() > deadline)
    throw WaveFault{wave.next, "still running at the end of NSTF_EMU_TIMEOUT"};
}

void runWorkgroup(Workgroup &group, Wave *&faulting) {
  size_t left = group.waves.size();
  while (left) {
    size_t waiting = 0;
    for (Wave *wave : group.waves) {
      if (wave->status == WaveStatus::Ended)
        continue;
      if (wave->status != WaveStatus::AtBarrier) {
        faulting = wave;
        runWave(*wave);
        if (wave->status == WaveStatus::Yielded)
          checkTime(*wave);
        faulting = nullptr;
      }
      if (wave->status == WaveStatus::Ended)
        --left;
      else if (wave->status == WaveStatus::AtBarrier)
        ++waiting;
    }
    if (waiting && waiting == left) // ended waves don't count at a barrier
      for (Wave *wave : group.waves)
        if (wave->status == WaveStatus::AtBarrier)
          wave->status = WaveStatus::Running;
  }
}

} // namespace nstf::emulator
