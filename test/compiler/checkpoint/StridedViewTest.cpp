// Views of tensors: the elements of a view, gathered from any index on.
#include "compiler/checkpoint/StridedView.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace nstf;
using namespace nstf::checkpoint;

namespace {

template <typename T>
std::vector<T> gather(const StridedView &view, const std::vector<T> &all, size_t begin, size_t n) {
  std::vector<T> result(n);
  view.gather(reinterpret_cast<const std::byte *>(all.data() + view.offset), sizeof(T), begin, n,
              reinterpret_cast<std::byte *>(result.data()));
  return result;
}

int64_t countOf(const StridedView &view) {
  return std::accumulate(view.sizes.begin(), view.sizes.end(), int64_t{1}, std::multiplies<>());
}

/// The definition: enumerates every index.
template <typename T> std::vector<T> listed(const StridedView &view, const std::vector<T> &all) {
  std::vector<T> result;
  for (int64_t i = 0; i < countOf(view); ++i) {
    int64_t rest = i, at = view.offset;
    for (size_t axis = view.sizes.size(); axis-- > 0; rest /= view.sizes[axis])
      at += rest % view.sizes[axis] * view.strides[axis];
    result.push_back(all[at]);
  }
  return result;
}

template <typename T> void expectGathers(const StridedView &view, const std::vector<T> &all) {
  std::vector<T> wanted = listed(view, all);
  StridedView simple = view.simplify();
  for (size_t begin = 0; begin <= wanted.size(); ++begin)
    for (size_t n = 0; begin + n <= wanted.size(); n += 1 + n / 3) {
      std::vector<T> part(wanted.begin() + begin, wanted.begin() + begin + n);
      EXPECT_EQ(gather(view, all, begin, n), part) << begin << " " << n;
      EXPECT_EQ(gather(simple, all, begin, n), part) << begin << " " << n << ", simplified";
    }
}

TEST(StridedViewTest, SlicesAndTransposes) {
  std::vector<uint16_t> all(4 * 3 * 5 * 2);
  std::iota(all.begin(), all.end(), 100);
  StridedView whole = StridedView::of({4, 3, 5, 2});
  for (const StridedView &view : {whole, whole.slice(1, 2, 1), whole.slice(0, 1, 2), whole.slice(3, 1, 1),
                                  whole.transpose(), whole.slice(2, 1, 3).transpose()})
    expectGathers(view, all);
  EXPECT_EQ(listed(StridedView::of({2, 3}).slice(1, 1, 2).transpose(), std::vector<float>{0, 1, 2, 3, 4, 5}),
            (std::vector<float>{1, 4, 2, 5}));
}

TEST(StridedViewTest, ElementsOfEverySize) {
  StridedView view = StridedView::of({7, 9}).slice(1, 2, 5).transpose();
  std::vector<uint8_t> bytes(63);
  std::vector<float> floats(63);
  std::vector<double> doubles(63);
  std::iota(bytes.begin(), bytes.end(), 0);
  std::iota(floats.begin(), floats.end(), 0);
  std::iota(doubles.begin(), doubles.end(), 0);
  expectGathers(view, bytes);
  expectGathers(view, floats);
  expectGathers(view, doubles);
}

/// The sizes exceed the tiles in which a transposed matrix is copied, and are not multiples of them.
template <typename T> void expectTransposes() {
  std::vector<T> all(75 * 2 * 141);
  std::iota(all.begin(), all.end(), T(0));
  StridedView whole = StridedView::of({75, 2, 141});
  for (const StridedView &view : {whole.slice(1, 1, 1).transpose().simplify(), whole.transpose(),
                                  whole.slice(2, 3, 131).slice(0, 1, 70).transpose()}) {
    std::vector<T> wanted = listed(view, all);
    for (size_t begin : {0, 1, 70, 151, 5001})
      for (size_t n : {size_t(3), size_t(4321), wanted.size() - begin})
        EXPECT_EQ(gather(view, all, begin, n), std::vector<T>(wanted.begin() + begin, wanted.begin() + begin + n));
  }
}

TEST(StridedViewTest, LargeTransposes) {
  expectTransposes<uint16_t>();
  expectTransposes<float>();
  expectTransposes<double>();
}

TEST(StridedViewTest, SimplestForm) {
  StridedView whole = StridedView::of({4, 3, 5});
  EXPECT_TRUE(whole.simplify().sizes.empty());
  EXPECT_TRUE(whole.slice(0, 1, 2).simplify().sizes.empty()); // rows are contiguous
  EXPECT_EQ(whole.slice(0, 1, 2).simplify().offset, 15);
  EXPECT_EQ(whole.slice(1, 1, 1).simplify().sizes, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(whole.slice(1, 1, 1).simplify().strides, (std::vector<int64_t>{15, 1}));
  EXPECT_EQ(whole.slice(2, 3, 1).simplify().sizes, (std::vector<int64_t>{12}));
  EXPECT_EQ(whole.slice(2, 3, 1).simplify().strides, (std::vector<int64_t>{5}));
  EXPECT_TRUE(StridedView::of({1, 1}).simplify().sizes.empty());
  EXPECT_TRUE(StridedView::of({1, 6}).transpose().simplify().sizes.empty());
}

} // namespace
