// Texts that are too long or nest too deep are found before a reader recurses into them.
#include "support/TextLimits.h"
#include "test/support/Repeat.h"

#include <gmock/gmock.h>

using namespace nstf::support;
using nstf::test::repeat;

namespace {

const std::string deep = "expected values nested at most 256 deep but got more at ";

TEST(JsonLimits, ListsAndObjects) {
  EXPECT_FALSE(findJsonExcess(""));
  EXPECT_FALSE(findJsonExcess(repeat("[", 256) + repeat("]", 256)));
  EXPECT_EQ(findJsonExcess(repeat("[", 257)), deep + "line 1, column 257");
  EXPECT_FALSE(findJsonExcess(repeat("{\"a\":", 256)));
  EXPECT_EQ(findJsonExcess("\n" + repeat("{\"a\":\n", 257)), deep + "line 258, column 1");
  EXPECT_FALSE(findJsonExcess("[" + repeat("[],", 1000) + "0]"));
}

TEST(JsonLimits, BracketsInStringsCountForNothing) {
  EXPECT_FALSE(findJsonExcess("\"" + repeat("[", 1000) + "\""));
  EXPECT_FALSE(findJsonExcess("\"\\\"" + repeat("[", 1000) + "\""));
  EXPECT_TRUE(findJsonExcess("\"\\\\\"" + repeat("[", 1000)));
  EXPECT_TRUE(findJsonExcess("\"" + repeat("]", 1000) + "\"" + repeat("[", 257)));
  EXPECT_FALSE(findJsonExcess("\"\\"));
  EXPECT_FALSE(findJsonExcess(repeat("(", 1000) + repeat("<", 1000)));
}

TEST(JsonLimits, Length) {
  EXPECT_FALSE(findJsonExcess(std::string(maxJsonBytes, ' ')));
  EXPECT_EQ(findJsonExcess(std::string(maxJsonBytes + 1, ' ')),
            "expected at most 67108864 bytes of JSON but got 67108865");
}

TEST(MlirLimits, AllBrackets) {
  for (std::string bracket : {"[", "{", "(", "<"}) {
    EXPECT_FALSE(findMlirExcess(repeat(bracket, 256)));
    EXPECT_EQ(findMlirExcess(repeat(bracket, 257)), deep + "line 1, column 257");
  }
  EXPECT_TRUE(findMlirExcess(repeat("vector<1x", 300)));
  EXPECT_FALSE(findMlirExcess(repeat("vector<1xf32> -> tensor<(2)>\n", 1000)));
}

TEST(MlirLimits, WhatIsNoBracket) {
  EXPECT_FALSE(findMlirExcess(repeat("// <<<<<<<<<<((((((((([[[[[[[[{{{{{{{{{\n", 1000)));
  EXPECT_FALSE(findMlirExcess(repeat("\"<{([\\\"\"", 1000)));
  EXPECT_FALSE(findMlirExcess(repeat("(a -> b)", 1000)));
  EXPECT_FALSE(findMlirExcess(repeat("affine_set<(d0) : (d0 >= 0)>", 1000)));
  EXPECT_TRUE(findMlirExcess(repeat("f->[", 257)));
  // A bracket around it closes a < that was an operator.
  EXPECT_FALSE(findMlirExcess(repeat("{a < b}", 1000)));
}

TEST(MlirLimits, Aliases) {
  auto chain = [](char sigil, int length) {
    const std::string name = std::string(1, sigil) + "a";
    std::string text = name + "0 = tuple<i32>\n";
    for (int i = 1; i < length; ++i)
      text += name + std::to_string(i) + " = tuple<" + name + std::to_string(i - 1) + ">\n";
    return text;
  };
  for (char sigil : {'!', '#'}) {
    EXPECT_FALSE(findMlirExcess(chain(sigil, 250)));
    EXPECT_THAT(findMlirExcess(chain(sigil, 100'000)).value_or(""), testing::HasSubstr("nested at most 256 deep"));
  }
  // Many brackets side by side, and names that are not aliases.
  EXPECT_FALSE(
      findMlirExcess("!a = tuple<i32>\n" + repeat("func.func @f(!a, !a) -> !a { %0#1 !nstf.lds<!a> }\n", 1000)));
  EXPECT_FALSE(findMlirExcess(repeat("#map = affine_map<(d0) -> (d0)>\n#loc = loc(\"x\":1:2)\n", 1000)));
}

TEST(MlirLimits, Operators) {
  for (std::string term : {"d0 + ", "-", "d0 * ", "d0 mod ", "d0 floordiv ", "d0 ceildiv "}) {
    EXPECT_FALSE(findMlirExcess("affine_map<(d0) -> (" + repeat(term, 1000) + "d0)>")) << term;
    EXPECT_THAT(findMlirExcess("affine_map<(d0) -> (\n" + repeat(term, 1001) + "d0)>").value_or(""),
                testing::HasSubstr("expected expressions of at most 1000 operators but got more at line 2"));
  }
  EXPECT_FALSE(findMlirExcess(repeat("(d0 + d1 * 2) ", 2000)));
  EXPECT_FALSE(findMlirExcess(repeat("%a-b = modify %c->d\n", 2000)));
}

} // namespace
