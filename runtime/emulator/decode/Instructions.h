// The instruction list as an enumeration and a table.
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
#define CONTROL(name, kind, meaning) name,
#define SCALARLOAD(name, dwords, meaning) name,
#define SCALARSTORE(name, dwords, meaning) name,
#define VECTOR1(name, D, A, meaning) name,
#define VECTOR2(name, D, A, B, meaning) name,
#define VECTOR3(name, D, A, B, C, meaning) name,
#define ACCUMULATE(name, D, A, B, meaning) name,
#define COMPARE(name, A, B, meaning) V_CMP_##name, V_CMPX_##name,
#define CARRY(name, in, meaning) name,
#define CROSSLANE(name, traits, meaning) name,
#define MATRIX(name, D, A, rows, columns, depth, blocks) name,
#define SPARSE(name, D, A, rows, columns, depth) name,
#define LDSREAD(name, kind) name,
#define LDSWRITE(name, kind) name,
#define LDSPAIR(name, kind, stride, meaning) name,
#define LDSATOMIC(name, T, meaning) name,
#define LDSLANES(name, traits, meaning) name,
#define LOAD(name, kind) GLOBAL_##name, FLAT_##name, SCRATCH_##name, BUFFER_##name,
#define STORE(name, kind) GLOBAL_##name, FLAT_##name, SCRATCH_##name, BUFFER_##name,
#define ATOMIC(name, T, meaning) GLOBAL_##name, FLAT_##name, BUFFER_##name,
#define LOADTOLDS(name, kind) name,
#define SCALARATOMIC(name, T, meaning) S_##name, S_BUFFER_##name,
#define LDSSPECIAL(name, bytes, effect, traits, meaning) name,
#define LDSGLOBAL(name, meaning) name,
#define SCRATCHTOLDS(name, kind) name,
#define LDSTOBUFFER(name) name,
#define TYPEDLOAD(name, components, width) BUFFER_##name, TBUFFER_##name,
#define TYPEDSTORE(name, components, width) BUFFER_##name, TBUFFER_##name,
#define TYPEDHIGH(name, direction) name,
#define CACHE(name, traits) name,
#include "runtime/emulator/decode/Instructions.def"
  // Micro-ops around a vector instruction, which are not instructions by themselves.
  Trap,
  Continue, ///< to the instruction behind, which was decoded elsewhere
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

/// How the operands of an instruction are decoded.
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

/// The type of an operand, as far as decoding needs it.
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
/// 16, 32 or 64; a packed pair of 16 bits counts as 32, one of 32 bits as 64.
unsigned getBits(OperandType type);

/// The unit that executes an instruction, and its role in control flow.
enum class InstructionKind : uint8_t {
  Unknown, ///< bytes that are not an instruction, or one that is not in the list
  Scalar,
  ScalarMemory, ///< includes s_memtime, s_dcache_*
  Branch,       ///< and calls, s_setpc
  ConditionalBranch,
  Barrier,
  Wait, ///< s_waitcnt
  Nop,  ///< s_nop
  End,
  Message,
  Control, ///< other s_* without a result: s_sleep, s_setprio, s_trap …
  Vector,
  Transcendental, ///< VALU at a quarter of the full rate
  Matrix,         ///< MFMA, SMFMAC
  Lds,            ///< DS; includes those that only move data between lanes
  VectorMemory,   ///< buffer, global, scratch, cache maintenance
  Flat,           ///< flat_*: LDS, scratch or global, by address
};
inline bool isVector(InstructionKind kind) {
  return kind == InstructionKind::Vector || kind == InstructionKind::Transcendental || kind == InstructionKind::Matrix;
}

/// The instruction's effect on memory, LDS included; an atomic loads and stores.
enum class MemoryEffect : uint8_t { None, Load, Store, Atomic };

/// How the instruction's address is formed.
enum class Addressing : uint8_t { None, Scalar, Lds, Global, Flat, Scratch, Buffer, TypedBuffer };

/// The pipeline that executes an MFMA. Xdl: the matrix core; Single: the pipeline of f32, if the chip has a separate
/// one; Double: the pipeline of f64.
enum class MatrixUnit : uint8_t { None, Xdl, Single, Double };

/// Further properties.
namespace trait {
constexpr uint8_t none = 0;
constexpr uint8_t acrossLanes = 1;  ///< a lane's result depends on other lanes' sources, or is not masked by EXEC
constexpr uint8_t packed = 2;       ///< op_sel selects halves of sources, but never of the destination
constexpr uint8_t dot = 4;          ///< a dot product (packed)
constexpr uint8_t sparse = 8;       ///< an index in place of other matrix instructions' C
constexpr uint8_t readsM0 = 16;     ///< LDS: reads M0, as LLVM's description says of all LDS instructions
constexpr uint8_t noAddress = 32;   ///< LDS: the vector operand is data
constexpr uint8_t ldsDma = 64;      ///< moves data between memory and LDS, at M0
constexpr uint8_t notCounted = 128; ///< raises no counter of s_waitcnt
} // namespace trait

struct InstructionInfo {
  std::string_view name;
  Form form;
  OperandType types[4]; ///< destination, sources
  InstructionKind kind;
  MemoryEffect effect = MemoryEffect::None;
  Addressing addressing = Addressing::None;
  uint8_t traits = trait::none;
  MatrixUnit matrix = MatrixUnit::None;
  bool is(uint8_t oneTrait) const { return traits & oneTrait; }
};
/// Information on an instruction of the list; Opcode::Trap has kind Unknown.
const InstructionInfo &getInfo(Opcode opcode);
/// The opcode with this name (without suffixes), or Opcode::Trap.
Opcode findOpcode(std::string_view name);

} // namespace nstf::emulator
