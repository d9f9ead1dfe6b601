// Elements that are not contiguous in a file.

#include "compiler/checkpoint/StridedView.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

using namespace nstf;
using namespace nstf::checkpoint;

StridedView StridedView::of(std::vector<int64_t> shape) {
  StridedView view{0, std::move(shape), {}};
  view.strides.resize(view.sizes.size());
  int64_t stride = 1;
  for (size_t axis = view.sizes.size(); axis-- > 0; stride *= view.sizes[axis])
    view.strides[axis] = stride;
  return view;
}

StridedView StridedView::slice(size_t axis, int64_t from, int64_t count) const {
  StridedView view = *this;
  view.offset += from * strides[axis];
  view.sizes[axis] = count;
  return view;
}

StridedView StridedView::transpose() const {
  return {offset, {sizes.rbegin(), sizes.rend()}, {strides.rbegin(), strides.rend()}};
}

StridedView StridedView::simplify() const {
  StridedView view{offset, {}, {}};
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == 1)
      continue;
    if (!view.sizes.empty() && view.strides.back() == sizes[axis] * strides[axis]) {
      view.sizes.back() *= sizes[axis];
      view.strides.back() = strides[axis];
    } else {
      view.sizes.push_back(sizes[axis]);
      view.strides.push_back(strides[axis]);
    }
  }
  if (view.sizes.size() == 1 && view.strides[0] == 1)
    return {offset, {}, {}};
  return view;
}

/// Copies `count` elements that are `step` bytes apart. A compile-time element size makes each copy one load and one
/// store.
static void copyApart(const std::byte *from, size_t step, size_t elementSize, size_t count, std::byte *result) {
  auto copy = [&](auto size) {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(result + i * size, from + i * step, size);
  };
  if (elementSize == 2)
    copy(std::integral_constant<size_t, 2>());
  else if (elementSize == 4)
    copy(std::integral_constant<size_t, 4>());
  else
    copy(elementSize);
}

/// A vector of 16 bytes with elements of `size` bytes.
template <size_t size> struct Line {
  static constexpr size_t count = 16 / size;
  using Element = std::conditional_t<size == 2, uint16_t, std::conditional_t<size == 4, uint32_t, uint64_t>>;
  typedef Element Vector __attribute__((vector_size(16)));

  /// Interleaves the first halves (`from` is 0) or the second halves (`from` is count / 2) of two lines.
  template <size_t from, size_t... i> static Vector zip(Vector a, Vector b, std::index_sequence<i...>) {
    return __builtin_shufflevector(a, b, (from + i / 2 + i % 2 * count)...);
  }
};

/// Transposes a square of elements whose rows are 16 bytes; steps are in bytes. Each round interleaves the lines of the
/// upper half with those of the lower.
template <size_t size>
static void transposeSquare(const std::byte *from, size_t step, std::byte *result, size_t resultStep) {
  using L = Line<size>;
  constexpr auto elements = std::make_index_sequence<L::count>();
  std::array<typename L::Vector, L::count> lines, zipped;
  for (size_t i = 0; i < L::count; ++i)
    std::memcpy(&lines[i], from + i * step, 16);
  for (size_t round = 1; round < L::count; round *= 2) {
    for (size_t i = 0; i < L::count / 2; ++i) {
      zipped[2 * i] = L::template zip<0>(lines[i], lines[i + L::count / 2], elements);
      zipped[2 * i + 1] = L::template zip<L::count / 2>(lines[i], lines[i + L::count / 2], elements);
    }
    lines = zipped;
  }
  for (size_t i = 0; i < L::count; ++i)
    std::memcpy(result + i * resultStep, &lines[i], 16);
}

/// Copies `rows` times `columns` elements, where adjacent rows are contiguous. Every cache line is read once, into a
/// small tile from which rows are written.
template <size_t size>
static void copyTransposed(const std::byte *from, size_t columnStep, size_t rows, size_t columns, std::byte *result) {
  // Two cache lines, since a column may begin anywhere in a line.
  constexpr size_t tileRows = 128 / size, tileColumns = 64, tileStep = tileColumns * size, side = Line<size>::count;
  std::array<std::byte, tileRows * tileStep> tile;
  for (size_t top = 0; top < rows; top += tileRows)
    for (size_t left = 0; left < columns; left += tileColumns) {
      size_t height = std::min(tileRows, rows - top), width = std::min(tileColumns, columns - left);
      const std::byte *corner = from + (top + left * columnStep) * size;
      for (size_t column = 0; column < width; column += side)
        for (size_t row = 0; row < height; row += side) {
          const std::byte *source = corner + (row + column * columnStep) * size;
          std::byte *target = tile.data() + row * tileStep + column * size;
          if (column + side <= width && row + side <= height) {
            transposeSquare<size>(source, columnStep * size, target, tileStep);
            continue;
          }
          for (size_t i = 0; i < std::min(side, height - row); ++i)
            for (size_t j = 0; j < std::min(side, width - column); ++j)
              std::memcpy(target + i * tileStep + j * size, source + (i + j * columnStep) * size, size);
        }
      for (size_t row = 0; row < height; ++row)
        std::memcpy(result + ((top + row) * columns + left) * size, tile.data() + row * tileStep, width * size);
    }
}

static void copyTransposed(const std::byte *from, size_t columnStep, size_t elementSize, size_t rows, size_t columns,
                           std::byte *result) {
  auto copy = elementSize == 2 ? copyTransposed<2> : elementSize == 4 ? copyTransposed<4> : copyTransposed<8>;
  copy(from, columnStep, rows, columns, result);
}

/// Copies whole runs along the last axis if they are contiguous. Otherwise it copies element by element, and many runs
/// at a time if they are the columns of a transposed matrix. The indices of the other axes are counted up with carries.
void StridedView::gather(const std::byte *first, size_t elementSize, uint64_t begin, size_t count,
                         std::byte *result) const {
  if (sizes.empty()) {
    std::memcpy(result, first + begin * elementSize, count * elementSize);
    return;
  }
  size_t last = sizes.size() - 1;
  std::vector<int64_t> index(sizes.size());
  int64_t at = 0;
  for (size_t axis = last + 1; axis-- > 0; begin /= sizes[axis]) {
    index[axis] = static_cast<int64_t>(begin % sizes[axis]);
    at += index[axis] * strides[axis];
  }
  while (count > 0) {
    size_t axis = last, copied = std::min<uint64_t>(count, sizes[last] - index[last]), steps = copied;
    const std::byte *from = first + at * elementSize;
    bool transposed = last > 0 && index[last] == 0 && strides[last - 1] == 1 &&
                      (elementSize == 2 || elementSize == 4 || elementSize == 8);
    if (strides[last] == 1) {
      std::memcpy(result, from, copied * elementSize);
    } else if (size_t rows = count / sizes[last]; transposed && rows > 1) {
      axis = last - 1;
      steps = std::min<uint64_t>(rows, sizes[axis] - index[axis]);
      copied = steps * sizes[last];
      copyTransposed(from, strides[last], elementSize, steps, sizes[last], result);
    } else {
      copyApart(from, strides[last] * elementSize, elementSize, copied, result);
    }
    result += copied * elementSize;
    count -= copied;
    at += static_cast<int64_t>(steps) * strides[axis];
    index[axis] += static_cast<int64_t>(steps);
    for (; axis > 0 && index[axis] == sizes[axis]; --axis) {
      at += strides[axis - 1] - sizes[axis] * strides[axis];
      index[axis] = 0;
      ++index[axis - 1];
    }
  }
}
