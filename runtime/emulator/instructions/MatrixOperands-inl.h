// Places of the elements of matrix instructions.
//
// Layout (n lanes hold a row; kl = rows * depth * blocks / 64 elements of k a lane):
//   A[i][k] of block b: lane i + rows * (b + blocks * (k / kl)), element k % kl of the lane's registers; B[k][j]
//   likewise by j
//   D[i][j], 32 bits: with q = b * rows / 4 + i / 4: lane j + columns * (q % g), register 4 * (q / g) + i % 4,
//   g = 64 / columns
//   D[i][j], 64 bits: with q = b + blocks * i: lane j + columns * (q % g), register pair q / g
// cbsz, abid: all of 2^cbsz neighbouring blocks use A's block number abid among them; blgp permutes the lanes of B, or
// negates A, B and C of f64 forms.
// Source: AMD's matrix instruction calculator.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXOPERANDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXOPERANDS_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXOPERANDS_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIXOPERANDS_INL_H
#endif

#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/MatrixElements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

/// Shape of a form; `words`: registers of an element of D.
template <unsigned W, unsigned R, unsigned C, unsigned D, unsigned B> struct MatrixLayout {
  static constexpr unsigned words = W, rows = R, columns = C, depth = D, blocks = B;
  static constexpr unsigned width = Wave::width;
  static constexpr unsigned perLane = rows * depth * blocks / width;
  static constexpr unsigned groups = width / columns;                  // rows of D side by side in a register
  static constexpr unsigned results = rows * columns * blocks / width; // registers (pairs) of D
  static constexpr unsigned parts = columns / chunk;                   // groups of 16 lanes in a row of D
  /// Blocks with less than 16 columns: 16 lanes of D belong to several blocks or rows.
  static constexpr bool small = columns < chunk;

  /// First lane of row 0 of A (column 0 of B) in a block at depth k.
  static constexpr unsigned laneBase(unsigned size, unsigned block, unsigned k) {
    return size * (block + blocks * (k / perLane));
  }
  /// Register and 16-lane part of D that hold part `part` of row i of a block.
  static constexpr void place(unsigned block, unsigned i, unsigned part, unsigned &reg, unsigned &at) {
    unsigned q = words == 2 ? block + blocks * i : block * (rows / 4) + i / 4;
    reg = words == 2 ? q / groups : q / groups * 4 + i % 4;
    at = q % groups * parts + part;
  }
};

/// The 16 lanes of B that each group of 16 lanes gets, by blgp: the first or second 32 for both halves; all rotated by
/// 16; one group of 16 for all.
constexpr uint8_t lanePatterns[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                        {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};

/// The elements of A and B in the type of the multiplication: [element of the lane][lane].
template <typename FromA, typename FromB, typename Layout> struct MatrixOperands {
  static constexpr unsigned width = Layout::width, perLane = Layout::perLane;
  using Value = typename FromA::Value;
  alignas(64) Value a[perLane][width];
  alignas(64) Value b[perLane][width];

  HWY_INLINE void load(const Wave &w, const MicroOp *op) {
    using V = Vector<Value>;
    const uint32_t *rowsA = w.row(op->source[0]), *rowsB = w.row(op->source[1]);
    for (unsigned local = 0; local < perLane; ++local)
      for (unsigned c = 0; c < width / chunk; ++c) {
        V va = FromA::element(rowsA, local, c), vb = FromB::element(rowsB, local, c);
        __builtin_memcpy(&a[local][c * chunk], &va, sizeof(V));
        __builtin_memcpy(&b[local][c * chunk], &vb, sizeof(V));
      }
    if (HWY_UNLIKELY(op->immediate))
      rearrange(op);
  }

private:
  HWY_NOINLINE void rearrange(const MicroOp *op) {
    unsigned cbsz = op->immediate & 7, abid = op->immediate >> 8 & 15, blgp = op->immediate >> 16 & 7;
    if constexpr (sizeof(Value) == 8) {
      for (unsigned i = 0; i < width && (blgp & 3); ++i) {
        a[0][i] = blgp & 1 ? -a[0][i] : a[0][i];
        b[0][i] = blgp & 2 ? -b[0][i] : b[0][i];
      }
      blgp = 0;
    }
    Value copy[width];
    for (unsigned local = 0; local < perLane && blgp; ++local) {
      std::memcpy(copy, b[local], sizeof(copy));
      for (unsigned group = 0; group < 4; ++group)
        std::memcpy(&b[local][group * 16], &copy[lanePatterns[blgp][group] * 16], 16 * sizeof(Value));
    }
    for (unsigned local = 0; local < perLane && cbsz; ++local) {
      std::memcpy(copy, a[local], sizeof(copy));
      for (unsigned block = 0; block < Layout::blocks; ++block) {
        unsigned from = ((block & ~((1u << cbsz) - 1)) + abid) % Layout::blocks;
        std::memcpy(&a[local][Layout::rows * block], &copy[Layout::rows * from], Layout::rows * sizeof(Value));
      }
    }
  }
};

/// C, which is read while D is written: a copy if D overlaps it at another place than its own.
template <typename Layout> class MatrixAddend {
public:
  static constexpr unsigned words = Layout::words * Layout::width;
  HWY_INLINE MatrixAddend(Wave &w, const MicroOp *op)
      : rows(w.row(op->source[2])), stride(op->flags & matrixConstant ? 0 : words) {
    const uint32_t *d = w.destination(op);
    if (HWY_UNLIKELY(stride && rows != d && rows < d + Layout::results * words && d < rows + Layout::results * words)) {
      std::memcpy(copy, rows, sizeof(copy));
      rows = copy;
    }
  }
  HWY_INLINE const uint32_t *at(unsigned reg) const { return rows + reg * stride; }
  /// Continues with D as the addend.
  HWY_INLINE void becomes(const uint32_t *d) { rows = d, stride = words; }

private:
  const uint32_t *rows;
  unsigned stride;
  alignas(64) uint32_t copy[Layout::results * words];
};

/// Broadcasts element i of each four lanes to all four of them.
template <unsigned i, typename V> HWY_INLINE V ofEachFour(V v) {
  return __builtin_shufflevector(v, v, i, i, i, i, 4 + i, 4 + i, 4 + i, 4 + i, 8 + i, 8 + i, 8 + i, 8 + i, 12 + i,
                                 12 + i, 12 + i, 12 + i);
}

template <typename T> HWY_INLINE Vector<T> loadLanes(const T *from) {
  Vector<T> v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
