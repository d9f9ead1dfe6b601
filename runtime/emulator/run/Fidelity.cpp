#include "runtime/emulator/run/Fidelity.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/run/Statistics.h"

#include <algorithm>
#include <optional>

namespace nstf::emulator {
namespace {

/// Types of A and B, as named in Instructions.def.
enum class MatrixType { f32, xf32, f16, bf16, i8, f64, FP8_FP8, FP8_BF8, BF8_FP8, BF8_BF8 };
struct MatrixShape {
  MatrixType type;
  unsigned depth;
  bool sparse;
};

std::optional<MatrixShape> shapeOf(Opcode opcode) {
  switch (opcode) {
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  case Opcode::name:                                                                                                   \
    return MatrixShape{MatrixType::A, depth, false};
#define SPARSE(name, D, A, rows, columns, depth)                                                                       \
  case Opcode::name:                                                                                                   \
    return MatrixShape{MatrixType::A, depth / 2, true};
#include "runtime/emulator/decode/Instructions.def"
  default:
    return std::nullopt;
  }
}

/// The max difference between a fused chain of K steps and the chip's sum. Each rounding or cut is at most 2^-24 of the
/// sum of magnitudes; a chain has K of them, the chip at most 2 K (three per group and one per product).
Fidelity fidelityOfMatrix(const MatrixShape &shape, MatrixMode mode, const Target &target) {
  if (shape.type == MatrixType::f32 || shape.type == MatrixType::f64 || shape.type == MatrixType::i8)
    return {};
  if (mode == MatrixMode::Exact && !shape.sparse)
    return {};
  bool cutsProducts = target.matrixSums == MatrixSums::CutProducts;
  std::string bound = std::to_string(3 * shape.depth) + " * 2^-24 * (|C| + sum of |a * b|)";
  if (cutsProducts) // zeros and subnormals count with the smallest normal's exponent, which determines the cut
    bound += ", elements below the smallest normal number counted as that";
  else
    bound += " and what subnormal elements and sums contribute";
  std::string why;
  if (mode == MatrixMode::Exact)
    why = "computed as the dense form of the selected elements; the published model doesn't cover sparse forms";
  else if (cutsProducts)
    why = "fast mode: a chain of f32 fused multiply-adds; the chip cuts products at the largest one's exponent";
  else
    why = "fast mode: a chain of f32 fused multiply-adds; the chip adds products pairwise and flushes subnormals";
  return {false, bound, why};
}

} // namespace

Fidelity getFidelity(Opcode opcode, MatrixMode matrix, const Target &target) {
  switch (opcode) {
#define APPROXIMATE(name, bound, why)                                                                                  \
  case Opcode::name:                                                                                                   \
    return {false, bound, why};
#include "runtime/emulator/run/Fidelity.def"
  default:
    if (std::optional<MatrixShape> shape = shapeOf(opcode))
      return fidelityOfMatrix(*shape, matrix, target);
    return {};
  }
}

std::vector<FidelityRow> getFidelity(const ExecutionStatistics &statistics, MatrixMode matrix, const Target &target) {
  std::vector<FidelityRow> rows;
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i)
    if (uint64_t count = statistics.executed[i])
      rows.push_back({Opcode(i), getMnemonic(Opcode(i)), count, getFidelity(Opcode(i), matrix, target)});
  std::stable_sort(rows.begin(), rows.end(), [](const FidelityRow &a, const FidelityRow &b) {
    return a.fidelity.exact != b.fidelity.exact ? b.fidelity.exact : a.count > b.count;
  });
  return rows;
}

} // namespace nstf::emulator
