// Matrix instructions, fast mode.
//
// D = A * B + C for `blocks` independent products, each element by fused multiply-adds in its own precision with
// ascending k, starting from C. The chips do the same for f32 and f64 and nearly the same for the smaller float types
// (Fidelity.h gives the bounds; ExactMatrix.cpp computes the chip's sums). Subnormal elements and results are kept for
// all chips. i8 forms add the products exactly and C modulo 2^32. EXEC has no effect.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/Matrix.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/MatrixOperands-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

/// Number of rows of D that are computed together: as many as have accumulators in the host's registers.
#if HWY_TARGET <= HWY_AVX3
constexpr unsigned rowsAtOnce = 8;
#else
constexpr unsigned rowsAtOnce = 4;
#endif

/// How the sum for an element of D begins and ends, by D's type: `begin` returns its first value, and `end` stores the
/// result.
template <typename D> struct Chain {
  using V = typename D::V;
  static HWY_INLINE V begin(const uint32_t *c, unsigned part, bool negate) {
    V v = D::load(c, part);
    return negate ? -v : v;
  }
  static HWY_INLINE void end(uint32_t *d, const uint32_t *, unsigned part, V sum) { D::store(d, part, sum, 0xffff); }
};
template <> struct Chain<i32> {
  static HWY_INLINE F32 begin(const uint32_t *, unsigned, bool) { return F32(0); }
  static HWY_INLINE void end(uint32_t *d, const uint32_t *c, unsigned part, F32 sum) {
    storeRow(d, part, loadRow(c, part) + bitsAs<U32>(convertTo<I32>(sum)), 0xffff);
  }
};

template <typename D, typename FromA, typename FromB, unsigned rows, unsigned columns, unsigned depth, unsigned blocks>
struct Product {
  using L = MatrixLayout<sizeof(typename D::Scalar) / 4, rows, columns, depth, blocks>;
  using Operands = MatrixOperands<FromA, FromB, L>;
  using Value = typename FromA::Value;
  using V = Vector<Value>;
  static constexpr unsigned width = L::width, perLane = L::perLane, words = L::words * width;

  static const MicroOp *run(Wave &w, const MicroOp *op) {
    Operands operands;
    operands.load(w, op);
    bool negateC = sizeof(Value) == 8 && (op->immediate >> 16 & 4);
    MatrixAddend<L> c(w, op);
    if constexpr (L::small)
      multiplySmall(operands, c, w.destination(op), negateC, std::make_integer_sequence<unsigned, 4>());
    else
      multiply(operands, c, w.destination(op), negateC);
    return op + 1;
  }

  /// 16 lanes of D are a row of a block, or half of one: rows that share the columns are computed together.
  static HWY_INLINE void multiply(const Operands &from, const MatrixAddend<L> &c, uint32_t *d, bool negateC) {
    constexpr unsigned together = rows < rowsAtOnce ? rows : rowsAtOnce;
    for (unsigned block = 0; block < blocks; ++block)
      for (unsigned part = 0; part < L::parts; ++part)
#pragma clang loop unroll(disable) // else the compiler broadcasts, and spills, all of A before the loop
        for (unsigned first = 0; first < rows; first += together) {
          V sum[together];
          unsigned reg[together], at[together];
          for (unsigned n = 0; n < together; ++n) {
            L::place(block, first + n, part, reg[n], at[n]);
            sum[n] = Chain<D>::begin(c.at(reg[n]), at[n], negateC);
          }
          for (unsigned k = 0; k < depth; ++k) {
            V row = loadLanes(&from.b[k % perLane][L::laneBase(columns, block, k) + part * chunk]);
            const Value *column = &from.a[k % perLane][L::laneBase(rows, block, k) + first];
            for (unsigned n = 0; n < together; ++n)
              sum[n] = multiplyAdd(V(column[n]), row, sum[n]);
          }
          oneNanAll(sum);
          for (unsigned n = 0; n < together; ++n)
            Chain<D>::end(d + reg[n] * words, c.at(reg[n]), at[n], sum[n]);
        }
  }

  /// 4x4: register i of D holds row i of all blocks, and each group of 16 lanes those of four blocks. With f64 one
  /// register holds all of D, and its i-th group of 16 lanes holds row i.
  template <unsigned... i>
  static HWY_INLINE void multiplySmall(const Operands &from, const MatrixAddend<L> &c, uint32_t *d, bool negateC,
                                       std::integer_sequence<unsigned, i...>) {
    if constexpr (L::words == 2)
      (multiplyRow<i>(from, c, d, i, negateC), ...);
    else
      for (unsigned part = 0; part < width / chunk; ++part)
        (multiplyRow<i>(from, c, d, part, negateC), ...);
  }
  template <unsigned i>
  static HWY_INLINE void multiplyRow(const Operands &from, const MatrixAddend<L> &c, uint32_t *d, unsigned part,
                                     bool negateC) {
    constexpr unsigned reg = L::words == 2 ? 0 : i;
    V sum = Chain<D>::begin(c.at(reg), part, negateC);
    for (unsigned k = 0; k < depth; ++k) {
      unsigned local = k % perLane, lane = (L::words == 2 ? k : part) * chunk;
      sum = multiplyAdd(ofEachFour<i>(loadLanes(&from.a[local][lane])), loadLanes(&from.b[local][lane]), sum);
    }
    Chain<D>::end(d + reg * words, c.at(reg), part, oneNan(sum));
  }
};

} // namespace

void enterMatrixFor(HandlerTable &table) {
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  table[unsigned(Opcode::name)] =                                                                                      \
      Product<D, matrixType::A::FromA, matrixType::A::FromB, rows, columns, depth, blocks>::run;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterMatrixFor);
void enterMatrix(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterMatrixFor)(table); }
} // namespace nstf::emulator
#endif
