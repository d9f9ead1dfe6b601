// A matrix whose planes are computed while they are written, row by row, so that only a few rows are in memory. The
// rows are numbers that are rounded, or codes of a checkpoint.
#pragma once

#include "compiler/quantize/Formats.h"
#include "dialects/nstf/NSTF.h"

#include <functional>
#include <optional>
#include <string>

namespace nstf::quantize {

class QuantizedMatrix {
public:
  /// Returns a row. May be called from several threads. Throws std::runtime_error if the format can't hold it.
  using ReadRow = std::function<CodedRow(int64_t row)>;

  /// `order`: the input of each column, for the plane Order; empty: column k is input k.
  QuantizedMatrix(std::string name, Format format, int64_t rows, ReadRow readRow, std::vector<int32_t> order = {})
      : name(std::move(name)), format(format), rows(rows), readRow(std::move(readRow)), order(std::move(order)) {}

  /// Writes a row of a plane. May be called from several threads. Throws std::runtime_error if the matrix has numbers
  /// that the format cannot hold.
  void fillRow(Plane plane, int64_t row, std::span<std::byte> to) const;

private:
  std::string name;
  Format format;
  int64_t rows;
  ReadRow readRow;
  std::vector<int32_t> order;
};

/// The matrix of a weight that is a plane: made from the seed, or from the numbers or codes in its file. Nothing if
/// there is neither. Throws std::runtime_error if the file can't be read or is too short.
std::optional<QuantizedMatrix> openMatrix(PlaneSourceAttr plane, std::optional<uint64_t> randomSeed);
Plane getPlane(PlaneSourceAttr plane);

} // namespace nstf::quantize
