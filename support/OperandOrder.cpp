#include "support/OperandOrder.h"

#include <cstring>
#include <utility>

namespace nstf::support {

static int64_t alignTo(int64_t size, int64_t alignment) { return (size + alignment - 1) / alignment * alignment; }

OperandOrder::Matrix OperandOrder::getMatrix(int64_t positions, int64_t features, int64_t elementBytes) const {
  int64_t headSize = features / heads, across = blockBytes / elementBytes;
  if (operand == Operand::Keys) {
    int64_t stride = alignTo(headSize, across);
    return {alignTo(positions, blockRows), heads * stride, stride};
  }
  int64_t stride = alignTo(headSize, blockRows);
  return {heads * stride, alignTo(positions, across), stride};
}

/// Calls `copy` with the bytes at which each element stands by rows and in the matrix.
template <typename Copy>
static void forEachElement(const OperandOrder &order, int64_t positions, int64_t features, int64_t elementBytes,
                           Copy copy) {
  const OperandOrder::Matrix matrix = order.getMatrix(positions, features, elementBytes);
  const int64_t headSize = features / order.heads, rowBytes = matrix.columns * elementBytes;
  const int64_t across = OperandOrder::blockBytes / elementBytes,
                granules = OperandOrder::blockBytes / OperandOrder::granuleBytes;
  for (int64_t position = 0; position < positions; ++position)
    for (int64_t feature = 0; feature < features; ++feature) {
      int64_t row = position, column = feature / headSize * matrix.headStride + feature % headSize;
      if (order.operand == OperandOrder::Operand::Values)
        std::swap(row, column);
      int64_t runs = column % across / OperandOrder::run; // before it in the block
      int64_t inGranule = runs / granules * OperandOrder::run + column % OperandOrder::run;
      int64_t place = row / OperandOrder::blockRows * OperandOrder::blockRows * rowBytes +
                      column / across * OperandOrder::blockRows * OperandOrder::blockBytes +
                      runs % granules * OperandOrder::blockRows * OperandOrder::granuleBytes +
                      row % OperandOrder::blockRows * OperandOrder::granuleBytes + inGranule * elementBytes;
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
  return operand == OperandOrder::Operand::Keys ? "keys" : "values";
}

std::optional<OperandOrder::Operand> operandFromName(std::string_view name) {
  for (OperandOrder::Operand operand : {OperandOrder::Operand::Keys, OperandOrder::Operand::Values})
    if (nameOf(operand) == name)
      return operand;
  return std::nullopt;
}

} // namespace nstf::support
