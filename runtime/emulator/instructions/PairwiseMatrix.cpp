// Matrix instructions, exact mode of gfx90a.
//
// f16, bf16_1k: groups of 4 products; the older bf16 forms: groups of 2. Subnormal elements of A, B and C become +0.
// The products of a group are rounded to f32 and added as a balanced tree. Each step is rounded to nearest even, and
// subnormal results are flushed with their sign; then C := C + group in the same way. Source: the published
// bit-accurate model of these units (Xie et al., arXiv 2511.10909).
//
// Products of tame elements (between 2^-30 and 2^31: all f16 ones) are exact in f32, so p0 + p1 is one fused
// multiply-add. No step then has a subnormal result: products and their sums are multiples of 2^-74, and a C that such
// a sum cancels has its last bit above 2^-126. Otherwise (bf16 only) every step is computed separately.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/PairwiseMatrix.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/ExactMatrix.h"
#include "runtime/emulator/instructions/MatrixOperands-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

/// The type's smallest normal number.
template <typename From> constexpr float smallestNormal = 0x1p-126f;
template <> inline constexpr float smallestNormal<FromF16> = 0x1p-14f;

/// Subnormals become +0.
template <typename From> HWY_INLINE F32 withoutSubnormals(F32 v) {
  return choose(__builtin_elementwise_abs(v) < smallestNormal<From>, F32(0), v);
}
HWY_INLINE F32 flushed(F32 v) {
  F32 zero = bitsAs<F32>(bitsAs<U32>(v) & 0x80000000u);
  return choose(__builtin_elementwise_abs(v) < 0x1p-126f, zero, v);
}

/// Flushes subnormals in the elements of 64 lanes; ands to `tame` whether all are tame.
template <typename From> HWY_INLINE void flushElements(float *values, bool &tame) {
  I32 wild = 0;
  for (unsigned c = 0; c < Wave::width / chunk; ++c) {
    F32 v = withoutSubnormals<From>(loadLanes(values + c * chunk)), magnitude = __builtin_elementwise_abs(v);
    wild |= ~((magnitude >= 0x1p-30f) & (magnitude < 0x1p31f)) & (magnitude != 0.0f);
    __builtin_memcpy(values + c * chunk, &v, sizeof(v));
  }
  if (!std::is_same_v<From, FromF16>) // the fused additions also handle infinities and NaN
    tame &= !any(wild != 0);
}

/// A group of `count` products; a(k) and b(k) return the values.
template <unsigned count> HWY_INLINE F32 sumOfGroup(bool tame, auto a, auto b) {
  F32 sums[count / 2];
  for (unsigned n = 0; n < count / 2; ++n) {
    unsigned k = 2 * n;
    sums[n] = tame ? multiplyAdd(a(k + 1), b(k + 1), a(k) * b(k))
                   : flushed(flushed(a(k) * b(k)) + flushed(a(k + 1) * b(k + 1)));
  }
  if constexpr (count == 2)
    return sums[0];
  else
    return tame ? sums[0] + sums[1] : flushed(sums[0] + sums[1]);
}

template <typename From, unsigned count, unsigned rows, unsigned columns, unsigned depth, unsigned blocks>
struct PairwiseProduct {
  using L = MatrixLayout<1, rows, columns, depth, blocks>;
  using Operands = MatrixOperands<From, From, L>;
  static constexpr unsigned width = L::width, perLane = L::perLane;

  static const MicroOp *run(Wave &w, const MicroOp *op) {
    Operands operands;
    operands.load(w, op);
    bool tame = true;
    for (unsigned local = 0; local < perLane; ++local) {
      flushElements<From>(operands.a[local], tame);
      flushElements<From>(operands.b[local], tame);
    }
    MatrixAddend<L> c(w, op);
    if constexpr (std::is_same_v<From, FromF16>)
      multiply<true>(operands, c, w.destination(op));
    else
      tame ? multiply<true>(operands, c, w.destination(op)) : multiply<false>(operands, c, w.destination(op));
    return op + 1;
  }

