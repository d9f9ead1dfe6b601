// The layout of a cache of keys, values or scales that is stored in the order in which matrix cores read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::support {

/// The cache is [positions, heads * head size]. Keys are stored as a matrix with a row for each position, values as one
/// with a row for each feature, so that both products sum along the rows. The features of a head fill whole blocks. A
/// block has 16 rows and 64 bytes of each (#systolic.packed<16 x 64 bytes, by 4>): the 16 bytes that a lane reads for
/// several cells of a product are adjacent. Scales, one for each head and position, are a row-major matrix with a row
/// for each head. Positions are padded to whole pages, with zeros.
struct OperandOrder {
  enum class Operand : uint8_t { Keys, Values, Scales };

  Operand operand;
  int64_t heads;

  static constexpr int64_t blockRows = 16, blockBytes = 64, granuleBytes = 16, run = 4, pagePositions = 64;

  /// Whether the matrix is stored in blocks.
  bool hasBlocks() const { return operand != Operand::Scales; }

  /// The stored matrix for elements of `elementBytes` bytes.
  struct Matrix {
    int64_t rows, columns;
    int64_t headStride; ///< from a head to the next: in columns; for values and scales, in rows
  };
  Matrix getMatrix(int64_t positions, int64_t features, int64_t elementBytes) const;

  /// Copy between a row-major cache and its matrix. `pack` fills the padding with zeros.
  void pack(int64_t positions, int64_t features, int64_t elementBytes, const std::byte *rows, std::byte *matrix) const;
  void unpack(int64_t positions, int64_t features, int64_t elementBytes, const std::byte *matrix,
              std::byte *rows) const;

  /// "keys in operand order, 8 heads"
  std::string str() const;

  bool operator==(const OperandOrder &) const = default;
};

/// "keys", "values" or "scales", and back.
std::string_view nameOf(OperandOrder::Operand operand);
std::optional<OperandOrder::Operand> operandFromName(std::string_view name);

} // namespace nstf::support
