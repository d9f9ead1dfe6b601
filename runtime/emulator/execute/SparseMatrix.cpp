//===- SparseMatrix.cpp - v_smfmac, fast mode --------------------------------------------------------------------===//
//
// D = A * B + D, where of every four consecutive elements of a row of A only two are there. A lane holds rows * depth /
// 128 elements of A; two bits for each in the index register say which of the four it is, so which row of B it meets.
// With cbsz 0, abid picks a lane's set of index bits (8 bits for 16-bit elements, 16 for 8-bit ones), else it is the
// first. B and D lie as in the dense forms (Matrix.cpp). Source: "CDNA3 Instruction Set Architecture", "Sparse matrix
// instructions".
//
//===-------------------------------------------------------------------------------------------------------------===//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/execute/SparseMatrix.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/execute/MatrixElements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <typename FromA, typename FromB, unsigned rows, unsigned columns, unsigned depth> struct SparseProduct {
  static constexpr unsigned width = 64;
  static constexpr unsigned perLaneB = columns * depth / width, perLaneA = perLaneB / 2;
  static constexpr unsigned groups = width / columns;
  using Value = typename FromA::Value;
  using V = Vector<Value>;

  static const MicroOp *run(Wave &w, const MicroOp *op) {
    unsigned cbsz = op->immediate & 7, abid = op->immediate >> 8 & 15;
    constexpr unsigned indexBits = 2 * perLaneA;
    unsigned shift = cbsz == 0 ? abid * indexBits % 32 : 0;
    alignas(64) Value a[perLaneA][width], b[perLaneB][width];
    unpack<FromA, perLaneA>(a, w.row(op->source[0]));
    unpack<FromB, perLaneB>(b, w.row(op->source[1]));
    const uint32_t *index = w.row(op->source[3]);
    uint32_t *d = w.destination(op);
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned part = 0; part < columns / chunk; ++part) {
        uint32_t *reg = d + (i / 4 / groups * 4 + i % 4) * width;
        unsigned at = i / 4 % groups * (columns / chunk) + part;
        V sum;
        loadResult(reg, at, sum);
        for (unsigned group = 0; group < width / rows; ++group) {
          unsigned lane = i + rows * group;
          for (unsigned e = 0; e < perLaneA; ++e) {
            unsigned k = perLaneB * group + e / 2 * 4 + (index[lane] >> (shift + 2 * e) & 3);
            V row;
            __builtin_memcpy(&row, &b[k % perLaneB][columns * (k / perLaneB) + part * chunk], sizeof(V));
            sum = multiplyAdd(V(a[e][lane]), row, sum);
          }
        }
        storeResult(reg, at, oneNan(sum));
      }
    return op + 1;
  }

  template <typename From, unsigned count> static HWY_INLINE void unpack(Value (*to)[width], const uint32_t *from) {
    for (unsigned local = 0; local < count; ++local)
      for (unsigned c = 0; c < width / chunk; ++c) {
        V v = From::element(from, local, c);
        __builtin_memcpy(&to[local][c * chunk], &v, sizeof(V));
      }
  }
};

} // namespace

void enterSparseMatrixFor(HandlerTable &table) {
#define SPARSE(name, D, A, rows, columns, depth)                                                                       \
  table[unsigned(Opcode::name)] = SparseProduct<matrixType::A::FromA, matrixType::A::FromB, rows, columns, depth>::run;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterSparseMatrixFor);
void enterSparseMatrix(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterSparseMatrixFor)(table); }
} // namespace nstf::emulator
#endif
