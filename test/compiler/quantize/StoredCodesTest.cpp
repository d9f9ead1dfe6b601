// Codes of every layout and back, and the places that the formats' documents give them.
#include "compiler/quantize/StoredCodes.h"

#include "nstf/FloatTypes.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace nstf::quantize {
namespace {

struct Case {
  CodeLayout layout;
  std::vector<unsigned> bits;
};

const Case cases[] = {{CodeLayout::Pack, {4, 5, 6, 8}}, {CodeLayout::PackLoose, {4, 5, 6, 8}},
                      {CodeLayout::Bytes, {8}},         {CodeLayout::Awq, {4}},
                      {CodeLayout::Gptq, {4, 8}},       {CodeLayout::GptqV2, {4, 8}}};

struct Tensors {
  std::vector<std::byte> codes, scales, zeros;

  Tensors(const StoredCodes &stored) {
    auto make = [&](Plane plane, size_t size) {
      std::vector<int64_t> shape = stored.getShape(plane);
      return std::vector<std::byte>(size * shape[0] * shape[1]);
    };
    codes = make(Plane::Codes, sizeOf(stored.getCodeType()));
    scales = make(Plane::Scales, 2);
    zeros = make(Plane::Zeros, sizeOf(stored.getCodeType()));
  }
  StoredTensors<std::byte> all() { return {codes, scales, zeros}; }
  StoredTensors<const std::byte> read() const { return {codes, scales, zeros}; }
  uint32_t word(int64_t index) const {
    uint32_t word;
    std::memcpy(&word, codes.data() + 4 * index, 4);
    return word;
  }
  uint32_t zeroWord(int64_t index) const {
    uint32_t word;
    std::memcpy(&word, zeros.data() + 4 * index, 4);
    return word;
  }
};

CodedRow makeRow(const Format &format, int64_t row) {
  CodedRow coded;
  for (int64_t k = 0; k < format.columns; ++k)
    coded.codes.push_back((3 * row + 5 * k + k / 7) % (format.largestCode() + 1));
  for (int64_t group = 0; group < format.groups(); ++group) {
    coded.scales.push_back(widenF16(uint16_t(0x2c00 + 11 * row + group)));
    coded.zeros.push_back(format.zeros ? (row + 2 * group) % (format.largestCode() + 1) : format.middle());
  }
  return coded;
}

TEST(StoredCodes, AllLayoutsAndBack) {
  for (const Case &layout : cases)
    for (unsigned bits : layout.bits)
      for (int64_t columns : {8, 38, 172})
        for (int64_t rows : {8, 40})
          for (bool zeros : {false, true}) {
            Format format{bits, 32, columns, zeros};
            StoredCodes stored(layout.layout, format, rows);
            Tensors tensors(stored);
            for (int64_t n = 0; n < rows; ++n)
              stored.write(n, makeRow(format, n), tensors.all());
            for (int64_t n = 0; n < rows; ++n) {
              CodedRow got = stored.read(n, tensors.read(), support::ElementType::F16), want = makeRow(format, n);
              EXPECT_EQ(got.codes, want.codes) << int(layout.layout) << ", " << bits << " bits, row " << n;
              EXPECT_EQ(got.scales, want.scales);
              EXPECT_EQ(got.zeros, want.zeros);
            }
          }
}

TEST(StoredCodes, PlacesOfBits) {
  Format format{4, 0, 16, true};
  CodedRow row{std::vector<uint8_t>(16), {0x3c00}, {9}};
  std::iota(row.codes.begin(), row.codes.end(), 0);
  auto written = [&](CodeLayout layout, int64_t rows, int64_t at) {
    StoredCodes stored(layout, format, rows);
    Tensors tensors(stored);
    stored.write(at, row, tensors.all());
    return tensors;
  };
  // Low nibbles first along K; zeros along N.
  Tensors pack = written(CodeLayout::Pack, 8, 2);
  EXPECT_EQ(pack.word(2 * 2), 0x76543210u);
  EXPECT_EQ(pack.word(2 * 2 + 1), 0xfedcba98u);
  EXPECT_EQ(pack.zeroWord(0), 9u << 8);
  // Word (i, n) holds inputs 8i … 8i+7 of output n; a zero is stored less one in the first version.
  Tensors gptq = written(CodeLayout::Gptq, 8, 3);
  EXPECT_EQ(gptq.word(3), 0x76543210u);
  EXPECT_EQ(gptq.word(8 + 3), 0xfedcba98u);
  EXPECT_EQ(gptq.zeroWord(0), 8u << 12);
  EXPECT_EQ(written(CodeLayout::GptqV2, 8, 3).zeroWord(0), 9u << 12);
  // Word (k, j) holds outputs 8j + (0, 2, 4, 6, 1, 3, 5, 7) in its nibbles.
  Tensors awq = written(CodeLayout::Awq, 16, 8 + 1);
  EXPECT_EQ(awq.word(2 * 5 + 1), 5u << 16);
  EXPECT_EQ(awq.zeroWord(1), 9u << 16);
  // A code of five bits across two words, and in words of whole codes.
  format.bits = 5;
  EXPECT_EQ(written(CodeLayout::Pack, 1, 0).word(0) >> 30, 6u & 3);
  EXPECT_EQ(written(CodeLayout::Pack, 1, 0).word(1) & 7, 6u >> 2);
  EXPECT_EQ(written(CodeLayout::PackLoose, 1, 0).word(1) & 31, 6u);
}

TEST(StoredCodes, ScalesOfOtherTypes) {
  Format format{8, 0, 4, false};
  StoredCodes stored(CodeLayout::Bytes, format, 2);
  std::vector<std::byte> codes(8);
  auto read = [&](auto number, support::ElementType type) {
    decltype(number) scales[] = {0, number};
    return stored.read(1, {codes, std::as_bytes(std::span(scales)), {}}, type).scales[0];
  };
  EXPECT_EQ(read(0.125f, support::ElementType::F32), 0.125);
  EXPECT_EQ(read(uint16_t(0x3e00), support::ElementType::BF16), 0.125);
  try {
    read(1e6f, support::ElementType::F32);
    ADD_FAILURE();
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "expected finite scales within f16 (65504) but got 1000000.000000 at 1");
  }
}

