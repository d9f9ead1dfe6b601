// Every code of every format is written to its place in the planes and read back; rounding is compared with the
// definition.
#include "compiler/quantize/Round.h"

#include "nstf/FloatTypes.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <stdexcept>

namespace nstf::quantize {
namespace {

std::vector<Format> allFormats(int64_t columns) {
  std::vector<Format> formats;
  for (unsigned bits : {4, 5, 6, 8})
    for (int64_t group : {0, 32, 64, 128})
      for (bool zeros : {false, true})
        formats.push_back({bits, group, columns, zeros});
  return formats;
}

std::vector<Plane> planesOf(const Format &format) {
  std::vector<Plane> planes = {Plane::Codes, Plane::Scales};
  if (format.bits == 5 || format.bits == 6)
    planes.insert(planes.begin() + 1, Plane::High);
  if (format.zeros)
    planes.push_back(Plane::Zeros);
  return planes;
}

std::vector<double> randomRow(int64_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> row(columns);
  for (double &number : row)
    number = double(int32_t(random())) * 0x1p-31;
  return row;
}

TEST(Formats, AllCodesAndBack) {
  for (int64_t columns : {1, 31, 38, 172, 300, 4096}) {
    std::vector<Format> formats = allFormats(columns);
    for (int64_t group : {0, 32, 64, 128})
      for (bool isWide : {false, true})
        formats.push_back({8, group, columns, false, /*isFloat=*/true, isWide});
    for (const Format &format : formats) {
      int64_t rows = format.zerosPerWord() - 1; // the last word of zeros is not full
      std::vector<CodedRow> written(rows), read(rows);
      for (int64_t i = 0; i < rows; ++i) {
        written[i].codes.resize(columns);
        for (int64_t k = 0; k < columns; ++k)
          written[i].codes[k] = (i + k) % (format.largestCode() + 1);
        for (int64_t group = 0; group < format.groups(); ++group) {
          written[i].scales.push_back(widenF16(uint16_t(0x3c00 + 7 * i + group)));
          written[i].zeros.push_back(format.zeros ? (3 * i + group) % (format.largestCode() + 1) : format.middle());
        }
        read[i].codes.resize(columns);
        read[i].scales.resize(format.groups());
        read[i].zeros.resize(format.groups(), format.middle());
      }
      for (Plane plane : planesOf(format)) {
        int64_t step = getRowsPerPlaneRow(format, plane);
        for (int64_t i = 0; i < rows; i += step) {
          int64_t count = std::min(step, rows - i);
          std::vector<std::byte> bytes(getRowBytes(format, plane), std::byte(0xff));
          packRow(format, plane, std::span(written).subspan(i, count), bytes);
          unpackRow(format, plane, bytes, std::span(read).subspan(i, count));
        }
      }
      for (int64_t i = 0; i < rows; ++i) {
        EXPECT_EQ(read[i].codes, written[i].codes) << format.bits << " bits, " << columns << " columns";
        EXPECT_EQ(read[i].scales, written[i].scales);
        EXPECT_EQ(read[i].zeros, written[i].zeros);
      }
    }
  }
}

// A row of words as the dialect's document describes it: adjacent codes are in the two halves.
TEST(Formats, PlacesOfBits) {
  Format format{6, 0, 16, true};
  CodedRow row{{1, 2, 3, 4, 5, 6, 7, 8, 0x19, 0x2a, 0x3b, 12, 13, 14, 15, 0}, {0x3c00}, {9}};
  auto word = [&](Plane plane, int64_t index) {
    std::vector<std::byte> bytes(getRowBytes(format, plane));
    packRow(format, plane, {&row, 1}, bytes);
    uint32_t value;
    std::memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  };
  EXPECT_EQ(word(Plane::Codes, 0), 0x86427531u);
  EXPECT_EQ(word(Plane::Codes, 1), 0x0ecafdb9u);
  EXPECT_EQ(word(Plane::High, 0), 1u << 8 | 2u << 24 | 3u << 10);
  EXPECT_EQ(word(Plane::Zeros, 0), 9u);
  format.bits = 8;
  row.codes.assign(16, 0);
  EXPECT_EQ(word(Plane::Codes, 0), 0x80808080u);
}

TEST(Round, NearestCodeOfAnExactZero) {
  for (int64_t columns : {1, 38, 172, 4096})
    for (const Format &format : allFormats(columns)) {
      std::vector<double> row = randomRow(columns, 7);
      row[columns / 2] = 0;
      CodedRow coded = roundToNearest(format, row);
      std::vector<double> numbers = decodeRow(format, coded);
      EXPECT_EQ(numbers[columns / 2], 0);
      for (int64_t k = 0; k < columns; ++k) {
        double scale = std::abs(coded.scales[k / format.groupSize()]);
        // Half a step; beyond the last code of the shorter side up to a whole step, plus the rounding of the scale.
        EXPECT_LE(std::abs(numbers[k] - row[k]), scale * (format.zeros ? 1.01 : 1.01 + format.largestCode() * 0x1p-11))
            << format.bits << " bits of group " << format.group << ", column " << k;
      }
    }
}

// The number of max magnitude is exact up to the scale's rounding, whatever its sign.
TEST(Round, SymmetricTakesTheLopsidedCode) {
  Format format{4, 0, 4, false};
  for (double sign : {1, -1}) {
    CodedRow coded = roundToNearest(format, std::vector<double>{sign * 8, sign * -7, 0, sign * 3});
    EXPECT_EQ(coded.codes, (std::vector<uint8_t>{0, 15, 8, 5}));
    EXPECT_EQ(coded.scales[0], -sign);
  }
}

// The nearest code that both kinds of e4m3 have, with the sign of the number; 0 has no sign.
TEST(Round, FloatsTakeTheNearest) {
  Format format{8, 32, 320, false, /*isFloat=*/true};
  std::vector<double> row = randomRow(320, 3);
  for (int64_t k = 0; k < 32; ++k)
    row[k] = std::ldexp(row[k], -k / 2); // down to subnormals, and to 0
  CodedRow coded = roundToNearest(format, row);
  for (int64_t k = 0; k < 320; ++k) {
    double scale = coded.scales[k / 32], best = INFINITY;
    for (int code = 0; code < 256; ++code)
      if ((code & 0x7f) != 0x7f && code != 0x80)
        best = std::min(best, std::abs(row[k] - scale * decodeCode(format, uint8_t(code), 0)));
    EXPECT_EQ(std::abs(row[k] - scale * decodeCode(format, coded.codes[k], 0)), best) << k;
    EXPECT_TRUE((coded.codes[k] & 0x7f) != 0x7f && coded.codes[k] != 0x80) << k;
  }
}

// Rows that share grids: each group's grid reaches the max of all rows there.
TEST(Round, SharedGrids) {
  Format format{8, 32, 40, false, /*isFloat=*/true};
  std::vector<double> rows(3 * 40, 1.0);
  rows[40 + 7] = -448;
  rows[80 + 39] = 224;
  std::vector<Grid> grids = chooseGrids(format, rows, Clipping::None);
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[0].scale, 2);
  EXPECT_EQ(grids[1].scale, 1);
  CodedRow coded = roundToNearest(format, std::span(rows).first(40), grids);
  EXPECT_EQ(coded.scales, (std::vector<float>{2, 1}));
  EXPECT_EQ(decodeRow(format, coded), std::vector<double>(40, 1.0));
}

TEST(Round, RowsWithoutARange) {
  for (const Format &format : allFormats(3))
    EXPECT_EQ(decodeRow(format, roundToNearest(format, std::vector<double>(3, 0.0))), std::vector<double>(3, 0.0));
  // So small that f16 cannot hold the scale: the codes are zeros, and no result is NaN.
  for (const Format &format : allFormats(3))
    EXPECT_EQ(decodeRow(format, roundToNearest(format, std::vector<double>(3, 1e-9))), std::vector<double>(3, 0.0));
}

TEST(Round, NumbersThatNoFormatHolds) {
  Format format{4, 32, 40, true};
  std::vector<double> row(40, 1.0);
  auto message = [&] {
    try {
      roundToNearest(format, row);
    } catch (const std::runtime_error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  row[33] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(), "expected finite numbers but got nan in column 33");
  row[33] = 1e7;
  EXPECT_EQ(message(), "expected a scale within f16 (65504) but got a larger one in the group of column 32");
}

} // namespace
} // namespace nstf::quantize
