#include "runtime/emulator/decode/Instructions.h"

#include <unordered_map>

namespace nstf::emulator {
namespace {

/// The spellings of Instructions.def's types that mean the same to decoding.
namespace spelled {
using enum OperandType;
constexpr OperandType U16 = u16, I16 = i16, F16 = f16, U32 = u32, I32 = i32, F32 = f32, U64 = u64, I64 = i64, F64 = f64;
constexpr OperandType v2b16raw = v2f16raw;
constexpr OperandType F16bits = f16, F32bits = f32, F64bits = f64;
constexpr OperandType i16exponent = i16, i32exponent = i32, i64exponent = i32;
} // namespace spelled

constexpr InstructionInfo table[] = {
#define T(x) spelled::x
#define SCALAR1(name, D, A, meaning) {#name, Form::Scalar, {T(D), T(A)}},
#define SCALAR2(name, D, A, B, meaning) {#name, Form::Scalar, {T(D), T(A), T(B)}},
#define SCALARK(name, meaning) {#name, Form::ScalarImmediate, {T(u32)}},
#define SCALARCMP(name, A, B, meaning) {#name, Form::ScalarCompare, {T(none), T(A), T(B)}},
#define SCALARCMPK(name, A, meaning) {#name, Form::ScalarCompareImmediate, {T(none), T(A)}},
#define CONTROL(name, meaning) {#name, Form::Control, {}},
#define SCALARMEMORY(name, dwords, meaning) {#name, Form::ScalarMemory, {}},
#define VECTOR1(name, D, A, meaning) {#name, Form::Vector, {T(D), T(A)}},
#define VECTOR2(name, D, A, B, meaning) {#name, Form::Vector, {T(D), T(A), T(B)}},
#define VECTOR3(name, D, A, B, C, meaning) {#name, Form::Vector, {T(D), T(A), T(B), T(C)}},
#define ACCUMULATE(name, D, A, B, meaning) {#name, Form::Accumulate, {T(D), T(A), T(B), T(D)}},
#define COMPARE(name, A, B, meaning)                                                                                   \
  {"V_CMP_" #name, Form::Compare, {T(none), T(A), T(B)}}, {"V_CMPX_" #name, Form::Compare, {T(none), T(A), T(B)}},
#define CARRY(name, in, meaning) {#name, Form::Carry, {T(u32), T(u32), T(u32)}},
#define CROSSLANE(name, meaning) {#name, Form::CrossLane, {}},
#define MATRIX(name, D, A, rows, columns, depth, blocks) {#name, Form::Matrix, {}},
#define SPARSE(name, D, A, rows, columns, depth) {#name, Form::Matrix, {}},
#define LDSREAD(name, kind) {#name, Form::Lds, {}},
#define LDSWRITE(name, kind) {#name, Form::Lds, {}},
#define LDSPAIR(name, kind, stride, meaning) {#name, Form::Lds, {}},
#define LDSATOMIC(name, T, meaning) {#name, Form::Lds, {}},
#define LDSLANES(name, meaning) {#name, Form::LdsLanes, {}},
#define LOAD(name, kind)                                                                                               \
  {"GLOBAL_" #name, Form::Memory, {}}, {"FLAT_" #name, Form::Memory, {}}, {"SCRATCH_" #name, Form::Memory, {}},        \
      {"BUFFER_" #name, Form::Memory, {}},
#define STORE(name, kind) LOAD(name, kind)
#define ATOMIC(name, T, meaning)                                                                                       \
  {"GLOBAL_" #name, Form::Memory, {}}, {"FLAT_" #name, Form::Memory, {}}, {"BUFFER_" #name, Form::Memory, {}},
#define LOADTOLDS(name, kind) {#name, Form::Memory, {}},
#define SCALARATOMIC(name, T, meaning)                                                                                 \
  {"S_" #name, Form::ScalarMemory, {}}, {"S_BUFFER_" #name, Form::ScalarMemory, {}},
#define LDSSPECIAL(name, bytes, meaning) {#name, Form::Lds, {}},
#define LDSGLOBAL(name, meaning) {#name, Form::LdsLanes, {}},
#define SCRATCHTOLDS(name, kind) {#name, Form::Memory, {}},
#define LDSTOBUFFER(name) {#name, Form::Memory, {}},
#define TYPEDLOAD(name, components, width) {"BUFFER_" #name, Form::Memory, {}}, {"TBUFFER_" #name, Form::Memory, {}},
#define TYPEDSTORE(name, components, width) TYPEDLOAD(name, components, width)
#define TYPEDHIGH(name, direction) {#name, Form::Memory, {}},
#define CACHE(name) {#name, Form::Cache, {}},
#include "runtime/emulator/decode/Instructions.def"
#undef T
};

} // namespace

const InstructionInfo &infoOf(Opcode opcode) { return table[unsigned(opcode)]; }

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

unsigned bitsOf(OperandType type) {
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
