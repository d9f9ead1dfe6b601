// The bit layout of a quantised matrix in its planes; only this code packs and unpacks them. #nstf.int and #nstf.float
// (dialects/nstf/Attrs.td) define the meaning of the planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nstf::quantize {

/// A code format: whole numbers of a few bits, or e4m3fnuz, with a scale for each group of a row, and with or without
/// zeros.
struct Format {
  unsigned bits = 8;   ///< 4, 5, 6 or 8
  int64_t group = 0;   ///< elements of a row; 0: the whole row
  int64_t columns = 1; ///< of the matrix
  bool zeros = false;
  bool isFloat = false;    ///< codes are e4m3fnuz numbers
  bool wideScales = false; ///< scales are f32, not f16

  int64_t groupSize() const { return group ? group : columns; }
  int64_t groups() const { return (columns + groupSize() - 1) / groupSize(); }
  /// For whole numbers.
  unsigned largestCode() const { return (1u << bits) - 1; }
  /// The zero if there is no plane of zeros.
  unsigned middle() const { return isFloat ? 0 : 1u << (bits - 1); }
  /// Rows whose zeros share a word.
  int64_t zerosPerWord() const { return 32 / bits; }
};

/// A row of a matrix in a format.
struct CodedRow {
  std::vector<uint8_t> codes; ///< one for each element: without sign, or a float's bits
  std::vector<float> scales;  ///< one for each group; f16 values unless scales are wide
  std::vector<uint8_t> zeros; ///< one for each group; the format's middle if it has no zeros
};

/// Order gives the inputs of the columns if they are permuted. It is not made from rows; QuantizedMatrix writes it.
enum class Plane { Codes, High, Scales, Zeros, Order };

/// Bytes of a row of a plane.
size_t getRowBytes(const Format &format, Plane plane);
/// The number of matrix rows in a row of a plane; the last row of a plane may have fewer.
int64_t getRowsPerPlaneRow(const Format &format, Plane plane);

/// Writes a row of a plane. Precondition: `rows` and `to` have the required sizes.
void packRow(const Format &format, Plane plane, std::span<const CodedRow> rows, std::span<std::byte> to);
/// The inverse: fills `rows` with the plane's part of their data. Codes of 5 and 6 bits are complete once both planes
/// are unpacked, `Codes` first. Precondition: the rows' vectors have their sizes.
void unpackRow(const Format &format, Plane plane, std::span<const std::byte> from, std::span<CodedRow> rows);

/// The number that a code represents, in units of the scale.
double decodeCode(const Format &format, uint8_t code, unsigned zero);
/// The numbers that a row represents.
std::vector<double> decodeRow(const Format &format, const CodedRow &row);

} // namespace nstf::quantize
