//===- Matrix.cpp - matrix instructions, fast mode ---------------------------------------------------------------===//
//
// D = A * B + C for `blocks` independent products, each element by fused multiply-adds with k ascending, starting from
// C (reference/matrix-numerics.md is what the later exact mode does). EXEC doesn't matter to them.
//
// Where elements are (n lanes hold a row; kl = rows * depth * blocks / 64 elements of k a lane):
//   A[i][k] of block b: lane i + rows * (b + blocks * (k / kl)), element k % kl of the lane's registers; B[k][j]
//   likewise by j D[i][j], 32 bits: with q = b * rows / 4 + i / 4: lane j + columns * (q % g), register 4 * (q / g) + i
//   % 4, g = 64 / columns D[i][j], 64 bits: with q = b + blocks * i: lane j + columns * (q % g), register pair q / g
// cbsz, abid: 2^cbsz neighbouring blocks all take A's block abid of them; blgp permutes the lanes of B.
// Source: AMD's matrix instruction calculator; the f64 layout: machine.md "ISA and ABI facts" 4.
//
//===-------------------------------------------------------------------------------------------------------------===//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/execute/Matrix.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/execute/Matrix.h"
#include "runtime/emulator/execute/MatrixElements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

/// The lane of B that lane i gets.
HWY_INLINE unsigned permutedLane(unsigned blgp, unsigned i) {
  switch (blgp) {
  case 1: // the first 32 lanes for all
    return i & 31;
  case 2: // the second 32
    return i | 32;
  case 3: // rotated by 16
    return (i + 16) & 63;
  case 4:
  case 5:
  case 6:
  case 7: // one of the four groups of 16 for all
    return (blgp - 4) * 16 + (i & 15);
  default:
    return i;
  }
}

/// How many rows of D are worked on together: as many as accumulators fit the host's registers.
#if HWY_TARGET <= HWY_AVX3
constexpr unsigned rowsAtOnce = 8;
#else
constexpr unsigned rowsAtOnce = 4;
#endif

template <typename FromA, typename FromB, unsigned rows, unsigned columns, unsigned depth, unsigned blocks>
struct Product {
  static constexpr unsigned width = 64;
  static constexpr unsigned perLane = rows * depth * blocks / width;
  static constexpr unsigned groups = width / columns; // rows of D side by side in a register
  using Value = typename FromA::Value;
  using V = Vector<Value>;
  static constexpr unsigned rowsOfValue = sizeof(Value) / 4;
  static constexpr unsigned results = rows * columns * blocks / width; // registers (pairs) of D

  /// Row and block that lane group `group` of register `r` of D holds.
  static constexpr unsigned rowOf(unsigned r, unsigned group) {
    if (sizeof(Value) == 8)
      return (r * groups + group) / blocks;
    return (r / 4 * groups + group) % (rows / 4) * 4 + r % 4;
  }
  static constexpr unsigned blockOf(unsigned r, unsigned group) {
    if (sizeof(Value) == 8)
      return (r * groups + group) % blocks;
    return (r / 4 * groups + group) / (rows / 4);
  }
  static constexpr unsigned laneBase(unsigned size, unsigned block, unsigned k) {
    return size * (block + blocks * (k / perLane));
  }

  static const MicroOp *run(Wave &w, const MicroOp *op) {
    unsigned cbsz = op->immediate & 7, abid = op->immediate >> 8 & 15, blgp = op->immediate >> 16 & 7;
    alignas(64) Value a[perLane][width], b[perLane][width];
    const uint32_t *rowsA = w.row(op->source[0]), *rowsB = w.row(op->source[1]);
    for (unsigned local = 0; local < perLane; ++local)
      for (unsigned c = 0; c < width / chunk; ++c) {
        V va = FromA::element(rowsA, local, c), vb = FromB::element(rowsB, local, c);
        __builtin_memcpy(&a[local][c * chunk], &va, sizeof(V));
        __builtin_memcpy(&b[local][c * chunk], &vb, sizeof(V));
      }
    bool negateC = false;
    if (sizeof(Value) == 8) {
      negateC = blgp & 4;
      for (unsigned i = 0; i < width && (blgp & 3); ++i) {
        a[0][i] = blgp & 1 ? -a[0][i] : a[0][i];
        b[0][i] = blgp & 2 ? -b[0][i] : b[0][i];
      }
    } else if (HWY_UNLIKELY(blgp)) {
      for (unsigned local = 0; local < perLane; ++local) {
        Value copy[width];
        std::memcpy(copy, b[local], sizeof(copy));
        for (unsigned i = 0; i < width; ++i)
          b[local][i] = copy[permutedLane(blgp, i)];
      }
    }
    if (HWY_UNLIKELY(cbsz)) {
      for (unsigned local = 0; local < perLane; ++local) {
        Value copy[width];
        std::memcpy(copy, a[local], sizeof(copy));
        for (unsigned block = 0; block < blocks; ++block)
          for (unsigned i = 0; i < rows; ++i) {
            unsigned from = (block & ~((1u << cbsz) - 1)) + abid;
            a[local][i + rows * block] = copy[i + rows * (from % blocks)];
          }
      }
    }

    const uint32_t *c = w.row(op->source[2]);
    uint32_t *d = w.destination(op);
    unsigned strideC = op->flags & matrixConstant ? 0 : rowsOfValue * width;
    alignas(64) uint32_t copyC[results * rowsOfValue * width];
    if (HWY_UNLIKELY(strideC && c != d && c < d + results * strideC && d < c + results * strideC)) {
      std::memcpy(copyC, c, sizeof(copyC)); // D overlaps C elsewhere
      c = copyC;
    }
    if constexpr (columns >= chunk)
      multiply(a, b, c, strideC, d, negateC);
    else
      multiplySmall(a, b, c, strideC, d, negateC);
    return op + 1;
  }

