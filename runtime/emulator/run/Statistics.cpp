#include "runtime/emulator/run/Statistics.h"
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

/// What an access moves for each lane (scalar: for the wave).
struct Access {
  Addressing addressing = Addressing::None;
  uint8_t loaded = 0, stored = 0; ///< bytes
  bool atomic = false;
  bool toLds = false;
  // Of LDS at addresses a lane: where banks conflict.
  uint8_t ldsBytes = 0;   ///< of one access
  uint8_t pairStride = 0; ///< two accesses: their offsets count so many of them; 0: one access
};

// Sizes of the kinds in Instructions.def.
template <unsigned n> constexpr uint8_t dword = 4 * n;
template <unsigned n> constexpr uint8_t words = 4 * n;
constexpr uint8_t ubyte = 1, sbyte = 1, ubyteLow = 1, ubyteHigh = 1, sbyteLow = 1, sbyteHigh = 1, byte = 1,
                  byteHigh = 1;
constexpr uint8_t ushort = 2, sshort = 2, ushortLow = 2, ushortHigh = 2, halfword = 2, halfwordHigh = 2;
// Whether LDS pairs and typed buffer instructions load or store, by their meanings' names.
enum Meaning { load, store, read, write };

constexpr std::array<Access, opcodeCount> makeAccesses() {
  std::array<Access, opcodeCount> t = {};
  auto set = [&](Opcode opcode, Access access) { t[unsigned(opcode)] = access; };
  using enum Addressing;
#define SCALARLOAD(name, dwords, meaning) set(Opcode::name, {Scalar, 4 * dwords, 0});
#define SCALARSTORE(name, dwords, meaning) set(Opcode::name, {Scalar, 0, 4 * dwords});
#define SCALARATOMIC(name, T, meaning)                                                                                 \
  set(Opcode::S_##name, {Scalar, sizeof(T), sizeof(T), true});                                                         \
  set(Opcode::S_BUFFER_##name, {Scalar, sizeof(T), sizeof(T), true});
#define TYPEDLOAD(name, components, width)                                                                             \
  set(Opcode::BUFFER_##name, {TypedBuffer, 1, 0});                                                                     \
  set(Opcode::TBUFFER_##name, {TypedBuffer, 1, 0});
#define TYPEDSTORE(name, components, width)                                                                            \
  set(Opcode::BUFFER_##name, {TypedBuffer, 0, 1});                                                                     \
  set(Opcode::TBUFFER_##name, {TypedBuffer, 0, 1});
#define TYPEDHIGH(name, direction) set(Opcode::name, {TypedBuffer, direction == load, direction == store});
#define SCRATCHTOLDS(name, kind) set(Opcode::name, {Scratch, kind, 0, false, true});
#define LDSTOBUFFER(name) set(Opcode::name, {Buffer, 0, 4, false, true});
#define LDSREAD(name, kind) set(Opcode::name, {Lds, kind, 0, false, false, kind});
#define LDSWRITE(name, kind) set(Opcode::name, {Lds, 0, kind, false, false, kind});
#define LDSPAIR(name, dwords, stride, meaning)                                                                         \
  set(Opcode::name,                                                                                                    \
      {Lds, meaning == read ? 8 * dwords : 0, meaning == write ? 8 * dwords : 0, false, false, 4 * dwords, stride});
#define LDSATOMIC(name, T, meaning) set(Opcode::name, {Lds, sizeof(T), sizeof(T), true, false, sizeof(T)});
#define LDSSPECIAL(name, bytes, effect, traits, meaning)                                                               \
  set(Opcode::name, {bytes ? Lds : None, MemoryEffect::effect == MemoryEffect::Store ? 0 : bytes,                      \
                     MemoryEffect::effect == MemoryEffect::Load ? 0 : bytes});
#define LOAD(name, kind)                                                                                               \
  set(Opcode::GLOBAL_##name, {Global, kind, 0});                                                                       \
  set(Opcode::FLAT_##name, {Flat, kind, 0});                                                                           \
  set(Opcode::SCRATCH_##name, {Scratch, kind, 0});                                                                     \
  set(Opcode::BUFFER_##name, {Buffer, kind, 0});
#define STORE(name, kind)                                                                                              \
  set(Opcode::GLOBAL_##name, {Global, 0, kind});                                                                       \
  set(Opcode::FLAT_##name, {Flat, 0, kind});                                                                           \
  set(Opcode::SCRATCH_##name, {Scratch, 0, kind});                                                                     \
  set(Opcode::BUFFER_##name, {Buffer, 0, kind});
#define ATOMIC(name, T, meaning)                                                                                       \
  set(Opcode::GLOBAL_##name, {Global, sizeof(T), sizeof(T), true});                                                    \
  set(Opcode::FLAT_##name, {Flat, sizeof(T), sizeof(T), true});                                                        \
  set(Opcode::BUFFER_##name, {Buffer, sizeof(T), sizeof(T), true});
#define LOADTOLDS(name, kind) set(Opcode::name, {Global, kind, 0, false, true});
#include "runtime/emulator/decode/Instructions.def"
  return t;
}
constexpr std::array<Access, opcodeCount> accesses = makeAccesses();

constexpr std::array<bool, opcodeCount> makeMovesBytes() {
  std::array<bool, opcodeCount> t = {};
  for (unsigned i = 0; i < opcodeCount; ++i)
    t[i] = accesses[i].addressing != Addressing::None;
  return t;
}

/// Where each active lane of a flat access goes (the address as in Global.cpp).
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

uint32_t conflictClocksOf(const Wave &w, const MicroOp *op, const Access &access) {
  const uint32_t *row = w.row(op->source[0]);
  const auto direction = access.stored && !access.loaded ? support::LdsDirection::Write : support::LdsDirection::Read;
  auto clocksAt = [&](uint32_t offset) {
    std::array<uint32_t, Wave::width> addresses;
    for (unsigned lane = 0; lane < Wave::width; ++lane)
      addresses[lane] = row[lane] + offset;
    return support::ldsConflictClocks(direction, access.ldsBytes, addresses, w.exec());
  };
  if (!access.pairStride)
    return clocksAt(uint32_t(op->immediate));
  const uint32_t unit = uint32_t(access.ldsBytes) * access.pairStride;
  return clocksAt((op->immediate & 0xff) * unit) + clocksAt((op->immediate >> 8 & 0xff) * unit);
}

} // namespace

const std::array<bool, opcodeCount> ExecutionCounters::movesBytes = makeMovesBytes();

InstructionClass classOf(Opcode opcode) {
  switch (infoOf(opcode).kind) {
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

std::string mnemonicOf(Opcode opcode) {
  std::string name(infoOf(opcode).name);
  for (char &c : name)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

void ExecutionCounters::countBytes(const Wave &w, const MicroOp *op) {
  const Access &access = accesses[op->opcode];
  const uint64_t storedBefore = bytes[unsigned(MemorySpace::Global)].stored;
  // An atomic whose old value nobody wants only sends its operand.
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
      conflictClocks[op->opcode] += conflictClocksOf(w, op, access);
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
  case Addressing::TypedBuffer: { // an element a lane, whatever the registers hold of it
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
    if (op->flags & bufferToLds) // every active lane, with zero from outside
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
      sum[classOf(Opcode(i))] += executed[i];
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
