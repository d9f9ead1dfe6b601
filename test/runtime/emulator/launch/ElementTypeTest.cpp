// Numbers as written in a file, and as elements of each type.
#include "runtime/emulator/launch/ElementType.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace nstf::emulator;

namespace {

/// The bits of the element that a written number becomes; std::nullopt if it does not fit.
std::optional<uint64_t> getBits(const char *type, const char *text) {
  uint64_t bits = 0;
  std::optional<Number> number = Number::parse(text);
  if (!number || !encode(*findElementType(type), *number, reinterpret_cast<std::byte *>(&bits)))
    return std::nullopt;
  return bits;
}

TEST(ElementType, WholeNumbers) {
  EXPECT_EQ(getBits("u8", "255"), 255u);
  EXPECT_EQ(getBits("u8", "256"), std::nullopt);
  EXPECT_EQ(getBits("u8", "-1"), std::nullopt);
  EXPECT_EQ(getBits("u8", "-0"), 0u);
  EXPECT_EQ(getBits("i8", "-128"), 0x80u);
  EXPECT_EQ(getBits("i8", "-129"), std::nullopt);
  EXPECT_EQ(getBits("i8", "128"), std::nullopt);
  EXPECT_EQ(getBits("i32", "-0x80000000"), 0x80000000u);
  EXPECT_EQ(getBits("u64", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(getBits("u64", "18446744073709551616"), std::nullopt);
  EXPECT_EQ(getBits("i64", "-9223372036854775808"), uint64_t(1) << 63);
  EXPECT_EQ(getBits("i64", "9223372036854775808"), std::nullopt);
  EXPECT_EQ(getBits("i32", "3e2"), 300u); // a float with an integral value
  EXPECT_EQ(getBits("i32", "0.5"), std::nullopt);
  EXPECT_EQ(getBits("i32", "nan"), std::nullopt);
  EXPECT_EQ(getBits("bool", "true"), 1u);
  EXPECT_EQ(getBits("bool", "2"), std::nullopt);
}

TEST(ElementType, Floats) {
  EXPECT_EQ(getBits("f32", "1"), 0x3f800000u);
  EXPECT_EQ(getBits("f32", "-0"), 0x80000000u);
  EXPECT_EQ(getBits("f32", "-0.0"), 0x80000000u);
  EXPECT_EQ(getBits("f32", "inf"), 0x7f800000u);
  EXPECT_EQ(getBits("f32", "-.inf"), 0xff800000u);
  EXPECT_EQ(getBits("f32", "1e39"), std::nullopt); // finite, but infinite as f32
  EXPECT_EQ(getBits("f32", "0x1.8p1"), 0x40400000u);
  EXPECT_EQ(getBits("f64", "0.1"), 0x3fb999999999999au);
  EXPECT_EQ(getBits("f16", "65504"), 0x7bffu);
  EXPECT_EQ(getBits("f16", "65520"), std::nullopt);
  EXPECT_EQ(getBits("f16", "1.00048828125"), 0x3c00u);     // a tie: to even
  EXPECT_EQ(getBits("f16", "1.000488281250001"), 0x3c01u); // rounded once
  EXPECT_EQ(getBits("bf16", "1"), 0x3f80u);
  EXPECT_TRUE(std::isnan(decode(ElementType::BF16, reinterpret_cast<const std::byte *>("\xc0\x7f"))));
}

TEST(ElementType, SmallFloats) {
  EXPECT_EQ(getBits("fp8", "1"), 0x40u); // E4M3, bias 8
  EXPECT_EQ(getBits("bf8", "1"), 0x40u); // E5M2, bias 16
  EXPECT_EQ(getBits("e4m3fnuz", "240"), 0x7fu);
  EXPECT_EQ(getBits("e4m3fnuz", "250"), std::nullopt);
  EXPECT_EQ(getBits("e4m3fnuz", "inf"), std::nullopt);
  EXPECT_EQ(getBits("e4m3fnuz", "-0.0"), 0u); // has no negative zero
  EXPECT_EQ(getBits("e4m3fnuz", "nan"), 0x80u);
  EXPECT_EQ(getBits("e5m2fnuz", "57344"), 0x7fu);
  // The middle between 1 and 1.125, and a number above it that only f64 can tell from it: rounded once.
  EXPECT_EQ(getBits("fp8", "1.0625"), 0x40u);
  EXPECT_EQ(getBits("fp8", "1.0625000000001"), 0x41u);
}

/// Every element's text reads back as the same bits.
TEST(ElementType, TextRoundTrip) {
  for (ElementType type : launchTypes) {
    unsigned bytes = sizeOf(type);
    uint64_t count = type == ElementType::Bool ? 2 : bytes == 1 ? 256 : 65536;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t bits = bytes <= 2 ? i : i * 0x9e3779b97f4a7c15 >> (64 - bytes * 8), again = 0;
      auto *element = reinterpret_cast<const std::byte *>(&bits);
      std::string text = toText(type, element);
      std::optional<Number> number = Number::parse(text);
      ASSERT_TRUE(number) << nameOf(type) << " " << text;
      ASSERT_TRUE(encode(type, *number, reinterpret_cast<std::byte *>(&again))) << nameOf(type) << " " << text;
      if (std::isnan(decode(type, element)))
        ASSERT_TRUE(std::isnan(decode(type, reinterpret_cast<std::byte *>(&again)))) << text;
      else
        ASSERT_EQ(bits, again) << nameOf(type) << " " << text;
    }
  }
}

TEST(ElementType, WhatIsNoNumber) {
  for (const char *text : {"", "-", "+", "abc", "1x", "0x", "--1", "+-1", "1e", "nano", "in", "1,0", " 1", "1 ", "0xg",
                           "infinityy", "e5", ".", "true1"})
    EXPECT_FALSE(Number::parse(text)) << text;
}

TEST(ElementType, Names) {
  for (ElementType type : launchTypes)
    EXPECT_EQ(findElementType(nameOf(type)), type);
  EXPECT_EQ(findElementType("e4m3fn"), std::nullopt);
  EXPECT_EQ(findElementType("f33"), std::nullopt);
  EXPECT_EQ(describeRange(ElementType::I8), "a whole number from -128 to 127");
  EXPECT_EQ(describeRange(ElementType::U64), "a whole number from 0 to 18446744073709551615");
}

} // namespace
