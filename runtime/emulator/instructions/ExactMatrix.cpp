// Matrix instructions, exact mode of gfx942.
//
// f16, bf16, xf32, fp8 and bf8 with the chip's sums (CutProducts-inl.h). f32, f64 and i8 forms are already exact in
// fast mode. Layouts: MatrixOperands-inl.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/ExactMatrix.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/instructions/CutProducts-inl.h"
#include "runtime/emulator/instructions/ExactMatrix.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <typename FromA, typename FromB, unsigned rows, unsigned columns, unsigned depth, unsigned blocks>
struct CutProduct {
  using L = MatrixLayout<1, rows, columns, depth, blocks>;
  static constexpr unsigned width = L::width, perLane = L::perLane;
  static constexpr unsigned count = depth < groupOf<FromA> ? depth : groupOf<FromA>;
  static constexpr bool apart = addsApart<FromA>;
  static constexpr unsigned parts = L::small ? 1 : L::parts;

  static const MicroOp *run(Wave &w, const MicroOp *op) {
    MatrixOperands<FromA, FromB, L> values;
    CutOperands<FromA, FromB, perLane, perLane> exponents;
    values.load(w, op);
    exponents.prepare(values.a, values.b);
    MatrixAddend<L> c(w, op);
    uint32_t *d = w.destination(op);
    for (unsigned k = 0; k < depth; k += count) {
      if constexpr (L::small)
        for (unsigned part = 0; part < width / chunk; ++part)
          addGroupSmall(values, exponents, c, d, k, part, std::make_integer_sequence<unsigned, 4>());
      else
        addGroup(values, exponents, c, d, k);
      c.becomes(d);
    }
    return op + 1;
  }

  static HWY_INLINE void addGroup(const auto &values, const auto &exponents, const MatrixAddend<L> &c, uint32_t *d,
                                  unsigned first) {
    for (unsigned block = 0; block < blocks; ++block)
      for (unsigned i = 0; i < rows; ++i) {
        unsigned reg, at;
        L::place(block, i, 0, reg, at);
        const uint32_t *from = c.at(reg);
        cutGroup<count, apart, parts>(
            exponents.tame,
            [&](unsigned n) {
              unsigned k = first + n;
              return F32(values.a[k % perLane][L::laneBase(rows, block, k) + i]);
            },
            [&](unsigned n, unsigned part) {
              unsigned k = first + n;
              return loadLanes(&values.b[k % perLane][L::laneBase(columns, block, k) + part * chunk]);
            },
            [&](unsigned n) {
              unsigned k = first + n;
              Exponents<parts> b;
              __builtin_memcpy(&b, &exponents.exponentsB[k % perLane][L::laneBase(columns, block, k)], sizeof(b));
              return b + Exponents<parts>(exponents.exponentsA[k % perLane][L::laneBase(rows, block, k) + i]);
            },
            [&](unsigned part) { return f32::load(from, at + part); },
            [&](unsigned part, F32 v) { f32::store(d + reg * width, at + part, v, 0xffff); });
      }
  }

  /// 4x4: a group of 16 lanes of D holds row i of four blocks.
  template <unsigned... i>
  static HWY_INLINE void addGroupSmall(const auto &values, const auto &exponents, const MatrixAddend<L> &c, uint32_t *d,
                                       unsigned first, unsigned at, std::integer_sequence<unsigned, i...>) {
    unsigned lane = at * chunk;
    (cutGroup<count, apart, 1>(
         exponents.tame, [&](unsigned n) { return ofEachFour<i>(loadLanes(&values.a[first + n][lane])); },
         [&](unsigned n, unsigned) { return loadLanes(&values.b[first + n][lane]); },
         [&](unsigned n) {
           return ofEachFour<i>(loadLanes(&exponents.exponentsA[first + n][lane])) +
                  loadLanes(&exponents.exponentsB[first + n][lane]);
         },
         [&](unsigned) { return f32::load(c.at(i), at); },
         [&](unsigned, F32 v) { f32::store(d + i * width, at, v, 0xffff); }),
     ...);
  }
};

/// Whether a form's sums are the chip's in fast mode already.
template <typename From>
constexpr bool isCut =
    std::is_same_v<typename From::Value, float> && !std::is_same_v<From, FromF32> && !std::is_same_v<From, FromI8>;

template <typename Types, unsigned rows, unsigned columns, unsigned depth, unsigned blocks>
void enter(HandlerTable &table, Opcode opcode) {
  using FromA = typename Types::FromA;
  if constexpr (isCut<FromA>)
    table[unsigned(opcode)] = CutProduct<FromA, typename Types::FromB, rows, columns, depth, blocks>::run;
}

} // namespace

void enterCutMatrixFor(HandlerTable &table) {
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  enter<matrixType::A, rows, columns, depth, blocks>(table, Opcode::name);
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "runtime/emulator/decode/Target.h"

namespace nstf::emulator {
HWY_EXPORT(enterCutMatrixFor);
void enterCutMatrix(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterCutMatrixFor)(table); }

void enterExactMatrix(HandlerTable &table, const Target &target) {
  switch (target.matrixSums) {
  case MatrixSums::Pairwise:
    return enterPairwiseMatrix(table);
  case MatrixSums::CutProducts:
    enterCutMatrix(table);
    return enterCutSparseMatrix(table);
  }
}
} // namespace nstf::emulator
#endif
