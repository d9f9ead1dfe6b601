// Barriers and semaphores between the waves of a launch.
//
// Source: "CDNA3 Instruction Set Architecture", DS_GWS_*. A waiting wave yields and executes the instruction again; the
// resource's flag then tells whether the barrier at which it arrived has opened.
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/Wave.h"

#include <bit>

namespace nstf::emulator {

GlobalWaveSync::Resource &GlobalWaveSync::get(unsigned number, bool asBarrier) {
  Resource &resource = resources[number % resources.size()];
  if (!resource.ready) {
    resource.ready = true;
    resource.counter = resource.size = asBarrier ? int64_t(workgroups) - 1 : 0;
  }
  return resource;
}

void GlobalWaveSync::initialize(unsigned resource, uint32_t wavesLess1) {
  std::lock_guard lock(mutex);
  Resource &r = get(resource, false);
  r.counter = r.size = wavesLess1;
  r.flag = false;
}

bool GlobalWaveSync::passBarrier(unsigned resource, const Wave *wave, uint32_t nextLess1) {
  std::lock_guard lock(mutex);
  Resource &r = get(resource, true);
  auto found = r.waiting.find(wave);
  if (found != r.waiting.end()) {
    if (found->second == r.flag)
      return false;
    r.waiting.erase(found);
    ++passed;
    return true;
  }
  if (r.counter > 0) {
    --r.counter;
    r.waiting[wave] = r.flag;
    return false;
  }
  r.flag = !r.flag;
  if (nextLess1)
    r.size = nextLess1;
  r.counter = r.size;
  ++passed;
  return true;
}

void GlobalWaveSync::add(unsigned resource, uint32_t count) {
  std::lock_guard lock(mutex);
  get(resource, false).counter += count;
}

bool GlobalWaveSync::take(unsigned resource, const Wave *wave) {
  std::lock_guard lock(mutex);
  Resource &r = get(resource, false);
  auto found = r.waiting.find(wave);
  bool released = found != r.waiting.end() && found->second != r.flag;
  if (!released && r.counter <= 0) {
    if (found == r.waiting.end())
      r.waiting[wave] = r.flag;
    return false;
  }
  if (!released)
    --r.counter;
  if (found != r.waiting.end())
    r.waiting.erase(found);
  ++passed;
  return true;
}

void GlobalWaveSync::releaseAll(unsigned resource) {
  std::lock_guard lock(mutex);
  Resource &r = get(resource, false);
  r.flag = !r.flag;
}

bool GlobalWaveSync::isWait(const MicroOp *op) {
  const Opcode opcode = Opcode(op->opcode);
  return opcode == Opcode::DS_GWS_BARRIER || opcode == Opcode::DS_GWS_SEMA_P;
}

namespace {

GlobalWaveSync &syncOf(Wave &w, const MicroOp *op) {
  GlobalWaveSync *sync = w.group->launch->waveSync;
  if (!sync)
    throw WaveFault{op, "global wave sync outside a launch"};
  return *sync;
}
/// M0[21:16] plus the instruction's offset.
unsigned resourceOf(const Wave &w, const MicroOp *op) {
  return unsigned((w.scalars[sgpr::m0] >> 16 & 63) + op->immediate) & 63;
}
/// The value of the first active lane.
uint32_t value(const Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  return w.row(op->source[1])[exec ? std::countr_zero(exec) : 0];
}
const MicroOp *wait(Wave &w, const MicroOp *op) {
  w.next = op;
  w.status = WaveStatus::Yielded;
  return nullptr;
}

const MicroOp *gwsInit(Wave &w, const MicroOp *op) {
  syncOf(w, op).initialize(resourceOf(w, op), value(w, op));
  return op + 1;
}
const MicroOp *gwsBarrier(Wave &w, const MicroOp *op) {
  return syncOf(w, op).passBarrier(resourceOf(w, op), &w, value(w, op)) ? op + 1 : wait(w, op);
}
const MicroOp *gwsSemaphoreV(Wave &w, const MicroOp *op) {
  syncOf(w, op).add(resourceOf(w, op), 1);
  return op + 1;
}
const MicroOp *gwsSemaphoreAdd(Wave &w, const MicroOp *op) {
  syncOf(w, op).add(resourceOf(w, op), value(w, op));
  return op + 1;
}
const MicroOp *gwsSemaphoreP(Wave &w, const MicroOp *op) {
  return syncOf(w, op).take(resourceOf(w, op), &w) ? op + 1 : wait(w, op);
}
const MicroOp *gwsReleaseAll(Wave &w, const MicroOp *op) {
  syncOf(w, op).releaseAll(resourceOf(w, op));
  return op + 1;
}

} // namespace

void enterGlobalWaveSync(HandlerTable &table) {
#define LDSGLOBAL(name, meaning) table[unsigned(Opcode::name)] = meaning;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator
