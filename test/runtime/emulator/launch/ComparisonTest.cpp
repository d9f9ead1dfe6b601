// Which results a comparison accepts, and what it reports.
#include "runtime/emulator/launch/Comparison.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

using namespace nstf::emulator;
using testing::HasSubstr;

namespace {

template <typename T> Tensor tensor(ElementType type, std::vector<int64_t> shape, std::vector<T> values) {
  Tensor result{type, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty())
    std::memcpy(result.data.data(), values.data(), result.data.size());
  return result;
}

Comparison compareWith(const Tensor &got, const Tensor &expected, double atol = 0, double rtol = 0,
                       bool nanEqual = true, size_t most = 1) {
  BufferDescription description;
  description.name = "c";
  description.type = got.type;
  description.shape = got.shape;
  ExpectDescription expectation;
  expectation.absolute = atol;
  expectation.relative = rtol;
  expectation.nanEqual = nanEqual;
  return compare(expectation, description, got.data, expected, most);
}

Tensor floats(std::vector<float> values) {
  int64_t size = int64_t(values.size());
  return tensor(ElementType::F32, {size}, std::move(values));
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

TEST(Comparison, Tolerances) {
  EXPECT_TRUE(compareWith(floats({1, 2}), floats({1, 2})).passed());
  EXPECT_FALSE(compareWith(floats({1, 2.5f}), floats({1, 2})).passed());
  EXPECT_TRUE(compareWith(floats({1, 2.5f}), floats({1, 2}), 0.5).passed());
  EXPECT_TRUE(compareWith(floats({1, 2.5f}), floats({1, 2}), 0, 0.25).passed());
  EXPECT_FALSE(compareWith(floats({1, 2.5f}), floats({1, 2}), 0, 0.2).passed());
  EXPECT_TRUE(compareWith(floats({0.0f}), floats({-0.0f})).passed());
  EXPECT_TRUE(compareWith(floats({}), floats({})).passed());
}

TEST(Comparison, NanAndInfinity) {
  EXPECT_TRUE(compareWith(floats({nan, inf}), floats({nan, inf})).passed());
  EXPECT_FALSE(compareWith(floats({nan}), floats({nan}), 1, 1, false).passed());
  EXPECT_FALSE(compareWith(floats({nan}), floats({1}), 1e9, 1e9).passed());
  EXPECT_FALSE(compareWith(floats({1}), floats({nan}), 1e9, 1e9).passed());
  EXPECT_FALSE(compareWith(floats({inf}), floats({-inf}), 1e9, 1e9).passed());
  EXPECT_FALSE(compareWith(floats({inf}), floats({1}), 1e9, 1e9).passed());
  EXPECT_FALSE(compareWith(floats({1}), floats({inf}), 1e9, 1e9).passed());
}

TEST(Comparison, Integers) {
  // Both round to the same double.
  Tensor a = tensor<uint64_t>(ElementType::U64, {1}, {uint64_t(1) << 63});
  Tensor b = tensor<uint64_t>(ElementType::U64, {1}, {(uint64_t(1) << 63) + 1});
  EXPECT_TRUE(compareWith(a, a).passed());
  Comparison comparison = compareWith(a, b);
  EXPECT_FALSE(comparison.passed());
  EXPECT_EQ(comparison.first[0].expected, "9223372036854775809");
  EXPECT_TRUE(compareWith(a, b, 2048).passed());
}

TEST(Comparison, AgainstAnotherType) {
  Tensor got = tensor<uint16_t>(ElementType::F16, {2}, {0x3c00, 0x2e66}); // 1, 0.0999755859375
  Tensor expected = tensor<double>(ElementType::F64, {2}, {1, 0.1});
  EXPECT_FALSE(compareWith(got, expected).passed());
  EXPECT_TRUE(compareWith(got, expected, 0, 1e-3).passed());
}

TEST(Comparison, Text) {
  Tensor got = tensor<float>(ElementType::F32, {2, 3}, {1, 2, 30, 4, 5.5f, nan});
  Tensor expected = tensor<float>(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  Comparison comparison = compareWith(got, expected, 0.25, 0.125, true, 2);
  EXPECT_EQ(comparison.mismatches, 2u);
  EXPECT_EQ(comparison.first.size(), 2u);
  EXPECT_EQ(comparison.first[1].index, "[1, 2]");
  EXPECT_EQ(comparison.text(), "buffer 'c': 2 of 6 elements differ; first at [0, 2]: expected 3 but got 30; max abs "
                               "error 27, max rel error 9 (atol 0.25, rtol 0.125), 1 NaN");
  got = floats({1, 3, 100});
  EXPECT_THAT(
      compareWith(got, floats({1, 2, 3})).text(),
      HasSubstr("first at [1]: expected 2 but got 3; furthest at [2]: expected 3 but got 100; max abs error 97"));
  EXPECT_THAT(compareWith(floats({1}), floats({1})).text(), HasSubstr("all 1 elements as expected, max abs error 0"));
}

TEST(Comparison, Summary) {
  Tensor t = floats({1, nan, -2, 0, inf});
  EXPECT_EQ(summary(t.type, t.data), "-2 to inf, 1 zero, 1 NaN, 1 infinite");
  EXPECT_EQ(summary(t.type, {}), "empty");
}

TEST(Comparison, Indices) {
  EXPECT_EQ(indexText(0, {}), "[]");
  EXPECT_EQ(indexText(17, {100}), "[17]");
  EXPECT_EQ(indexText(23, {2, 3, 4}), "[1, 2, 3]");
}

} // namespace
