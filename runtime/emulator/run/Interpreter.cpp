#include "runtime/emulator/run/Interpreter.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/run/Statistics.h"

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
template <typename Observe> void runLoop(Wave &w, Observe observe) {
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

/// What a run loop tells a monitor and takes from the step budget, instruction by instruction.
class Watch {
public:
  Watch(Wave &w, Monitor *monitor, StepBudget *steps)
      : w(w), program(*w.group->launch->program), monitor(monitor), steps(steps) {}
  ~Watch() {
    if (steps)
      steps->giveBack(left);
  }
  void operator()(const MicroOp *op) {
    if (program.isFirst(op))
      begin(op);
    if (monitor)
      monitor->step(w, op);
  }
  void retire() {
    if (current && monitor)
      monitor->retired(w, current);
    current = nullptr;
  }

private:
  void begin(const MicroOp *op) {
    retire();
    if (steps && left-- == 0) {
      left = steps->take(portion);
      if (!left--) {
        left = 0;
        WaveFault fault{op, "the launch has executed as many instructions as it may (step limit)"};
        fault.check = "progress";
        throw fault;
      }
    }
    current = op;
    if (monitor)
      monitor->instruction(w, op);
  }

  static constexpr uint64_t portion = 4096;
  Wave &w;
  const DecodedProgram &program;
  Monitor *monitor;
  StepBudget *steps;
  uint64_t left = 0;
  const MicroOp *current = nullptr;
};

/// Runs a wave until it waits at a barrier, yields or ends.
void runWave(Wave &w) {
  Workgroup &group = *w.group;
  w.status = WaveStatus::Running;
  w.fuel = group.fuel;
  ExecutionCounters *counters = group.counters;
  if (group.monitor || group.steps) {
    Watch watch(w, group.monitor, group.steps);
    runLoop(w, [&](const MicroOp *op) {
      watch(op);
      if (counters)
        counters->count(w, op);
    });
    watch.retire();
  } else if (counters) {
    runLoop(w, [&w, counters](const MicroOp *op) { counters->count(w, op); });
  } else {
    runLoop(w, [](const MicroOp *) {});
  }
}

} // namespace

Turn runTurn(Workgroup &group, Wave *&faulting) {
  bool moved = false;
  for (;;) {
    size_t left = 0, waiting = 0;
    bool movedNow = false;
    for (Wave *wave : group.waves) {
      if (wave->status == WaveStatus::Ended)
        continue;
      ++left;
      if (wave->status != WaveStatus::AtBarrier) {
        faulting = wave;
        runWave(*wave);
        faulting = nullptr;
        movedNow |= wave->status != WaveStatus::Yielded;
      }
      left -= wave->status == WaveStatus::Ended;
      waiting += wave->status == WaveStatus::AtBarrier;
    }
    if (!left)
      return Turn::Ended;
    if (waiting == left) { // ended waves don't count at a barrier
      if (group.monitor)
        group.monitor->barrier(group);
      for (Wave *wave : group.waves)
        if (wave->status == WaveStatus::AtBarrier)
          wave->status = WaveStatus::Running;
    } else if (!movedNow) {
      return moved ? Turn::Moved : Turn::Yielded;
    }
    moved |= movedNow;
  }
}

} // namespace nstf::emulator
