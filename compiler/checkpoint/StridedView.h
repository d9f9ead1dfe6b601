// Elements that are not contiguous in a file.
//
// Describes slices and transposes of a row-major tensor, as #nstf.source stores them: element [i, j, …] of the view is
// offset + i·strides[0] + j·strides[1] + … elements after the tensor's first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::checkpoint {

struct StridedView {
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides; // of equal length

  /// The view of a whole row-major tensor. Precondition: its extents are at least 1 and their product fits in 63 bits.
  static StridedView of(std::vector<int64_t> shape);

  /// The view of `count` indices of an axis, beginning with `from`. Precondition: the axis has these indices.
  StridedView slice(size_t axis, int64_t from, int64_t count) const;
  /// The view with its axes in reverse order.
  StridedView transpose() const;
  /// A view of the same elements in the same order with as few axes as possible; none if the elements are contiguous.
  StridedView simplify() const;

  /// Copies elements `begin` … `begin + count - 1` in row-major order, of `elementSize` bytes each. `first` points to
  /// the element at `offset`. Precondition: the view has these elements.
  void gather(const std::byte *first, size_t elementSize, uint64_t begin, size_t count, std::byte *result) const;
};

} // namespace nstf::checkpoint