  template <bool tame> static HWY_INLINE void multiply(const Operands &from, const MatrixAddend<L> &c, uint32_t *d) {
    if constexpr (L::small)
      for (unsigned part = 0; part < width / chunk; ++part)
        multiplySmall<tame>(from, c, d, part, std::make_integer_sequence<unsigned, 4>());
    else
      multiplyRows<tame>(from, c, d);
  }

  /// Rows that share the columns are computed together, as many as keep the host's adders busy.
  template <bool tame>
  static HWY_INLINE void multiplyRows(const Operands &from, const MatrixAddend<L> &c, uint32_t *d) {
    constexpr unsigned together = 4;
    for (unsigned block = 0; block < blocks; ++block)
      for (unsigned part = 0; part < L::parts; ++part)
#pragma clang loop unroll(disable) // else the compiler broadcasts, and spills, all of A before the loop
        for (unsigned i = 0; i < rows; i += together) {
          unsigned reg[together], at[together];
          F32 sum[together];
          for (unsigned n = 0; n < together; ++n) {
            L::place(block, i + n, part, reg[n], at[n]);
            sum[n] = withoutSubnormals<FromF32>(f32::load(c.at(reg[n]), at[n]));
          }
          for (unsigned first = 0; first < depth; first += count)
            for (unsigned n = 0; n < together; ++n)
              add<tame>(
                  sum[n],
                  [&](unsigned k) {
                    return F32(from.a[(first + k) % perLane][L::laneBase(rows, block, first + k) + i + n]);
                  },
                  [&](unsigned k) {
                    return loadLanes(
                        &from.b[(first + k) % perLane][L::laneBase(columns, block, first + k) + part * chunk]);
                  });
          oneNanAll(sum);
          for (unsigned n = 0; n < together; ++n)
            f32::store(d + reg[n] * width, at[n], sum[n], 0xffff);
        }
  }

  /// 4x4: a group of 16 lanes of D holds row i of four blocks.
  template <bool tame, unsigned... i>
  static HWY_INLINE void multiplySmall(const Operands &from, const MatrixAddend<L> &c, uint32_t *d, unsigned at,
                                       std::integer_sequence<unsigned, i...>) {
    F32 sum[4] = {withoutSubnormals<FromF32>(f32::load(c.at(i), at))...};
    for (unsigned first = 0; first < depth; first += count)
      (add<tame>(
           sum[i], [&](unsigned k) { return ofEachFour<i>(loadLanes(&from.a[first + k][at * chunk])); },
           [&](unsigned k) { return loadLanes(&from.b[first + k][at * chunk]); }),
       ...);
    oneNanAll(sum);
    (f32::store(d + i * width, at, sum[i], 0xffff), ...);
  }

  template <bool tame> static HWY_INLINE void add(F32 &sum, auto a, auto b) {
    sum += sumOfGroup<count>(tame, a, b);
    if (!tame)
      sum = flushed(sum);
  }
};

constexpr unsigned pairwiseGroup(std::string_view name) {
  return name.find("BF16") != name.npos && !name.ends_with("_1K") ? 2 : 4;
}

template <typename Types, unsigned count, unsigned rows, unsigned columns, unsigned depth, unsigned blocks>
void enter(HandlerTable &table, Opcode opcode) {
  using From = typename Types::FromA;
  if constexpr (std::is_same_v<From, FromF16> || std::is_same_v<From, FromBf16>)
    table[unsigned(opcode)] = PairwiseProduct<From, count, rows, columns, depth, blocks>::run;
}

} // namespace

void enterPairwiseMatrixFor(HandlerTable &table) {
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  enter<matrixType::A, pairwiseGroup(#name), rows, columns, depth, blocks>(table, Opcode::name);
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterPairwiseMatrixFor);
void enterPairwiseMatrix(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterPairwiseMatrixFor)(table); }
} // namespace nstf::emulator
#endif
