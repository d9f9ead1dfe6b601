#include "support/OperandOrder.h"

#include <cstring>
#include <utility>

namespace nstf::support {

static int64_t alignTo(int64_t size, int64_t alignment) { return (size + alignment - 1) / alignment * alignment; }

OperandOrder::Matrix OperandOrder::getMatrix(int64_t positions, int64_t features, int64_t elementBytes) const {
  int64_t headSize = features / heads, padded = alignTo(positions, pagePositions);
  if (operand == Operand::Keys) {
    int64_t stride = alignTo(headSize, blockBytes / elementBytes);
    return {padded, heads * stride, stride};
  }
  int64_t stride = operand == Operand::Values ? alignTo(headSize, blockRows) : headSize;
  return {heads * stride, padded, stride};
}

/// The byte offset of an element in a matrix that is stored in blocks.
static int64_t getPlace(int64_t row, int64_t column, int64_t columns, int64_t elementBytes) {
  constexpr int64_t granules = OperandOrder::blockBytes / OperandOrder::granuleBytes;
  const int64_t across = OperandOrder::blockBytes / elementBytes;
  int64_t runs = column % across / OperandOrder::run; // runs of the block before the element's run
  int64_t inGranule = runs / granules * OperandOrder::run + column % OperandOrder::run;
  return row / OperandOrder::blockRows * OperandOrder::blockRows * columns * elementBytes +
         column / across * OperandOrder::blockRows * OperandOrder::blockBytes +
         runs % granules * OperandOrder::blockRows * OperandOrder::granuleBytes +
         row % OperandOrder::blockRows * OperandOrder::granuleBytes + inGranule * elementBytes;
}

/// Calls `copy` for each element with its byte offset in the row-major cache and its byte offset in the matrix.
template <typename Copy>
static void forEachElement(const OperandOrder &order, int64_t positions, int64_t features, int64_t elementBytes,
                           Copy copy) {
  const OperandOrder::Matrix matrix = order.getMatrix(positions, features, elementBytes);
  const int64_t headSize = features / order.heads;
  for (int64_t position = 0; position < positions; ++position)
    for (int64_t feature = 0; feature < features; ++feature) {
      int64_t row = position, column = feature / headSize * matrix.headStride + feature % headSize;
      if (order.operand != OperandOrder::Operand::Keys)
        std::swap(row, column);
      int64_t place = order.hasBlocks() ? getPlace(row, column, matrix.columns, elementBytes)
                                        : (row * matrix.columns + column) * elementBytes;
      copy((position * features + feature) * elementBytes, place);
    }
}

void OperandOrder::pack(int64_t positions, int64_t features, int64_t elementBytes, const std::byte *rows,
                        std::byte *matrix) const {
  const Matrix extent = getMatrix(positions, features, elementBytes);
  std::memset(matrix, 0, extent.rows * extent.columns * elementBytes);
  forEachElement(*this, positions, features, elementBytes,
                 [&](int64_t row, int64_t place) { std::memcpy(matrix + place, rows + row, elementBytes); });
}

void OperandOrder::unpack(int64_t positions, int64_t features, int64_t elementBytes, const std::byte *matrix,
                          std::byte *rows) const {
  forEachElement(*this, positions, features, elementBytes,
                 [&](int64_t row, int64_t place) { std::memcpy(rows + row, matrix + place, elementBytes); });
}

std::string OperandOrder::str() const {
  return std::string(nameOf(operand)) + " in operand order, " + std::to_string(heads) +
         (heads == 1 ? " head" : " heads");
}

std::string_view nameOf(OperandOrder::Operand operand) {
  constexpr std::string_view names[] = {"keys", "values", "scales"};
  return names[static_cast<size_t>(operand)];
}

std::optional<OperandOrder::Operand> operandFromName(std::string_view name) {
  using Operand = OperandOrder::Operand;
  for (Operand operand : {Operand::Keys, Operand::Values, Operand::Scales})
    if (nameOf(operand) == name)
      return operand;
  return std::nullopt;
}

} // namespace nstf::support
