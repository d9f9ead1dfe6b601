// printf's text, compared with that of the host's printf.
#include "runtime/emulator/services/Format.h"
#include "test/runtime/emulator/services/Printed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace nstf::emulator::services;
using nstf::emulator::test::getWords;

namespace {

template <typename... T> std::string onHost(const std::string &format, T... values) {
  std::string text(size_t(std::snprintf(nullptr, 0, format.c_str(), values...)) + 1, 0);
  std::snprintf(text.data(), text.size(), format.c_str(), values...);
  text.pop_back();
  return text;
}

std::string reason(const std::string &format, const std::vector<uint64_t> &words) {
  try {
    return "printed: " + formatPrintf(format, words);
  } catch (const PrintfError &error) {
    return error.what();
  }
}

/// The begins of conversions with every set of flags, width and precision.
std::vector<std::string> forms(const std::string &flags) {
  std::vector<std::string> all;
  for (unsigned set = 0; set < 1u << flags.size(); ++set) {
    std::string some;
    for (size_t i = 0; i < flags.size(); ++i)
      if (set >> i & 1)
        some += flags[i];
    for (const char *width : {"", "1", "9", "40"})
      for (const char *precision : {"", ".", ".0", ".3", ".25"})
        all.push_back("%" + some + width + precision);
  }
  return all;
}

/// With "*" for the width and the precision.
template <typename Value> void expectStars(const std::string &conversion, Value value, uint64_t word) {
  for (int width : {0, 7, -7})
    for (int precision : {-1, 0, 5}) {
      const std::string format = "%*.*" + conversion;
      EXPECT_EQ(formatPrintf(format, std::vector<uint64_t>{uint32_t(width), uint32_t(precision), word}),
                onHost(format, width, precision, value))
          << format << width << " " << precision;
    }
}

TEST(FormatTest, SignedIntegersOfEveryLength) {
  const int64_t values[] = {0, 1, -1, 127, -128, 255, 32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  for (const std::string &form : forms("-+ 0"))
    for (char letter : {'d', 'i'})
      for (int64_t value : values) {
        const std::vector<uint64_t> words{uint64_t(value)};
        EXPECT_EQ(formatPrintf(form + letter, words), onHost(form + letter, int(value)));
        EXPECT_EQ(formatPrintf(form + "hh" + letter, words), onHost(form + "hh" + letter, int(value)));
        EXPECT_EQ(formatPrintf(form + "h" + letter, words), onHost(form + "h" + letter, int(value)));
        for (const char *length : {"l", "ll", "j", "z", "t"})
          EXPECT_EQ(formatPrintf(form + length + letter, words), onHost(form + "ll" + letter, value));
      }
  expectStars("d", -42, uint32_t(-42));
  expectStars("lld", -42ll, uint64_t(-42));
}

TEST(FormatTest, UnsignedIntegersOfEveryLength) {
  const uint64_t values[] = {0, 1, 255, 256, 65535, 65536, UINT32_MAX, uint64_t(1) << 32, UINT64_MAX};
  for (const std::string &form : forms("-#0"))
    for (char letter : {'o', 'u', 'x', 'X'})
      for (uint64_t value : values) {
        const std::vector<uint64_t> words{value};
        EXPECT_EQ(formatPrintf(form + letter, words), onHost(form + letter, unsigned(value)));
        EXPECT_EQ(formatPrintf(form + "hh" + letter, words), onHost(form + "hh" + letter, unsigned(value)));
        EXPECT_EQ(formatPrintf(form + "h" + letter, words), onHost(form + "h" + letter, unsigned(value)));
        for (const char *length : {"l", "ll", "j", "z", "t"})
          EXPECT_EQ(formatPrintf(form + length + letter, words), onHost(form + "ll" + letter, value));
      }
  expectStars("x", 0xbeefu, 0xbeef);
}

TEST(FormatTest, Floats) {
  const double values[] = {0.0,
                           -0.0,
                           1.0,
                           -1.5,
                           1.0 / 3,
                           123456789.0,
                           1e300,
                           1e-300,
                           5e-324,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  for (const std::string &form : forms("-+ #0"))
    for (char letter : {'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A'})
      for (double value : values) {
        const std::vector<uint64_t> words{std::bit_cast<uint64_t>(value)};
        EXPECT_EQ(formatPrintf(form + letter, words), onHost(form + letter, value));
        EXPECT_EQ(formatPrintf(form + "l" + letter, words), onHost(form + letter, value));
      }
  expectStars("g", 2.5, std::bit_cast<uint64_t>(2.5));
}

TEST(FormatTest, CharactersAndPointers) {
  for (const char *width : {"", "1", "5", "-5"}) {
    const std::string begin = std::string("%") + width;
    for (int value : {97, 0, 255, 10})
      EXPECT_EQ(formatPrintf(begin + "c", std::vector<uint64_t>{uint64_t(value)}), onHost(begin + "c", value));
    for (uint64_t value : {uint64_t(0), uint64_t(0x7f12345678), UINT64_MAX})
      EXPECT_EQ(formatPrintf(begin + "p", std::vector<uint64_t>{value}),
                onHost(begin + "p", reinterpret_cast<void *>(value)));
  }
}

TEST(FormatTest, StringsOfEveryLength) {
  for (size_t length = 0; length <= 10000; length += length < 40 ? 1 : 997) {
    const std::string value(length, 'x');
    for (const char *format : {"%s", "%5s", "%-5s", "%.0s", "%.3s", "%40.30s", "%-40.30s"}) {
      std::vector<uint64_t> words = getWords(value);
      words.push_back(17); // the argument behind it
      EXPECT_EQ(formatPrintf(std::string(format) + "|%d", words),
                onHost(std::string(format) + "|%d", value.c_str(), 17));
    }
  }
  std::vector<uint64_t> words{uint32_t(-9), 3};
  words.push_back(getWords("abcdef")[0]);
  EXPECT_EQ(formatPrintf("%*.*s|", words), "abc      |");
}

TEST(FormatTest, TwentyArgumentsAndText) {
  std::string format, expected;
  std::vector<uint64_t> words;
  for (int i = 0; i < 20; ++i) {
    format += "a%d%%";
    expected += "a" + std::to_string(i) + "%";
    words.push_back(uint64_t(i));
  }
  EXPECT_EQ(formatPrintf(format, words), expected);
  EXPECT_EQ(formatPrintf("", {}), "");
  EXPECT_EQ(formatPrintf("no conversion\n", words), "no conversion\n");
}

TEST(FormatTest, TheFormatMayBeTheFirstString) {
  std::vector<uint64_t> words = getWords("eight!!!%d\n");
  words.push_back(5);
  EXPECT_EQ(formatPrintf(words), "eight!!!5\n");
}

TEST(FormatTest, RefusesWhatHasNoText) {
  const std::vector<uint64_t> one{1}, unended{UINT64_MAX};
  EXPECT_EQ(reason("%n", one), "%n is refused: printf writes to no memory");
  EXPECT_EQ(reason("a %-3ln", one), "%-3ln is refused: printf writes to no memory");
  EXPECT_EQ(reason("%lc", one), "%lc is refused: there are no wide characters");
  EXPECT_EQ(reason("%ls", one), "%ls is refused: there are no wide characters");
  EXPECT_EQ(reason("%y", one), "%y is no conversion");
  EXPECT_EQ(reason("100%", one), "% has no conversion");
  EXPECT_EQ(reason("%08l", one), "%08l has no conversion");
  EXPECT_EQ(reason("%d %d", one), "%d has no argument");
  EXPECT_EQ(reason("%*d", one), "%*d has no argument");
  EXPECT_EQ(reason("%s", unended), "a string has no end");
  EXPECT_EQ(reason("%s", {}), "%s has no argument");
  EXPECT_EQ(reason("%99999999999999999999d", one), "expected widths and precisions up to 1048576 but got 9999999");
  EXPECT_EQ(reason("%.*d", std::vector<uint64_t>{1u << 30, 1}),
            "expected widths and precisions up to 1048576 but got 1073741824");
  std::string wide;
  for (int i = 0; i < 17; ++i)
    wide += "%1048576d";
  EXPECT_EQ(reason(wide, std::vector<uint64_t>(17)), "expected a text of at most 16777216 bytes");
  EXPECT_THROW(formatPrintf(std::span<const uint64_t>()), PrintfError);
}

} // namespace
