// The instruction list as enumeration and table.
#pragma once

#include <cstdint>
#include <string_view>

namespace nstf::emulator {

/// One enumerator for every name in Instructions.def.
enum class Opcode : uint16_t {
#define SCALAR1(name, D, A, meaning) name,
#define SCALAR2(name, D, A, B, meaning) name,
#define SCALARK(name, meaning) name,
#define SCALARCMP(name, A, B, meaning) name,
#define SCALARCMPK(name, A, meaning) name,
#define CONTROL(name, meaning) name,
#define SCALARMEMORY(name, dwords, meaning) name,
#define VECTOR1(name, D, A, meaning) name,
#define VECTOR2(name, D, A, B, meaning) name,
#define VECTOR3(name, D, A, B, C, meaning) name,
#define ACCUMULATE(name, D, A, B, meaning) name,
#define COMPARE(name, A, B, meaning) V_CMP_##name, V_CMPX_##name,
#define CARRY(name, in, meaning) name,
#define CROSSLANE(name, meaning) name,
#define MATRIX(name, D, A, rows, columns, depth, blocks) name,
#define SPARSE(name, D, A, rows, columns, depth) name,
#define LDSREAD(name, kind) name,
#define LDSWRITE(name, kind) name,
#define LDSPAIR(name, kind, stride, meaning) name,
#define LDSATOMIC(name, T, meaning) name,
#define LDSLANES(name, meaning) name,
#define LOAD(name, kind) GLOBAL_##name, FLAT_##name, SCRATCH_##name, BUFFER_##name,
#define STORE(name, kind) GLOBAL_##name, FLAT_##name, SCRATCH_##name, BUFFER_##name,
#define ATOMIC(name, T, meaning) GLOBAL_##name, FLAT_##name, BUFFER_##name,
#define LOADTOLDS(name, kind) name,
#define SCALARATOMIC(name, T, meaning) S_##name, S_BUFFER_##name,
#define LDSSPECIAL(name, bytes, meaning) name,
#define LDSGLOBAL(name, meaning) name,
#define SCRATCHTOLDS(name, kind) name,
#define LDSTOBUFFER(name) name,
#define TYPEDLOAD(name, components, width) BUFFER_##name, TBUFFER_##name,
#define TYPEDSTORE(name, components, width) BUFFER_##name, TBUFFER_##name,
#define TYPEDHIGH(name, direction) name,
#define CACHE(name) name,
#include "runtime/emulator/decode/Instructions.def"
  // What no instruction is by itself: the micro-ops around a vector instruction.
  Trap,
  Broadcast32,
  Broadcast64,
  ScalarCondition,
  Negate16,
  Negate32,
  Negate64,
  SelectHalves,
  SelectPair,
  SelectHigh16,
  SelectBytes,
  MergeBytes,
  MergeHalf,
  LanePermute,
  LaneRestore,
  Clamp16,
  Clamp32,
  Clamp64,
  ClampPair16,
  ClampPair32,
  Scale16,
  Scale32,
  Scale64,
  ScalePair16,
  SaturateCarry32,
  SaturateCarry64,
  ReadIndexed,
  WriteIndexed,
  count
};
constexpr unsigned opcodeCount = unsigned(Opcode::count);

/// How an instruction's operands are decoded.
enum class Form : uint8_t {
  Scalar,
  ScalarImmediate,
  ScalarCompare,
  ScalarCompareImmediate,
  Control,
  ScalarMemory,
  Vector,
  Accumulate,
  Compare,
  Carry,
  CrossLane,
  Matrix,
  Lds,
  LdsLanes,
  Memory,
  Cache
};

/// Type of an operand, as far as decoding must know it.
enum class OperandType : uint8_t {
  none,
  u16,
  i16,
  f16,
  u24,
  i24,
  u32,
  i32,
  f32,
  u64,
  i64,
  f64,
  v2u16,
  v2i16,
  v2f16,
  v2f16raw, ///< packed f16, f32 result
  v2f32,
  v2b32,
};
bool isFloat(OperandType type);
/// 16, 32 or 64; packed pairs of 16 bits count 32, of 32 bits 64.
unsigned bitsOf(OperandType type);

struct InstructionInfo {
  std::string_view name;
  Form form;
  OperandType types[4]; ///< destination, sources
};
const InstructionInfo &infoOf(Opcode opcode);
/// The opcode of that name (suffixes stripped), or Opcode::Trap.
Opcode findOpcode(std::string_view name);

} // namespace nstf::emulator
