// Tracks undefined bits through atomic operations and scalar memory.
#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace nstf::emulator::checks {

/// Records in `dma` which lanes' operands are undefined.
void UninitCheck::keepAtomicData(WaveShadow &s, const MicroOp *op, uint64_t lanes) {
  std::fill_n(s.dma, Wave::width, 0);
  for (const RegisterUse &use : context.facts->of(op).reads)
    for (unsigned r = 0; use.vector && use.role == OperandRole::Data && r < use.count; ++r)
      for (uint64_t left = s.undefined[use.first + r] & lanes; left; left &= left - 1) {
        unsigned lane = unsigned(std::countr_zero(left));
        if (!s.dma[lane])
          s.dmaOrigins[lane] = s.laneOrigin(use.first + r, lane);
        s.dma[lane] |= s.laneBits(use.first + r, lane);
      }
}

bool UninitCheck::inScratch(const Wave &w, const MemoryAccess &a) {
  return a.space == MemorySpace::Scalar &&
         a.addresses[0] - w.scratch < uint64_t(w.group->launch->scratchBytes) * Wave::width;
}

void UninitCheck::atomic(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &a) {
  Opcode opcode = Opcode(op->opcode);
  bool inLds = a.space == MemorySpace::Lds, returns = op->flags & memoryReturns;
  bool swaps = getInfo(opcode).name.find("_SWAP") != std::string_view::npos ||
               getInfo(opcode).name.find("WRXCHG") != std::string_view::npos;
  if (a.space == MemorySpace::Scalar)
    return scalarAtomic(w, s, op, a);
  unsigned rows = (a.bytes + 3) / 4;
  Shadow &shadow = a.space == MemorySpace::Scratch ? scratch : *context.memory.definedness();
  uint64_t undefinedData = 0, undefinedMemory = 0, address = 0;
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    undefinedData |= uint64_t(a.lanes >> lane & 1 && s.dma[lane]) << lane;
  Origin dataOrigin, memoryOrigin;
  if (undefinedData)
    dataOrigin = s.dmaOrigins[std::countr_zero(undefinedData)];
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint64_t at = a.addresses[lane], bit = uint64_t(1) << lane;
    bool undefined = false;
    Origin origin;
    if (inLds) {
      std::vector<uint8_t> &lds = s.lds->bits;
      if (at + a.bytes > lds.size() || at + a.bytes < at)
        continue;
      uint8_t *bits = lds.data() + at;
      undefined = std::any_of(bits, bits + a.bytes, [](uint8_t b) { return b; });
      origin = originAt(s.lds->origins, at, bits, a.bytes, Origin::Lds);
      bool after = undefinedData & bit || (undefined && !swaps);
      std::fill_n(bits, a.bytes, after ? 0xff : 0);
      for (uint64_t dword = at / 4; after && dword <= (at + a.bytes - 1) / 4; ++dword)
        s.lds->origins[dword] = undefinedData & bit ? dataOrigin : origin;
    } else {
      auto lock = shadow.lock();
      undefined = !shadow.isDefined(at, a.bytes);
      origin = Origin(Origin::Global, at);
      shadow.setDefined(at, a.bytes);
    }
    if (undefined && !undefinedMemory) {
      memoryOrigin = origin;
      address = at;
    }
    undefinedMemory |= undefined ? bit : 0;
    for (unsigned k = 0; returns && k < rows; ++k)
      s.setLane(op->destination + a.at / 4 + k, lane, undefined && (inLds || swaps) ? ~0u : 0, origin);
  }
  if (inLds)
    return;
  if (undefinedData) {
    report(w, op, AtomicData, "an atomic operation takes an undefined value", dataOrigin, undefinedData,
           &a.addresses[std::countr_zero(undefinedData)]);
  }
  if (undefinedMemory && !swaps)
    report(w, op, AtomicMemory, "an atomic operation on an undefined value", memoryOrigin, undefinedMemory, &address);
}

// Scalar memory

void UninitCheck::scalarMemory(Wave &w, WaveShadow &s, const MicroOp *op) {
  std::string_view name = getInfo(Opcode(op->opcode)).name;
  checkAddressScalar(w, s, op, op->source[0], name.find("_BUFFER_") != name.npos ? 4 : 2);
  checkAddressScalar(w, s, op, op->source[1], 1);
  if (getAccessKind(Opcode(op->opcode)) != AccessKind::Load)
    return;
  size_t x = name.rfind('X');
  unsigned dwords = x == name.npos ? 1 : unsigned(std::atoi(name.data() + x + 1));
  for (unsigned k = 0; k < dwords && op->destination + k < sgpr::count; ++k)
    s.setScalar(op->destination + k, 0, {});
}

void UninitCheck::scalarAtomic(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &a) {
  Shadow &shadow = *context.memory.definedness();
  bool undefined;
  {
    auto lock = shadow.lock();
    undefined = !shadow.isDefined(a.addresses[0], a.bytes);
    shadow.setDefined(a.addresses[0], a.bytes);
  }
  if (undefined)
    report(w, op, AtomicMemory, "an atomic operation on an undefined value", Origin(Origin::Global, a.addresses[0]), 0,
           a.addresses);
  for (unsigned k = 0; k < a.bytes / 4 * (op->flags & memoryCompares ? 2 : 1); ++k)
    if (s.scalars[op->destination + k]) {
      report(w, op, AtomicData, "an atomic operation takes an undefined value", s.scalarOrigin(op->destination + k), 0,
             a.addresses);
      s.setScalar(op->destination + k, 0, {});
    }
}

void UninitCheck::scalarLoad(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &a) {
  Shadow &shadow = inScratch(w, a) ? scratch : *context.memory.definedness();
  auto lock = shadow.lock();
  uint64_t at = a.addresses[0];
  if (shadow.isDefined(at, a.bytes))
    return;
  for (unsigned i = 0; i < a.bytes; i += 4) {
    uint8_t bits[4];
    shadow.load(at + i, 4, bits);
    uint32_t value;
    std::memcpy(&value, bits, 4);
    if (value)
      s.setScalar(op->destination + (a.at + i) / 4, value, originAt(origins, at + i, bits, 4, Origin::Global));
  }
}

} // namespace nstf::emulator::checks