std::vector<int32_t> sortGroups(const Format &format, const std::vector<int32_t> &groups) {
  return sortByGroup(std::as_bytes(std::span(groups)), format);
}

// Columns are the inputs of the first group, then those of the next.
TEST(StoredCodes, InTheOrderOfGroups) {
  Format format{4, 32, 80, true};
  std::vector<int32_t> groups(80), inOrder(80);
  for (int k = 0; k < 80; ++k)
    groups[k] = k < 16 ? 2 : k % 2;
  std::vector<int32_t> order = sortGroups(format, groups);
  EXPECT_EQ(order[0], 16);
  EXPECT_EQ(order[1], 18);
  EXPECT_EQ(order[32], 17);
  EXPECT_EQ(order[64], 0);
  std::iota(inOrder.begin(), inOrder.end(), 0);
  EXPECT_NE(order, inOrder);
  for (CodeLayout layout : {CodeLayout::Pack, CodeLayout::Awq, CodeLayout::GptqV2}) {
    StoredCodes plain(layout, format, 8), ordered(layout, format, 8, 1, order);
    Tensors tensors(plain);
    for (int64_t row = 0; row < 8; ++row)
      plain.write(row, makeRow(format, row), tensors.all());
    CodedRow wanted = makeRow(format, 5), row = ordered.read(5, tensors.read(), support::ElementType::F16);
    for (int k = 0; k < 80; ++k)
      EXPECT_EQ(row.codes[k], wanted.codes[order[k]]) << k;
    EXPECT_EQ(row.scales, wanted.scales);
    Tensors again(ordered);
    for (int64_t i = 0; i < 8; ++i)
      ordered.write(i, ordered.read(i, tensors.read(), support::ElementType::F16), again.all());
    EXPECT_EQ(again.codes, tensors.codes);
  }
}

TEST(StoredCodes, GroupsOfTheWrongSize) {
  auto getError = [](const std::vector<int32_t> &groups) -> std::string {
    try {
      sortGroups({4, 32, 64, true}, groups);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "none";
  };
  std::vector<int32_t> groups(64);
  EXPECT_EQ(getError(groups), "expected 32 inputs in group 0 but got 64");
  groups[9] = -1;
  EXPECT_EQ(getError(groups), "expected groups of 0 to 1 but got -1 at 9");
}

// The same numbers in both kinds of floats, and twice the scale.
TEST(StoredCodes, FloatsOfTheOtherKind) {
  Format format{8, 128, 256, false, /*isFloat=*/true, /*wideScales=*/true};
  std::vector<std::byte> codes(3 * 256);
  for (int k = 0; k < 256; ++k)
    codes[2 * 256 + k] = std::byte((k & 0x7f) == 0x7f ? 0 : k);
  float scales[] = {1, 2, 0.3f, 1e-30f}; // two rows share theirs, of 128 columns
  StoredCodes stored(CodeLayout::Floats, format, 3, 2);
  EXPECT_EQ(stored.getShape(Plane::Scales), (std::vector<int64_t>{2, 2}));
  auto read = [&] { return stored.read(2, {codes, std::as_bytes(std::span(scales)), {}}, support::ElementType::F32); };
  CodedRow row = read();
  EXPECT_EQ(row.scales, (std::vector<float>{0.6f, 2e-30f}));
  EXPECT_EQ(row.codes[0x80], 0); // a negative zero
  std::vector<double> numbers = decodeRow(format, row);
  for (int k = 0; k < 128; ++k) { // IEEE 754's rules with a bias of 7
    double number = k >> 3 ? std::ldexp(8 + k % 8, (k >> 3) - 10) : std::ldexp(k, -9);
    if (k != 0x7f) {
      EXPECT_EQ(numbers[k], 0.3f * number) << k;
      EXPECT_EQ(numbers[128 + k], k ? -1e-30f * number : 0) << k;
    }
  }
  for (int code : {0x7f, 0xff}) {
    codes[2 * 256 + 7] = std::byte(code);
    try {
      read();
      ADD_FAILURE();
    } catch (const std::runtime_error &error) {
      EXPECT_STREQ(error.what(), "expected numbers of e4m3fn but got NaN at 519");
    }
  }
}

} // namespace
} // namespace nstf::quantize
