// Elements that lie apart in a file.
//
// Slices and transposes of a row-major tensor, as #nstf.source carries them: element [i, j, …] of the view lies
// offset + i·strides[0] + j·strides[1] + … elements after the tensor's first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::checkpoint {

struct StridedView {
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides; // of one length

  /// All of a row-major tensor. Precondition: its extents are at least 1 and their product fits in 63 bits.
  static StridedView of(std::vector<int64_t> shape);

  /// `count` indices of an axis, from `from` on. Precondition: they are indices of it.
  StridedView slice(size_t axis, int64_t from, int64_t count) const;
  /// Its axes in the opposite order.
  StridedView transpose() const;
  /// The same elements in the same order by as few axes as can be; none when they lie side by side.
  StridedView simplify() const;

  /// Copies elements `begin` … `begin + count - 1` in row-major order, of `elementSize` bytes each; `first` is where
  /// the element at `offset` lies. Precondition: the view has them.
  void gather(const std::byte *first, size_t elementSize, uint64_t begin, size_t count, std::byte *result) const;
};

} // namespace nstf::checkpoint