  static HWY_INLINE V addend(const uint32_t *c, unsigned part, bool negate) {
    V v;
    loadResult(c, part, v);
    return negate ? -v : v;
  }

  /// 16 lanes of D are a row of a block, or half of one.
  static HWY_INLINE void multiply(const Value (*a)[width], const Value (*b)[width], const uint32_t *c, unsigned strideC,
                                  uint32_t *d, bool negateC) {
    // Unit u: register u / 4, 16 lanes u % 4. Units that share columns and block are done together.
    constexpr unsigned perRow = columns / chunk, units = results * 4;
    constexpr unsigned together = units / perRow / blocks < rowsAtOnce ? units / perRow / blocks : rowsAtOnce;
    for (unsigned block = 0; block < blocks; ++block)
      for (unsigned part = 0; part < perRow; ++part)
        for (unsigned first = 0; first < rows; first += together) {
          V sum[together];
          unsigned reg[together], at[together];
          for (unsigned n = 0; n < together; ++n) {
            place(block, first + n, part, reg[n], at[n]);
            sum[n] = addend(c + reg[n] * strideC, at[n], negateC);
          }
          for (unsigned k = 0; k < depth; ++k) {
            V row;
            __builtin_memcpy(&row, &b[k % perLane][laneBase(columns, block, k) + part * chunk], sizeof(V));
            const Value *column = &a[k % perLane][laneBase(rows, block, k) + first];
            for (unsigned n = 0; n < together; ++n)
              sum[n] = multiplyAdd(V(column[n]), row, sum[n]);
          }
          for (unsigned n = 0; n < together; ++n)
            storeResult(d + reg[n] * rowsOfValue * width, at[n], oneNan(sum[n]));
        }
  }
  /// Register and 16-lane part of D that hold part `part` of row i of a block.
  static HWY_INLINE void place(unsigned block, unsigned i, unsigned part, unsigned &reg, unsigned &at) {
    unsigned q = sizeof(Value) == 8 ? block + blocks * i : block * (rows / 4) + i / 4;
    reg = sizeof(Value) == 8 ? q / groups : q / groups * 4 + i % 4;
    at = q % groups * (columns / chunk) + part;
  }

  /// Blocks narrower than 16 lanes (4x4): lane by lane.
  static HWY_INLINE void multiplySmall(const Value (*a)[width], const Value (*b)[width], const uint32_t *c,
                                       unsigned strideC, uint32_t *d, bool negateC) {
    for (unsigned r = 0; r < results; ++r)
      for (unsigned part = 0; part < width / chunk; ++part) {
        V sum = addend(c + r * strideC, part, negateC);
        for (unsigned k = 0; k < depth; ++k) {
          V x, y;
          for (unsigned l = 0; l < chunk; ++l) {
            unsigned lane = part * chunk + l, group = lane / columns, j = lane % columns;
            x[l] = a[k % perLane][laneBase(rows, blockOf(r, group), k) + rowOf(r, group)];
            y[l] = b[k % perLane][laneBase(columns, blockOf(r, group), k) + j];
          }
          sum = multiplyAdd(x, y, sum);
        }
        storeResult(d + r * rowsOfValue * width, part, oneNan(sum));
      }
  }
};

} // namespace

void enterMatrixFor(HandlerTable &table) {
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  table[unsigned(Opcode::name)] =                                                                                      \
      Product<matrixType::A::FromA, matrixType::A::FromB, rows, columns, depth, blocks>::run;
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
