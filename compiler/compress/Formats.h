// Where the bits of a quantised matrix stand in its planes: the one place that puts them there and takes them out. What
// a plane means is said by #nstf.int (dialects/nstf/Attributes.td).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nstf::compress {

/// Whole numbers of a few bits, with a scale for each group of a row, and with a zero or without.
struct IntFormat {
  unsigned bits = 8;   ///< 4, 5, 6 or 8
  int64_t group = 0;   ///< elements of a row; 0: all of them
  int64_t columns = 1; ///< of the matrix
  bool zeros = false;

  int64_t groupSize() const { return group ? group : columns; }
  int64_t groups() const { return (columns + groupSize() - 1) / groupSize(); }
  unsigned largestCode() const { return (1u << bits) - 1; }
  /// The zero where there is no plane of them.
  unsigned middle() const { return 1u << (bits - 1); }
  /// Rows whose zeros share a word.
  int64_t zerosPerWord() const { return 32 / bits; }
};

/// A row of a matrix in a format.
struct CodedRow {
  std::vector<uint8_t> codes;   ///< one an element, without sign
  std::vector<uint16_t> scales; ///< f16, one a group
  std::vector<uint8_t> zeros;   ///< one a group, the format's middle where it has none
};

enum class Plane { Codes, High, Scales, Zeros };

/// Bytes of a row of a plane.
size_t getRowBytes(const IntFormat &format, Plane plane);
/// Rows of the matrix that a row of a plane is made of, the last one perhaps of fewer.
int64_t getRowsPerPlaneRow(const IntFormat &format, Plane plane);

/// Writes a row of a plane. Precondition: as many rows as it is made of, and its bytes.
void packRow(const IntFormat &format, Plane plane, std::span<const CodedRow> rows, std::span<std::byte> to);
/// The inverse: puts into `rows` what the plane knows of them. Codes of 5 and 6 bits are whole when both planes are
/// unpacked, `Codes` first. Precondition: the rows' vectors have their sizes.
void unpackRow(const IntFormat &format, Plane plane, std::span<const std::byte> from, std::span<CodedRow> rows);

/// The numbers that a row stands for.
std::vector<double> decodeRow(const IntFormat &format, const CodedRow &row);

} // namespace nstf::compress
