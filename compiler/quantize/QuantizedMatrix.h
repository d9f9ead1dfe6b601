// A matrix whose planes are made as they are written, row by row, so that no more than a few are in memory: of numbers
// that are rounded, or of a checkpoint's codes.
#pragma once

#include "compiler/quantize/Formats.h"
#include "dialects/nstf/NSTF.h"

#include <functional>
#include <optional>
#include <string>

namespace nstf::quantize {

class QuantizedMatrix {
public:
  /// Gives a row; may be called from several threads. Throws std::runtime_error where the format can't hold it.
  using ReadRow = std::function<CodedRow(int64_t row)>;

  /// `order`: the inputs that its columns are, for its plane of them; empty: one by one.
  QuantizedMatrix(std::string name, Format format, int64_t rows, ReadRow readRow, std::vector<int32_t> order = {})
      : name(std::move(name)), format(format), rows(rows), readRow(std::move(readRow)), order(std::move(order)) {}

  /// Writes a row of a plane. May be called from several threads. Throws std::runtime_error where the matrix has
  /// numbers that the format cannot hold.
  void fillRow(Plane plane, int64_t row, std::span<std::byte> to) const;

private:
  std::string name;
  Format format;
  int64_t rows;
  ReadRow readRow;
  std::vector<int32_t> order;
};

/// The matrix of a weight that is a plane: of the numbers of a seed, or of those or the codes in its file. Nothing
/// where there is neither. Throws std::runtime_error where the file can't be read or is too short.
std::optional<QuantizedMatrix> openMatrix(PlaneSourceAttr plane, std::optional<uint64_t> randomSeed);
Plane getPlane(PlaneSourceAttr plane);

} // namespace nstf::quantize
