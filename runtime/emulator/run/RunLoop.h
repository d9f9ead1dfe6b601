// A wave's run loop, as a template over its observer.
//
// `observe(op)` is called before every micro-op. It may return whether the micro-op may run; if not, the wave stops
// before it. An observer with `executes(op)` says which micro-ops are executed; the others are skipped. Each kind of
// observer has its own loop, so that a loop without observation has no overhead.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

#include <type_traits>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace nstf::emulator {

/// The host's floating-point settings for one of MODE's two groups: rounding (nearest, up, down, zero), and whether
/// subnormal sources and results are treated as zero.
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

template <typename Observe> bool letsRun(Wave &w, const MicroOp *op, Observe &observe) {
  if constexpr (std::is_void_v<std::invoke_result_t<Observe &, const MicroOp *>>) {
    observe(op);
  } else if (!observe(op)) {
    w.next = op;
    w.status = WaveStatus::Stopped;
    return false;
  }
  return true;
}

template <typename Observe> const MicroOp *execute(Wave &w, const MicroOp *op, const Observe &observe) {
  if constexpr (requires { observe.executes(op); })
    return observe.executes(op) ? op->handler(w, op) : op + 1;
  else
    return op->handler(w, op);
}

/// The run loop for a MODE other than the host's default.
template <typename Observe> void runInMode(Wave &w, const MicroOp *op, Observe &observe) {
  HostFloatMode host;
  auto single = host.with(w.mode >> mode::round32 & 3, w.mode >> mode::denormal32 & 3);
  auto halfDouble = host.with(w.mode >> mode::round16_64 & 3, w.mode >> mode::denormal16_64 & 3);
  bool skip = w.mode & mode::vectorSkip;
  while (op) {
    if (skip && op->vector) {
      ++op;
      continue;
    }
    if (!letsRun(w, op, observe))
      return;
    switch (FloatMode(op->floatMode)) {
    case FloatMode::None:
      op = execute(w, op, observe);
      break;
    case FloatMode::Single:
      HostFloatMode::set(single);
      op = execute(w, op, observe);
      host.restore();
      break;
    case FloatMode::HalfDouble:
      HostFloatMode::set(halfDouble);
      op = execute(w, op, observe);
      host.restore();
      break;
    }
  }
}

/// Runs the wave from `w.next` until it is no longer Running.
template <typename Observe> void runLoop(Wave &w, Observe &&observe) {
  w.status = WaveStatus::Running;
  do { // s_setreg returns here
    const MicroOp *op = w.next;
    if ((w.mode & (mode::floatMask | mode::vectorSkip)) == mode::floatDefault)
      while (op && letsRun(w, op, observe))
        op = execute(w, op, observe);
    else
      runInMode(w, op, observe);
  } while (w.status == WaveStatus::Running);
}

} // namespace nstf::emulator
