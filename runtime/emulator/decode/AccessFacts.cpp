#include "runtime/emulator/decode/AccessFacts.h"

namespace nstf::emulator {
namespace {

// Sizes of the kinds of accesses in Instructions.def.
template <unsigned n> constexpr uint8_t dword = 4 * n;
template <unsigned n> constexpr uint8_t words = 4 * n;
constexpr uint8_t ubyte = 1, sbyte = 1, ubyteLow = 1, ubyteHigh = 1, sbyteLow = 1, sbyteHigh = 1, byte = 1,
                  byteHigh = 1;
constexpr uint8_t ushort = 2, sshort = 2, ushortLow = 2, ushortHigh = 2, halfword = 2, halfwordHigh = 2;
// Whether LDS pairs and typed buffer instructions load or store, by the names of their meanings.
enum Meaning { load, store, read, write };

constexpr std::array<AccessFacts, opcodeCount> makeFacts() {
  std::array<AccessFacts, opcodeCount> t = {};
  auto set = [&](Opcode opcode, AccessFacts facts) { t[unsigned(opcode)] = facts; };
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

} // namespace

constinit const std::array<AccessFacts, opcodeCount> accessFacts = makeFacts();

} // namespace nstf::emulator
