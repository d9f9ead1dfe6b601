#include "runtime/emulator/run/StoreLog.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>

namespace nstf::emulator {

void StoreLog::instruction(Wave &w, const MicroOp *op) {
  if (other)
    other->instruction(w, op);
}
void StoreLog::retired(Wave &w, const MicroOp *op) {
  if (other)
    other->retired(w, op);
}
void StoreLog::barrier(Workgroup &group) {
  if (other)
    other->barrier(group);
}

void StoreLog::access(Wave &w, const MicroOp *op, const MemoryAccess &access) {
  if (other)
    other->access(w, op, access);
  if (access.kind == AccessKind::Load)
    return;
  const bool isLds = access.space == MemorySpace::Lds;
  const uint32_t ldsBytes = w.group->launch->ldsBytes;
  for (unsigned lane = 0; lane < Wave::width; ++lane) {
    if (!(access.lanes >> lane & 1))
      continue;
    uint64_t address = access.addresses[lane];
    const Region *hint = nullptr;
    if (isLds ? address > ldsBytes || access.bytes > ldsBytes - address
              : !w.group->launch->regions->find(address, access.bytes, hint))
      continue; // the access itself will fault
    if (isLds)
      address += reinterpret_cast<uint64_t>(w.group->lds);
    for (uint64_t byte = address; byte < address + access.bytes; ++byte)
      before.try_emplace(byte, *reinterpret_cast<const uint8_t *>(byte));
  }
}

bool StoreLog::unchanged() const {
  return std::ranges::all_of(
      before, [](const auto &entry) { return *reinterpret_cast<const uint8_t *>(entry.first) == entry.second; });
}

} // namespace nstf::emulator
