#include "runtime/emulator/decode/Instructions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

namespace nstf::emulator {
namespace {

/// Spellings of types in Instructions.def that are equivalent for decoding.
namespace spelled {
using enum OperandType;
constexpr OperandType U16 = u16, I16 = i16, F16 = f16, U32 = u32, I32 = i32, F32 = f32, U64 = u64, I64 = i64, F64 = f64;
constexpr OperandType v2b16raw = v2f16raw;
constexpr OperandType F16bits = f16, F32bits = f32, F64bits = f64;
constexpr OperandType i16exponent = i16, i32exponent = i32, i64exponent = i32;
} // namespace spelled

/// The unit that multiplies a matrix's elements.
namespace element {
using enum MatrixUnit;
constexpr MatrixUnit f64 = Double, f32 = Single, f16 = Xdl, bf16 = Xdl, i8 = Xdl, xf32 = Xdl, FP8_FP8 = Xdl,
                     FP8_BF8 = Xdl, BF8_FP8 = Xdl, BF8_BF8 = Xdl;
} // namespace element

// Effects of LDS pairs and typed buffer instructions on memory, by the names of their meanings.
constexpr MemoryEffect read = MemoryEffect::Load, load = MemoryEffect::Load, write = MemoryEffect::Store,
                       store = MemoryEffect::Store;

constexpr bool isPacked(OperandType type) { return type >= OperandType::v2u16; }

constexpr InstructionInfo vector(std::string_view name, Form form, std::array<OperandType, 4> t, uint8_t traits = 0,
                                 InstructionKind kind = InstructionKind::Vector) {
  if (isPacked(t[0]) || isPacked(t[1]) || traits & trait::dot)
    traits |= trait::packed;
  return {name, form, {t[0], t[1], t[2], t[3]}, kind, MemoryEffect::None, Addressing::None, traits};
}
constexpr InstructionInfo matrix(std::string_view name, MatrixUnit unit, uint8_t traits = 0) {
  return {name, Form::Matrix, {}, InstructionKind::Matrix, MemoryEffect::None, Addressing::None, traits, unit};
}
constexpr InstructionInfo scalarMemory(std::string_view name, MemoryEffect effect) {
  return {name, Form::ScalarMemory, {}, InstructionKind::ScalarMemory, effect, Addressing::Scalar};
}
constexpr InstructionInfo lds(std::string_view name, MemoryEffect effect, uint8_t traits = 0, Form form = Form::Lds) {
  return {name, form, {}, InstructionKind::Lds, effect, Addressing::Lds, traits};
}
constexpr InstructionInfo memory(std::string_view name, MemoryEffect effect, Addressing addressing,
                                 uint8_t traits = 0) {
  return {name,   Form::Memory,
          {},     addressing == Addressing::Flat ? InstructionKind::Flat : InstructionKind::VectorMemory,
          effect, addressing,
          traits};
}

using namespace trait;
using Addressing::Buffer, Addressing::Flat, Addressing::Global, Addressing::Scratch, Addressing::TypedBuffer;
using MemoryEffect::Atomic, MemoryEffect::Load, MemoryEffect::Store;

constexpr InstructionInfo table[] = {
#define T(x) spelled::x
#define SCALAR1(name, D, A, meaning) {#name, Form::Scalar, {T(D), T(A)}, InstructionKind::Scalar},
#define SCALAR2(name, D, A, B, meaning) {#name, Form::Scalar, {T(D), T(A), T(B)}, InstructionKind::Scalar},
#define SCALARK(name, meaning) {#name, Form::ScalarImmediate, {T(u32)}, InstructionKind::Scalar},
#define SCALARCMP(name, A, B, meaning) {#name, Form::ScalarCompare, {T(none), T(A), T(B)}, InstructionKind::Scalar},
#define SCALARCMPK(name, A, meaning) {#name, Form::ScalarCompareImmediate, {T(none), T(A)}, InstructionKind::Scalar},
#define CONTROL(name, kind, meaning) {#name, Form::Control, {}, InstructionKind::kind},
#define SCALARLOAD(name, dwords, meaning) scalarMemory(#name, Load),
#define SCALARSTORE(name, dwords, meaning) scalarMemory(#name, Store),
#define SCALARATOMIC(name, T, meaning) scalarMemory("S_" #name, Atomic), scalarMemory("S_BUFFER_" #name, Atomic),
#define VECTOR1(name, D, A, meaning) vector(#name, Form::Vector, {T(D), T(A)}),
#define VECTOR2(name, D, A, B, meaning) vector(#name, Form::Vector, {T(D), T(A), T(B)}),
#define VECTOR3(name, D, A, B, C, meaning) vector(#name, Form::Vector, {T(D), T(A), T(B), T(C)}),
#define ACCUMULATE(name, D, A, B, meaning) vector(#name, Form::Accumulate, {T(D), T(A), T(B), T(D)}),
#define TRANSCENDENTAL(name, D, A, meaning)                                                                            \
  vector(#name, Form::Vector, {T(D), T(A)}, 0, InstructionKind::Transcendental),
#define FLOATDOT(name, D, A, B, C, meaning) vector(#name, Form::Vector, {T(D), T(A), T(B), T(C)}, dot),
#define FLOATDOTACC(name, D, A, B, meaning) vector(#name, Form::Accumulate, {T(D), T(A), T(B), T(D)}, dot),
#define INTEGERDOT(name, D, A, B, C, meaning) FLOATDOT(name, D, A, B, C, meaning)
#define INTEGERDOTACC(name, D, A, B, meaning) FLOATDOTACC(name, D, A, B, meaning)
#define ACCUMULATORMOVE(name) vector(#name, Form::Vector, {T(u32), T(u32)}, acrossLanes),
#define COMPARE(name, A, B, meaning)                                                                                   \
  vector("V_CMP_" #name, Form::Compare, {T(none), T(A), T(B)}),                                                        \
      vector("V_CMPX_" #name, Form::Compare, {T(none), T(A), T(B)}),
#define CARRY(name, in, meaning) vector(#name, Form::Carry, {T(u32), T(u32), T(u32)}),
#define CROSSLANE(name, traits, meaning) vector(#name, Form::CrossLane, {}, traits),
#define MATRIX(name, D, A, rows, columns, depth, blocks) matrix(#name, element::A),
#define SPARSE(name, D, A, rows, columns, depth) matrix(#name, element::A, sparse),
#define LDSREAD(name, kind) lds(#name, Load),
#define LDSWRITE(name, kind) lds(#name, Store),
#define LDSPAIR(name, kind, stride, meaning) lds(#name, meaning),
#define LDSATOMIC(name, T, meaning) lds(#name, Atomic),
#define LDSSPECIAL(name, bytes, effect, traits, meaning) lds(#name, MemoryEffect::effect, traits),
#define LDSGLOBAL(name, meaning) lds(#name, MemoryEffect::None, readsM0 | noAddress, Form::LdsLanes),
#define LDSLANES(name, traits, meaning) lds(#name, MemoryEffect::None, traits, Form::LdsLanes),
#define LOAD(name, kind)                                                                                               \
  memory("GLOBAL_" #name, Load, Global), memory("FLAT_" #name, Load, Flat), memory("SCRATCH_" #name, Load, Scratch),   \
      memory("BUFFER_" #name, Load, Buffer),
#define STORE(name, kind)                                                                                              \
  memory("GLOBAL_" #name, Store, Global), memory("FLAT_" #name, Store, Flat),                                          \
      memory("SCRATCH_" #name, Store, Scratch), memory("BUFFER_" #name, Store, Buffer),
#define ATOMIC(name, T, meaning)                                                                                       \
  memory("GLOBAL_" #name, Atomic, Global), memory("FLAT_" #name, Atomic, Flat), memory("BUFFER_" #name, Atomic, Buffer),
#define LOADTOLDS(name, kind) memory(#name, Load, Global, ldsDma),
#define SCRATCHTOLDS(name, kind) memory(#name, Load, Scratch, ldsDma),
#define LDSTOBUFFER(name) memory(#name, Store, Buffer, ldsDma),
#define TYPEDLOAD(name, components, width)                                                                             \
  memory("BUFFER_" #name, Load, TypedBuffer), memory("TBUFFER_" #name, Load, TypedBuffer),
#define TYPEDSTORE(name, components, width)                                                                            \
  memory("BUFFER_" #name, Store, TypedBuffer), memory("TBUFFER_" #name, Store, TypedBuffer),
#define TYPEDHIGH(name, direction) memory(#name, direction, TypedBuffer),
#define CACHE(name, traits)                                                                                            \
  {#name, Form::Cache, {}, InstructionKind::VectorMemory, MemoryEffect::None, Addressing::None, traits},
#include "runtime/emulator/decode/Instructions.def"
#undef T
    {"", Form::Control, {}, InstructionKind::Unknown}, // Trap
};
static_assert(std::size(table) == size_t(Opcode::Trap) + 1);

} // namespace

const InstructionInfo &getInfo(Opcode opcode) { return table[std::min(unsigned(opcode), unsigned(Opcode::Trap))]; }

Opcode findOpcode(std::string_view name) {
  static const auto *byName = [] {
    auto *map = new std::unordered_map<std::string_view, Opcode>;
    for (unsigned i = 0; i < std::size(table); ++i)
      map->emplace(table[i].name, Opcode(i));
    return map;
  }();
  auto found = byName->find(name);
  return found == byName->end() ? Opcode::Trap : found->second;
}

bool isFloat(OperandType type) {
  using enum OperandType;
  switch (type) {
  case f16:
  case f32:
  case f64:
  case v2f16:
  case v2f16raw:
  case v2f32:
    return true;
  default:
    return false;
  }
}

unsigned getBits(OperandType type) {
  using enum OperandType;
  switch (type) {
  case none:
    return 0;
  case u16:
  case i16:
  case f16:
    return 16;
  case u64:
  case i64:
  case f64:
  case v2f32:
  case v2b32:
    return 64;
  default:
    return 32;
  }
}

} // namespace nstf::emulator
