#include "runtime/emulator/run/Interpreter.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/run/RunLoop.h"
#include "runtime/emulator/run/Statistics.h"

namespace nstf::emulator {
namespace {

/// Reports each instruction of a run loop to a monitor, and takes it from the step budget.
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

/// Runs a wave until it reaches a barrier, yields or ends.
void runWave(Wave &w) {
  Workgroup &group = *w.group;
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
    if (waiting == left) { // ended waves do not count at a barrier
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
