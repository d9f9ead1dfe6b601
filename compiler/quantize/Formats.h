// Where the bits of a quantised matrix stand in its planes: the one place that puts them there and takes them out. What
// a plane means is said by #nstf.int and #nstf.float (dialects/nstf/Attributes.td).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nstf::quantize {

/// Whole numbers of a few bits, or e4m3fnuz, with a scale for each group of a row, and with a zero or without.
struct Format {
  unsigned bits = 8;   ///< 4, 5, 6 or 8
  int64_t group = 0;   ///< elements of a row; 0: all of them
  int64_t columns = 1; ///< of the matrix
  bool zeros = false;
  bool isFloat = false;    ///< codes are numbers of e4m3fnuz
  bool wideScales = false; ///< of f32

  int64_t groupSize() const { return group ? group : columns; }
  int64_t groups() const { return (columns + groupSize() - 1) / groupSize(); }
  /// Of whole numbers.
  unsigned largestCode() const { return (1u << bits) - 1; }
  /// The zero where there is no plane of them.
  unsigned middle() const { return isFloat ? 0 : 1u << (bits - 1); }
  /// Rows whose zeros share a word.
  int64_t zerosPerWord() const { return 32 / bits; }
};

/// A row of a matrix in a format.
struct CodedRow {
  std::vector<uint8_t> codes; ///< one an element, without sign, or its bits
  std::vector<float> scales;  ///< one a group; f16's, but for wide ones
  std::vector<uint8_t> zeros; ///< one a group, the format's middle where it has none
};

/// Order, of a matrix whose columns are not the inputs one by one, is made of no rows: QuantizedMatrix writes it.
enum class Plane { Codes, High, Scales, Zeros, Order };

/// Bytes of a row of a plane.
size_t getRowBytes(const Format &format, Plane plane);
/// Rows of the matrix that a row of a plane is made of, the last one perhaps of fewer.
int64_t getRowsPerPlaneRow(const Format &format, Plane plane);

/// Writes a row of a plane. Precondition: as many rows as it is made of, and its bytes.
void packRow(const Format &format, Plane plane, std::span<const CodedRow> rows, std::span<std::byte> to);
/// The inverse: puts into `rows` what the plane knows of them. Codes of 5 and 6 bits are whole when both planes are
/// unpacked, `Codes` first. Precondition: the rows' vectors have their sizes.
void unpackRow(const Format &format, Plane plane, std::span<const std::byte> from, std::span<CodedRow> rows);

/// What a code stands for, in units of the scale.
double decodeCode(const Format &format, uint8_t code, unsigned zero);
/// The numbers that a row stands for.
std::vector<double> decodeRow(const Format &format, const CodedRow &row);

} // namespace nstf::quantize
