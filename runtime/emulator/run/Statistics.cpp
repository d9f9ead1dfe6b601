#include "runtime/emulator/run/Statistics.h"
#include "runtime/emulator/decode/AccessFacts.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Buffer.h"
#include "runtime/emulator/instructions/BufferFormat.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "support/LdsPhases.h"

#include <bit>
#include <cctype>
#include <utility>

namespace nstf::emulator {
namespace {

/// Calls `function` for each active lane of a flat access, with the memory that the lane accesses. Addresses are
/// computed as in Global.cpp.
void forFlatLanes(const Wave &w, const MicroOp *op, auto function) {
  const uint32_t *row = w.row(op->source[0]);
  uint64_t base = op->flags & memoryScalarBase ? w.scalarSource<uint64_t>(op->source[1]) : 0;
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint64_t address = row[lane] + op->immediate + base;
    if (!(op->flags & memoryScalarBase))
      address += uint64_t(row[lane + Wave::width]) << 32;
    uint32_t high = uint32_t(address >> 32);
    function(high == sharedApertureHigh    ? MemorySpace::Lds
             : high == privateApertureHigh ? MemorySpace::Scratch
                                           : MemorySpace::Global);
  }
}

uint32_t conflictClocksOf(const Wave &w, const MicroOp *op, const AccessFacts &access, uint32_t ldsBanks) {
  const uint32_t *row = w.row(op->source[0]);
  const auto direction = access.stored && !access.loaded ? support::LdsDirection::Write : support::LdsDirection::Read;
  auto clocksAt = [&](uint32_t offset) {
    std::array<uint32_t, Wave::width> addresses;
    for (unsigned lane = 0; lane < Wave::width; ++lane)
      addresses[lane] = row[lane] + offset;
    return support::ldsConflictClocks(direction, access.ldsBytes, addresses, w.exec(), ldsBanks);
  };
  if (!access.pairStride)
    return clocksAt(uint32_t(op->immediate));
  const uint32_t unit = uint32_t(access.ldsBytes) * access.pairStride;
  return clocksAt((op->immediate & 0xff) * unit) + clocksAt((op->immediate >> 8 & 0xff) * unit);
}

} // namespace

InstructionClass getClass(Opcode opcode) {
  switch (getInfo(opcode).kind) {
  case InstructionKind::Scalar:
    return InstructionClass::Scalar;
  case InstructionKind::ScalarMemory:
    return InstructionClass::ScalarMemory;
  case InstructionKind::Branch:
  case InstructionKind::ConditionalBranch:
    return InstructionClass::Branch;
  case InstructionKind::Vector:
  case InstructionKind::Transcendental:
    return InstructionClass::Vector;
  case InstructionKind::Matrix:
    return InstructionClass::Matrix;
  case InstructionKind::Lds:
    return InstructionClass::Lds;
  case InstructionKind::VectorMemory:
  case InstructionKind::Flat:
    return InstructionClass::VectorMemory;
  default:
    return InstructionClass::Other;
  }
}

std::string getMnemonic(Opcode opcode) {
  std::string name(getInfo(opcode).name);
  for (char &c : name)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

void ExecutionCounters::countBytes(const Wave &w, const MicroOp *op) {
  const AccessFacts &access = accessFacts[op->opcode];
  const uint64_t storedBefore = bytes[unsigned(MemorySpace::Global)].stored;
  // An atomic that does not return the old value only sends its operand.
  unsigned loaded = access.atomic && !(op->flags & memoryReturns) ? 0 : access.loaded, stored = access.stored;
  auto add = [&](MemorySpace space, uint64_t lanes) {
    bytes[unsigned(space)].loaded += lanes * loaded;
    bytes[unsigned(space)].stored += lanes * stored;
  };
  uint64_t lanes = std::popcount(w.exec());
  switch (access.addressing) {
  case Addressing::None:
    break;
  case Addressing::Scalar:
    add(MemorySpace::Scalar, 1);
    break;
  case Addressing::Lds:
    add(MemorySpace::Lds, lanes);
    if (access.ldsBytes)
      conflictClocks[op->opcode] += conflictClocksOf(w, op, access, ldsBanks);
    break;
  case Addressing::Global:
    add(MemorySpace::Global, lanes);
    if (access.toLds)
      bytes[unsigned(MemorySpace::Lds)].stored += lanes * 4;
    break;
  case Addressing::Flat:
    forFlatLanes(w, op, [&](MemorySpace space) { add(space, 1); });
    break;
  case Addressing::Scratch:
    add(MemorySpace::Scratch, lanes);
    break;
  case Addressing::TypedBuffer: { // one element for each lane, whatever part of it is in registers
    bool isScratch = false;
    unsigned size = BufferFormat::of(w, op).bytes();
    uint64_t moved = size ? bufferBytes(w, op, size, size, isScratch) : 0;
    Traffic &traffic = bytes[unsigned(MemorySpace::Global)];
    traffic.loaded += loaded ? moved : 0;
    traffic.stored += stored ? moved : 0;
    if (op->flags & bufferToLds)
      bytes[unsigned(MemorySpace::Lds)].stored += lanes * 4;
    break;
  }
  case Addressing::Buffer: {
    unsigned size = std::max(access.loaded, access.stored);
    bool isScratch = false;
    uint64_t moved = bufferBytes(w, op, size, access.atomic ? size : std::min(size, 4u), isScratch);
    Traffic &traffic = bytes[unsigned(isScratch ? MemorySpace::Scratch : MemorySpace::Global)];
    traffic.loaded += loaded ? moved : 0;
    traffic.stored += stored ? moved : 0;
    if (op->flags & bufferToLds) // every active lane; zero from outside the buffer
      bytes[unsigned(MemorySpace::Lds)].stored += lanes * std::max(size, 4u);
    break;
  }
  }
  storedBy[op->opcode] += bytes[unsigned(MemorySpace::Global)].stored - storedBefore;
}

uint64_t ExecutionCounters::takeNew() {
  uint64_t all = 0;
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i)
    all += executed[i];
  return all - std::exchange(taken, all);
}

void ExecutionCounters::addTo(ExecutionStatistics &sum) const {
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i)
    if (executed[i]) {
      sum[getClass(Opcode(i))] += executed[i];
      sum.executed[i] += executed[i];
      sum.storedBy[i] += storedBy[i];
      sum.conflictClocks[i] += conflictClocks[i];
    }
  for (unsigned i = 0; i < bytes.size(); ++i) {
    sum.bytes[i].loaded += bytes[i].loaded;
    sum.bytes[i].stored += bytes[i].stored;
  }
}

} // namespace nstf::emulator
