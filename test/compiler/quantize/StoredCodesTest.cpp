// Codes are written and read in every layout, at the places that the formats' documents specify.
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
    coded.codes.push_back((3 * row + 5 * k + k / 7) % (format.isFloat ? 0x7f : format.largestCode() + 1));
  for (int64_t group = 0; group < format.groups(); ++group) {
    coded.scales.push_back(widenF16(uint16_t(0x2c00 + 11 * row + group)));
    coded.zeros.push_back(format.zeros ? (row + 2 * group) % (format.largestCode() + 1) : format.middle());
  }
  return coded;
}

std::vector<Plane> planesOf(const Format &format) {
  std::vector<Plane> planes = {Plane::Codes, Plane::Scales};
  if (format.bits == 5 || format.bits == 6)
    planes.push_back(Plane::High);
  if (format.zeros)
    planes.push_back(Plane::Zeros);
  return planes;
}

std::vector<std::byte> packPlane(const Format &format, Plane plane, std::span<const CodedRow> rows) {
  std::vector<std::byte> bytes;
  size_t step = getRowsPerPlaneRow(format, plane), size = getRowBytes(format, plane);
  for (size_t i = 0; i < rows.size(); i += step) {
    bytes.resize(bytes.size() + size);
    packRow(format, plane, rows.subspan(i, std::min(step, rows.size() - i)), std::span(bytes).last(size));
  }
  return bytes;
}

/// From planes to a checkpoint's tensors and back to planes.
void expectSamePlanes(CodeLayout layout, const Format &format, int64_t rows) {
  std::vector<CodedRow> written, read;
  StoredCodes stored(layout, format, rows);
  Tensors tensors(stored);
  for (int64_t n = 0; n < rows; ++n) {
    written.push_back(makeRow(format, n));
    stored.write(n, written[n], tensors.all());
  }
  for (int64_t n = 0; n < rows; ++n)
    read.push_back(stored.read(n, tensors.read(), support::ElementType::F16));
  for (Plane plane : planesOf(format))
    EXPECT_TRUE(packPlane(format, plane, written) == packPlane(format, plane, read))
        << int(layout) << ", " << format.bits << " bits, " << format.columns << " columns, plane " << int(plane);
}

