// Conversions of many numbers give the bits of nstf/FloatTypes.h, which converts one: every sign and exponent with the
// mantissas at which rounding changes, NaNs with their payloads, and random bits, for each pair of formats and each
// kind of vectors. (All 2^32 numbers of f32 were compared in this way once.)
#include "support/ConvertNumbers.h"
#include "nstf/FloatTypes.h"
#include "test/support/HostVectors.h"

#include <random>

using namespace nstf;
using support::FloatFormat;

namespace {

/// Numbers with every exponent: `mantissaBits` of the low `bits` are the mantissa.
std::vector<uint64_t> makeNumbers(int bits, int mantissaBits) {
  std::vector<uint64_t> numbers;
  uint64_t all = (uint64_t(1) << mantissaBits) - 1;
  std::vector<uint64_t> mantissas = {0, all};
  for (int bit = 0; bit < mantissaBits; ++bit)
    for (uint64_t edge : {uint64_t(1) << bit, uint64_t(3) << bit, all >> bit, all << bit})
      for (int64_t step : {-1, 0, 1})
        mantissas.push_back((edge + step) & all);
  for (uint64_t top = 0; top < uint64_t(1) << (bits - mantissaBits); ++top)
    for (uint64_t mantissa : mantissas)
      numbers.push_back(top << mantissaBits | mantissa);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i)
    numbers.push_back(random() >> (64 - bits));
  return numbers;
}

std::vector<std::byte> pack(const std::vector<uint64_t> &numbers, size_t size) {
  std::vector<std::byte> bytes(numbers.size() * size);
  for (size_t i = 0; i < numbers.size(); ++i)
    std::memcpy(bytes.data() + i * size, &numbers[i], size);
  return bytes;
}

TEST(ConvertNumbers, AreTheBitsOfOneAtATime) {
  using enum manifest::ElementType;
  struct {
    manifest::ElementType type;
    int bits, mantissaBits;
  } formats[] = {{F64, 64, 52}, {F32, 32, 23}, {F16, 16, 10}, {BF16, 16, 7}};
  for (auto from : formats) {
    std::vector<std::byte> numbers = pack(makeNumbers(from.bits, from.mantissaBits), from.bits / 8);
    size_t count = numbers.size() * 8 / from.bits;
    for (auto to : formats) {
      SCOPED_TRACE(std::string(nameOf(from.type)) + " to " + std::string(nameOf(to.type)));
      std::vector<std::byte> expected(count * to.bits / 8), got(expected.size());
      convertNumbers(numbers.data(), from.type, expected.data(), to.type, count);
      test::onEachKindOfVectors([&] {
        std::fill(got.begin(), got.end(), std::byte(0));
        support::convertNumbers(numbers.data(), *support::floatFormatFromName(nameOf(from.type)), got.data(),
                                *support::floatFormatFromName(nameOf(to.type)), count);
        EXPECT_TRUE(got == expected);
      });
    }
  }
}

TEST(ConvertNumbers, AnyCountAndPlace) {
  std::vector<std::byte> numbers = pack(makeNumbers(32, 23), 4), expected(400), got(400);
  for (size_t count : {0, 1, 7, 16, 33, 100})
    for (size_t shift : {0, 1, 2}) {
      std::fill(got.begin(), got.end(), std::byte(0x55));
      expected = got;
      convertNumbers(numbers.data() + shift, manifest::ElementType::F32, expected.data() + shift,
                     manifest::ElementType::F16, count);
      support::convertNumbers(numbers.data() + shift, FloatFormat::f32, got.data() + shift, FloatFormat::f16, count);
      EXPECT_EQ(got, expected) << count << " at " << shift;
    }
}

TEST(ConvertNumbers, NamesOfFormats) {
  EXPECT_EQ(support::floatFormatFromName("f64"), FloatFormat::f64);
  EXPECT_EQ(support::floatFormatFromName("bf16"), FloatFormat::bf16);
  EXPECT_EQ(support::floatFormatFromName("i32"), std::nullopt);
}

} // namespace
