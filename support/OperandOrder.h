// Where the elements of a cache of keys, values or scales stand when it lies in the order in which matrix cores read
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::support {

/// Of a cache [positions, heads * head size]. Keys are a matrix with a row for each position, values one with a row for
/// each feature, so that a product's sum runs along the rows of either. The features of a head fill whole blocks. The
/// matrix lies in blocks of 16 rows and 64 bytes of each (#systolic.packed<16 x 64 bytes, by 4>), a lane's 16 bytes of
/// several cells of a product side by side. Scales, of which a head has one, are a matrix with a row for each head, one
/// row after the other. Positions fill pages; what pads a matrix are zeros.
struct OperandOrder {
  enum class Operand : uint8_t { Keys, Values, Scales };

  Operand operand;
  int64_t heads;

  static constexpr int64_t blockRows = 16, blockBytes = 64, granuleBytes = 16, run = 4, pagePositions = 64;

  /// Whether the matrix lies in blocks.
  bool hasBlocks() const { return operand != Operand::Scales; }

  /// What is stored, of `elementBytes` an element.
  struct Matrix {
    int64_t rows, columns;
    int64_t headStride; ///< from a head's first column, of values and scales from its first row, to the next one's
  };
  Matrix getMatrix(int64_t positions, int64_t features, int64_t elementBytes) const;

  /// Copies a cache that lies row by row to its matrix, whose padding becomes zeros, and back.
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