TEST(StoredCodes, AllLayoutsAndBack) {
  for (int64_t columns : {1, 8, 38, 172, 4096})
    for (int64_t group : {0, 32})
      for (int64_t rows : {8, 40}) {
        for (const Case &layout : cases)
          for (unsigned bits : layout.bits)
            for (bool zeros : {false, true})
              expectSamePlanes(layout.layout, {bits, group, columns, zeros}, rows);
        expectSamePlanes(CodeLayout::Floats, {8, group, columns, false, /*isFloat=*/true}, rows);
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
  // Word (i, n) holds inputs 8i … 8i+7 of output n; the first version stores a zero less one.
  Tensors gptq = written(CodeLayout::Gptq, 8, 3);
  EXPECT_EQ(gptq.word(3), 0x76543210u);
  EXPECT_EQ(gptq.word(8 + 3), 0xfedcba98u);
  EXPECT_EQ(gptq.zeroWord(0), 8u << 12);
  EXPECT_EQ(written(CodeLayout::GptqV2, 8, 3).zeroWord(0), 9u << 12);
  // Word (k, j) holds outputs 8j + (0, 2, 4, 6, 1, 3, 5, 7) in its nibbles.
  Tensors awq = written(CodeLayout::Awq, 16, 8 + 1);
  EXPECT_EQ(awq.word(2 * 5 + 1), 5u << 16);
  EXPECT_EQ(awq.zeroWord(1), 9u << 16);
  // A code of five bits across two words, and words that hold whole codes.
  format.bits = 5;
  EXPECT_EQ(written(CodeLayout::Pack, 1, 0).word(0) >> 30, 6u & 3);
  EXPECT_EQ(written(CodeLayout::Pack, 1, 0).word(1) & 7, 6u >> 2);
  EXPECT_EQ(written(CodeLayout::PackLoose, 1, 0).word(1) & 31, 6u);
}

std::string getFault(const StoredCodes &stored, int64_t row, StoredTensors<const std::byte> tensors,
                     support::ElementType type) {
  try {
    stored.read(row, tensors, type);
  } catch (const StoredFault &fault) {
    return (fault.plane == Plane::Scales ? "scales: " : "codes: ") + std::string(fault.what());
  }
  return "none";
}

// Exact in planes of f16, else in planes of f32.
TEST(StoredCodes, ScalesOfOtherTypes) {
  using enum support::ElementType;
  std::vector<std::byte> codes(8);
  for (bool isWide : {false, true}) {
    StoredCodes stored(CodeLayout::Bytes, {8, 0, 4, false, false, isWide}, 2);
    auto check = [&](auto number, support::ElementType type, float means, bool fits) {
      decltype(number) scales[] = {0, number};
      auto bytes = std::as_bytes(std::span(scales));
      EXPECT_EQ(stored.needsWideScales(bytes, type), !fits) << means;
      if (isWide || fits)
        EXPECT_EQ(stored.read(1, {codes, bytes, {}}, type).scales[0], means);
      else
        EXPECT_EQ(getFault(stored, 1, {codes, bytes, {}}, type).find("scales: expected finite numbers of f16 but got"),
                  0);
    };
    check(0.125f, F32, 0.125f, true);
    check(0.1f, F32, 0.1f, false);
    check(1e6f, F32, 1e6f, false);
    check(uint16_t(0x3e00), BF16, 0.125f, true);
    check(uint16_t(0x3701), BF16, 0x1.02p-17f, true); // the last bit of f16's subnormals
    check(uint16_t(0x3681), BF16, 0x1.02p-18f, false);
    check(uint16_t(0x4780), BF16, 65536.0f, false);
    check(uint16_t(1), F16, 0x1p-24f, true);
  }
}

TEST(StoredCodes, ScalesThatAreNone) {
  std::vector<std::byte> codes(64);
  float scales[] = {1, NAN, INFINITY, 1};
  for (bool isWide : {false, true}) {
    std::string type = isWide ? "" : " of f16";
    StoredCodes stored(CodeLayout::Bytes, {8, 32, 64, false, false, isWide}, 2);
    auto bytes = std::as_bytes(std::span(scales));
    EXPECT_FALSE(stored.needsWideScales(bytes, support::ElementType::F32));
    EXPECT_EQ(getFault(stored, 0, {codes, bytes, {}}, support::ElementType::F32),
              "scales: expected finite numbers" + type + " but got nan at [0, 1]");
    EXPECT_EQ(getFault(stored, 1, {codes, bytes, {}}, support::ElementType::F32),
              "scales: expected finite numbers" + type + " but got inf at [1, 0]");
  }
}

// Scales and zeros for blocks of rows, and for the whole matrix.
TEST(StoredCodes, ScalesOfSeveralRows) {
  for (int64_t scaleRows : {3, 7}) {
    Format format{8, 32, 64, true};
    StoredCodes stored(CodeLayout::Bytes, format, 7, scaleRows);
    std::vector<int64_t> shape = {scaleRows == 3 ? 3 : 1, 2};
    EXPECT_EQ(stored.getShape(Plane::Scales), shape);
    EXPECT_EQ(stored.getShape(Plane::Zeros), shape);
    Tensors tensors(stored);
    auto make = [&](int64_t row) {
      CodedRow coded = makeRow(format, row), first = makeRow(format, row / scaleRows * scaleRows);
      return CodedRow{coded.codes, first.scales, first.zeros};
    };
    for (int64_t row = 0; row < 7; ++row)
      stored.write(row, make(row), tensors.all());
    for (int64_t row = 0; row < 7; ++row) {
      CodedRow got = stored.read(row, tensors.read(), support::ElementType::F16), want = make(row);
      EXPECT_EQ(got.codes, want.codes) << row;
      EXPECT_EQ(got.scales, want.scales) << row;
      EXPECT_EQ(got.zeros, want.zeros) << row;
    }
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

// Both kinds of floats have the same numbers with twice the scale.
TEST(StoredCodes, FloatsOfTheOtherKind) {
  Format format{8, 128, 256, false, /*isFloat=*/true, /*wideScales=*/true};
  std::vector<std::byte> codes(3 * 256);
  for (int k = 0; k < 256; ++k)
    codes[2 * 256 + k] = std::byte((k & 0x7f) == 0x7f ? 0 : k);
  float scales[] = {1, 2, 0.3f, 1e-30f}; // two rows of 128 columns share a scale
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
    EXPECT_EQ(getFault(stored, 2, {codes, std::as_bytes(std::span(scales)), {}}, support::ElementType::F32),
              "codes: expected numbers of e4m3fn but got NaN at [2, 7]");
  }
}

} // namespace
} // namespace nstf::quantize
