// v_smfmac.
//
// D = A * B + D, where only two of every four consecutive elements in a row of A are stored. A lane holds rows * depth
// / 128 elements of A. For each, two bits in the index register say which of the four it is, and thus which row of B it
// is multiplied with. With cbsz 0, abid selects a lane's set of index bits (8 bits for 16-bit elements, 16 for 8-bit
// ones); otherwise it is the first set. The layouts of B and D are those of the dense forms (MatrixOperands-inl.h).
// Source: "CDNA3 Instruction Set Architecture", "Sparse matrix instructions"; AMD's matrix instruction calculator.
//
// Fast mode: fused multiply-adds in the order of A's elements. Exact mode: the stored elements are summed as in the
// dense form of half the depth. The published model of gfx942 does not cover sparse forms, so this is not known to be
// the chip's result (Fidelity.h).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/SparseMatrix.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/CutProducts-inl.h"
#include "runtime/emulator/instructions/ExactMatrix.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <typename D, typename FromA, typename FromB, unsigned rows, unsigned columns, unsigned depth>
struct SparseProduct {
  static constexpr unsigned width = Wave::width, parts = columns / chunk, products = depth / 2;
  static constexpr unsigned perLaneB = columns * depth / width, perLaneA = perLaneB / 2;
  static constexpr unsigned groups = width / columns;
  static_assert(rows == columns);

  struct Operands {
    alignas(64) float a[perLaneA][width];
    alignas(64) float b[perLaneB][width];
    alignas(64) uint32_t index[width];

    HWY_INLINE void load(const Wave &w, const MicroOp *op) {
      unpack<FromA, perLaneA>(a, w.row(op->source[0]));
      unpack<FromB, perLaneB>(b, w.row(op->source[1]));
      unsigned cbsz = op->immediate & 7, abid = op->immediate >> 8 & 15, shift = cbsz ? 0 : abid * 2 * perLaneA % 32;
      const uint32_t *from = w.row(op->source[3]);
      for (unsigned i = 0; i < width; ++i)
        index[i] = from[i] >> shift;
    }
  };
  template <typename From, unsigned count> static HWY_INLINE void unpack(float (*to)[width], const uint32_t *from) {
    for (unsigned local = 0; local < count; ++local)
      for (unsigned c = 0; c < width / chunk; ++c) {
        F32 v = From::element(from, local, c);
        __builtin_memcpy(&to[local][c * chunk], &v, sizeof(v));
      }
  }
  /// For the n-th product of row i: A's element and lane; B's first lane and element.
  static constexpr unsigned elementA(unsigned n) { return n % perLaneA; }
  static constexpr unsigned laneA(unsigned n, unsigned i) { return i + rows * (n / perLaneA); }
  static HWY_INLINE unsigned elementB(const Operands &from, unsigned n, unsigned i) {
    return elementA(n) / 2 * 4 + (from.index[laneA(n, i)] >> 2 * elementA(n) & 3);
  }
  static constexpr unsigned laneB(unsigned n) { return columns * (n / perLaneA); }
  /// Row i of D: its register, and the first of its 16-lane parts.
  static constexpr unsigned registerOf(unsigned i) { return i / 4 / groups * 4 + i % 4; }
  static constexpr unsigned partOfRow(unsigned i) { return i / 4 % groups * parts; }

  static const MicroOp *runFast(Wave &w, const MicroOp *op) {
    Operands operands;
    operands.load(w, op);
    uint32_t *d = w.destination(op);
#pragma clang loop unroll(disable)
    for (unsigned first = 0; first < rows; first += 4) { // rows of adjacent registers
      const float *rowsB[products][4];
      for (unsigned n = 0; n < products; ++n)
        for (unsigned r = 0; r < 4; ++r)
          rowsB[n][r] = &operands.b[elementB(operands, n, first + r)][laneB(n)];
      for (unsigned part = 0; part < parts; ++part) {
        unsigned at = partOfRow(first) + part;
        uint32_t *reg[4];
        F32 sum[4];
        for (unsigned r = 0; r < 4; ++r) {
          reg[r] = d + registerOf(first + r) * width;
          sum[r] = std::is_same_v<D, i32> ? F32(0) : f32::load(reg[r], at);
        }
        for (unsigned n = 0; n < products; ++n)
          for (unsigned r = 0; r < 4; ++r)
            sum[r] = multiplyAdd(F32(operands.a[elementA(n)][laneA(n, first + r)]),
                                 loadLanes(rowsB[n][r] + part * chunk), sum[r]);
        if constexpr (!std::is_same_v<D, i32>)
          oneNanAll(sum);
        for (unsigned r = 0; r < 4; ++r)
          if constexpr (std::is_same_v<D, i32>) // the sum of products is exact in f32
            storeRow(reg[r], at, loadRow(reg[r], at) + bitsAs<U32>(convertTo<I32>(sum[r])), 0xffff);
          else
            f32::store(reg[r], at, sum[r], 0xffff);
      }
    }
    return op + 1;
  }

  static const MicroOp *runExact(Wave &w, const MicroOp *op) {
    constexpr unsigned count = products < groupOf<FromA> ? products : groupOf<FromA>;
    Operands operands;
    CutOperands<FromA, FromB, perLaneA, perLaneB> exponents;
    operands.load(w, op);
    exponents.prepare(operands.a, operands.b);
    uint32_t *d = w.destination(op);
    for (unsigned first = 0; first < products; first += count)
      for (unsigned i = 0; i < rows; ++i) {
        uint32_t *reg = d + registerOf(i) * width;
        unsigned at = partOfRow(i), elements[count];
        for (unsigned n = 0; n < count; ++n)
          elements[n] = elementB(operands, first + n, i);
        cutGroup<count, addsApart<FromA>, parts>(
            exponents.tame, [&](unsigned n) { return F32(operands.a[elementA(first + n)][laneA(first + n, i)]); },
            [&](unsigned n, unsigned part) {
              return loadLanes(&operands.b[elements[n]][laneB(first + n) + part * chunk]);
            },
            [&](unsigned n) {
              Exponents<parts> b;
              __builtin_memcpy(&b, &exponents.exponentsB[elements[n]][laneB(first + n)], sizeof(b));
              return b + Exponents<parts>(exponents.exponentsA[elementA(first + n)][laneA(first + n, i)]);
            },
            [&](unsigned part) { return f32::load(reg, at + part); },
            [&](unsigned part, F32 v) { f32::store(reg, at + part, v, 0xffff); });
      }
    return op + 1;
  }
};

} // namespace

void enterSparseMatrixFor(HandlerTable &table) {
#define SPARSE(name, D, A, rows, columns, depth)                                                                       \
  table[unsigned(Opcode::name)] =                                                                                      \
      SparseProduct<D, matrixType::A::FromA, matrixType::A::FromB, rows, columns, depth>::runFast;
#include "runtime/emulator/decode/Instructions.def"
}
void enterCutSparseMatrixFor(HandlerTable &table) {
#define SPARSE(name, D, A, rows, columns, depth)                                                                       \
  if constexpr (!std::is_same_v<D, i32>)                                                                               \
    table[unsigned(Opcode::name)] =                                                                                    \
        SparseProduct<D, matrixType::A::FromA, matrixType::A::FromB, rows, columns, depth>::runExact;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterSparseMatrixFor);
HWY_EXPORT(enterCutSparseMatrixFor);
void enterSparseMatrix(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterSparseMatrixFor)(table); }
void enterCutSparseMatrix(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterCutSparseMatrixFor)(table); }
} // namespace nstf::emulator
#endif
