// The scalar ALU.
//
// The meanings follow "CDNA3 Instruction Set Architecture", SOP1, SOP2, SOPC and SOPK. A meaning gets the wave for
// access to SCC and EXEC.
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/Wave.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace nstf::emulator {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

/// A result that also sets SCC to whether it is nonzero, as most logical instructions do.
template <typename T> T nonzero(Wave &w, T value) {
  w.setScc(value != 0);
  return value;
}

template <typename D, typename A> D mov(Wave &, D, A a) { return a; }
template <typename D, typename A> D bitNot(Wave &w, D, A a) { return nonzero<D>(w, ~a); }
template <typename D, typename A> D reverseBits(Wave &, D, A a) {
  D result = 0;
  for (unsigned i = 0; i < sizeof(A) * 8; ++i)
    result |= D(a >> i & 1) << (sizeof(A) * 8 - 1 - i);
  return result;
}
/// Sets all four bits of every quad of lanes that has one bit set.
template <typename D, typename A> D wholeQuads(Wave &w, D, A a) {
  D any = (a | a >> 1 | a >> 2 | a >> 3) & D(0x1111111111111111ull);
  return nonzero<D>(w, any * 15);
}
template <typename D, typename A> D quadMask(Wave &w, D, A a) {
  D result = 0;
  for (unsigned i = 0; i < sizeof(A) * 2; ++i)
    result |= D((a >> 4 * i & 15) != 0) << i;
  return nonzero<D>(w, result);
}
template <typename D, typename A> D countOnes(Wave &w, D, A a) { return nonzero<D>(w, std::popcount(a)); }
template <typename D, typename A> D countZeros(Wave &w, D, A a) { return nonzero<D>(w, std::popcount(A(~a))); }
template <typename D, typename A> D firstOne(Wave &, D, A a) { return a ? std::countr_zero(a) : D(-1); }
template <typename D, typename A> D firstZero(Wave &, D, A a) { return ~a ? std::countr_one(a) : D(-1); }
template <typename D, typename A> D leadingZeros(Wave &, D, A a) { return a ? std::countl_zero(a) : D(-1); }
/// Number of top bits equal to the sign bit; -1 if all are.
template <typename D, typename A> D leadingSigns(Wave &, D, A a) {
  auto flipped = std::make_unsigned_t<A>(a < 0 ? ~a : a);
  return flipped ? std::countl_zero(flipped) : D(-1);
}
template <typename D, typename A> D signExtend8(Wave &, D, A a) { return int8_t(a); }
template <typename D, typename A> D signExtend16(Wave &, D, A a) { return int16_t(a); }
template <typename D, typename A> D absolute(Wave &w, D, A a) { return nonzero<D>(w, a < 0 ? D(0u - u32(a)) : a); }
template <typename D, typename A> D replicateBits(Wave &, D, A a) {
  D result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= D(a >> i & 1) * 3 << 2 * i;
  return result;
}
template <typename D, typename A> D conditionalMove(Wave &w, D old, A a) { return w.scc() ? a : old; }
template <typename D, typename A> D clearBit(Wave &, D old, A a) { return old & ~(D(1) << (a & (sizeof(D) * 8 - 1))); }
template <typename D, typename A> D setBit(Wave &, D old, A a) { return old | D(1) << (a & (sizeof(D) * 8 - 1)); }

/// s_<op>_saveexec: returns the old EXEC and sets EXEC to `next`.
inline u64 saveexec(Wave &w, u64 next) {
  u64 old = w.exec();
  w.setExec(next);
  w.setScc(next != 0);
  return old;
}
template <typename D, typename A> D saveexecAnd(Wave &w, D, A a) { return saveexec(w, a & w.exec()); }
template <typename D, typename A> D saveexecOr(Wave &w, D, A a) { return saveexec(w, a | w.exec()); }
template <typename D, typename A> D saveexecXor(Wave &w, D, A a) { return saveexec(w, a ^ w.exec()); }
template <typename D, typename A> D saveexecAndn2(Wave &w, D, A a) { return saveexec(w, a & ~w.exec()); }
template <typename D, typename A> D saveexecOrn2(Wave &w, D, A a) { return saveexec(w, a | ~w.exec()); }
template <typename D, typename A> D saveexecNand(Wave &w, D, A a) { return saveexec(w, ~(a & w.exec())); }
template <typename D, typename A> D saveexecNor(Wave &w, D, A a) { return saveexec(w, ~(a | w.exec())); }
template <typename D, typename A> D saveexecXnor(Wave &w, D, A a) { return saveexec(w, ~(a ^ w.exec())); }
template <typename D, typename A> D saveexecAndn1(Wave &w, D, A a) { return saveexec(w, ~a & w.exec()); }
template <typename D, typename A> D saveexecOrn1(Wave &w, D, A a) { return saveexec(w, ~a | w.exec()); }
template <typename D, typename A> D wrexecAndn1(Wave &w, D, A a) {
  saveexec(w, ~a & w.exec());
  return w.exec();
}
template <typename D, typename A> D wrexecAndn2(Wave &w, D, A a) {
  saveexec(w, a & ~w.exec());
  return w.exec();
}

template <typename D, typename A, typename B> D addUnsigned(Wave &w, D, A a, B b) {
  D sum = a + b;
  w.setScc(sum < a);
  return sum;
}
template <typename D, typename A, typename B> D subUnsigned(Wave &w, D, A a, B b) {
  w.setScc(b > a);
  return a - b;
}
template <typename D, typename A, typename B> D addSigned(Wave &w, D, A a, B b) {
  D sum;
  w.setScc(__builtin_add_overflow(a, b, &sum));
  return sum;
}
template <typename D, typename A, typename B> D subSigned(Wave &w, D, A a, B b) {
  D difference;
  w.setScc(__builtin_sub_overflow(a, b, &difference));
  return difference;
}
template <typename D, typename A, typename B> D addCarry(Wave &w, D, A a, B b) {
  u64 sum = u64(a) + b + w.scc();
  w.setScc(sum >> 32);
  return D(sum);
}
template <typename D, typename A, typename B> D subBorrow(Wave &w, D, A a, B b) {
  u64 difference = u64(a) - b - w.scc();
  w.setScc(difference >> 32);
  return D(difference);
}
/// SCC is set if the first source was selected.
template <typename D, typename A, typename B> D minimum(Wave &w, D, A a, B b) {
  w.setScc(a < b);
  return std::min(a, b);
}
template <typename D, typename A, typename B> D maximum(Wave &w, D, A a, B b) {
  w.setScc(a > b);
  return std::max(a, b);
}
template <typename D, typename A, typename B> D select(Wave &w, D, A a, B b) { return w.scc() ? a : b; }
template <typename D, typename A, typename B> D bitAnd(Wave &w, D, A a, B b) { return nonzero<D>(w, a & b); }
template <typename D, typename A, typename B> D bitOr(Wave &w, D, A a, B b) { return nonzero<D>(w, a | b); }
template <typename D, typename A, typename B> D bitXor(Wave &w, D, A a, B b) { return nonzero<D>(w, a ^ b); }
template <typename D, typename A, typename B> D bitAndn2(Wave &w, D, A a, B b) { return nonzero<D>(w, a & ~b); }
template <typename D, typename A, typename B> D bitOrn2(Wave &w, D, A a, B b) { return nonzero<D>(w, a | ~b); }
template <typename D, typename A, typename B> D bitNand(Wave &w, D, A a, B b) { return nonzero<D>(w, ~(a & b)); }
template <typename D, typename A, typename B> D bitNor(Wave &w, D, A a, B b) { return nonzero<D>(w, ~(a | b)); }
template <typename D, typename A, typename B> D bitXnor(Wave &w, D, A a, B b) { return nonzero<D>(w, ~(a ^ b)); }
template <typename D, typename A, typename B> D shiftLeft(Wave &w, D, A a, B b) {
  return nonzero<D>(w, a << (b & (sizeof(A) * 8 - 1)));
}
template <typename D, typename A, typename B> D shiftRight(Wave &w, D, A a, B b) {
  return nonzero<D>(w, a >> (b & (sizeof(A) * 8 - 1)));
}
template <typename D, typename A, typename B> D fieldMask(Wave &, D, A a, B b) {
  constexpr unsigned wrap = sizeof(D) * 8 - 1;
  return ((D(1) << (a & wrap)) - 1) << (b & wrap);
}
template <typename D, typename A, typename B> D multiply(Wave &, D, A a, B b) { return a * b; }
template <typename D, typename A, typename B> D multiplyHigh(Wave &, D, A a, B b) {
  using Wide = std::conditional_t<std::is_signed_v<D>, i64, u64>;
  return D(Wide(a) * Wide(b) >> 32);
}
/// The offset is in the low bits of b, the width in [22:16].
template <typename D, typename A, typename B> D extractField(Wave &w, D, A a, B b) {
  constexpr unsigned bits = sizeof(A) * 8;
  unsigned offset = b & (bits - 1), width = b >> 16 & 127;
  if (width == 0)
    return nonzero<D>(w, 0);
  A shifted = a >> offset;
  if (width >= bits)
    return nonzero<D>(w, shifted);
  return nonzero<D>(w, A(std::make_unsigned_t<A>(shifted) << (bits - width)) >> (bits - width));
}
template <typename D, typename A, typename B> D absoluteDifference(Wave &w, D, A a, B b) {
  D difference = D(u32(a) - u32(b));
  return nonzero<D>(w, difference < 0 ? D(0u - u32(difference)) : difference);
}
template <unsigned shift, typename D, typename A, typename B> D shiftAdd(Wave &w, D, A a, B b) {
  u64 sum = (u64(a) << shift) + b;
  w.setScc(sum >> 32);
  return D(sum);
}
template <typename D, typename A, typename B> D packLowLow(Wave &, D, A a, B b) { return (a & 0xffff) | b << 16; }
template <typename D, typename A, typename B> D packLowHigh(Wave &, D, A a, B b) {
  return (a & 0xffff) | (b & 0xffff0000);
}
template <typename D, typename A, typename B> D packHighHigh(Wave &, D, A a, B b) { return a >> 16 | (b & 0xffff0000); }

inline u32 movk(Wave &, u32, i32 k) { return k; }
inline u32 cmovk(Wave &w, u32 old, i32 k) { return w.scc() ? k : old; }
inline u32 addk(Wave &w, u32 old, i32 k) { return addSigned<i32>(w, 0, i32(old), k); }
inline u32 mulk(Wave &, u32 old, i32 k) { return old * u32(k); }

template <typename A, typename B> bool equal(A a, B b) { return a == b; }
template <typename A, typename B> bool notEqual(A a, B b) { return a != b; }
template <typename A, typename B> bool greater(A a, B b) { return a > b; }
template <typename A, typename B> bool greaterEqual(A a, B b) { return a >= b; }
template <typename A, typename B> bool less(A a, B b) { return a < b; }
template <typename A, typename B> bool lessEqual(A a, B b) { return a <= b; }
template <typename A, typename B> bool bitIsZero(A a, B b) { return !(a >> (b & (sizeof(A) * 8 - 1)) & 1); }
template <typename A, typename B> bool bitIsOne(A a, B b) { return a >> (b & (sizeof(A) * 8 - 1)) & 1; }

/// The old destination, read only if a meaning may need it; writing it back is harmless.
template <typename D> D oldValue(const Wave &w, const MicroOp *op) {
  D old;
  std::memcpy(&old, w.scalars + op->destination, sizeof(D));
  return old;
}
template <typename D> void setResult(Wave &w, const MicroOp *op, D value) {
  std::memcpy(w.scalars + op->destination, &value, sizeof(D));
}

template <typename D, typename A, D (*meaning)(Wave &, D, A)> const MicroOp *run1(Wave &w, const MicroOp *op) {
  A a = w.scalarSource<A>(op->source[0]);
  setResult<D>(w, op, meaning(w, oldValue<D>(w, op), a));
  return op + 1;
}
template <typename D, typename A, typename B, D (*meaning)(Wave &, D, A, B)>
const MicroOp *run2(Wave &w, const MicroOp *op) {
  A a = w.scalarSource<A>(op->source[0]);
  B b = w.scalarSource<B>(op->source[1]);
  setResult<D>(w, op, meaning(w, D(), a, b));
  return op + 1;
}
template <u32 (*meaning)(Wave &, u32, i32)> const MicroOp *runImmediate(Wave &w, const MicroOp *op) {
  setResult<u32>(w, op, meaning(w, oldValue<u32>(w, op), int16_t(op->immediate)));
  return op + 1;
}
template <typename A, typename B, bool (*meaning)(A, B)> const MicroOp *runCompare(Wave &w, const MicroOp *op) {
  w.setScc(meaning(w.scalarSource<A>(op->source[0]), w.scalarSource<B>(op->source[1])));
  return op + 1;
}
/// The immediate is sign-extended for signed comparisons and zero-extended for unsigned ones.
template <typename A, bool (*meaning)(A, A)> const MicroOp *runCompareImmediate(Wave &w, const MicroOp *op) {
  A k = std::is_signed_v<A> ? A(int16_t(op->immediate)) : A(uint16_t(op->immediate));
  w.setScc(meaning(w.scalarSource<A>(op->source[0]), k));
  return op + 1;
}
/// VCCZ and EXECZ as operands: updates their places in the SGPR file.
const MicroOp *scalarCondition(Wave &w, const MicroOp *op) {
  w.setScalar64(sgpr::vccz, w.scalar64(sgpr::vcc) == 0);
  w.setScalar64(sgpr::execz, w.exec() == 0);
  return op + 1;
}

} // namespace

void enterScalar(HandlerTable &table) {
#define SET(name) table[unsigned(Opcode::name)]
#define SCALAR1(name, D, A, meaning) SET(name) = run1<D, A, meaning>;
#define SCALAR2(name, D, A, B, meaning) SET(name) = run2<D, A, B, meaning>;
#define SCALARK(name, meaning) SET(name) = runImmediate<meaning>;
#define SCALARCMP(name, A, B, meaning) SET(name) = runCompare<A, B, meaning<A, B>>;
#define SCALARCMPK(name, A, meaning) SET(name) = runCompareImmediate<A, meaning<A, A>>;
#include "runtime/emulator/decode/Instructions.def"
  SET(ScalarCondition) = scalarCondition;
#undef SET
}

} // namespace nstf::emulator
