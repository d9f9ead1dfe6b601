//===- StridedView.cpp - Elements that lie apart in a file ----------------------------------===//

#include "compiler/import/StridedView.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace nstf;

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

/// `count` elements, `step` bytes from one to the next. With a size the compiler knows a copy is one load and store.
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

/// Runs along the last axis are copied element by element, or whole where they lie side by side; the other axes count
/// on like an odometer.
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
    size_t run = std::min<uint64_t>(count, sizes[last] - index[last]);
    if (strides[last] == 1)
      std::memcpy(result, first + at * elementSize, run * elementSize);
    else
      copyApart(first + at * elementSize, strides[last] * elementSize, elementSize, run, result);
    result += run * elementSize;
    count -= run;
    at += static_cast<int64_t>(run) * strides[last];
    index[last] += static_cast<int64_t>(run);
    for (size_t axis = last; axis > 0 && index[axis] == sizes[axis]; --axis) {
      at += strides[axis - 1] - sizes[axis] * strides[axis];
      index[axis] = 0;
      ++index[axis - 1];
    }
  }
}
