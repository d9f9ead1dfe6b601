// YAML values know their place: every error is one line, even where yaml-cpp would recurse.
#include "support/Yaml.h"
#include "support/TextLimits.h"
#include "test/support/Repeat.h"

#include <gmock/gmock.h>

using namespace nstf::support;
using nstf::test::repeat;
using testing::HasSubstr;

namespace {

template <typename Work> std::string getFault(Work work) {
  try {
    work();
  } catch (const InputError &error) {
    return error.what();
  }
  return "";
}

std::string getError(const std::string &text) {
  return getFault([&] { YamlValue::readText(text, "f"); });
}

TEST(Yaml, ReadsWhatItIsGiven) {
  const YamlMap root =
      YamlValue::readText("a: [1, -2]\nb: &x {c: d}\ne: *x\nn: ~\n", "f").map("a map", {"a", "b", "e", "n"});
  const std::vector<YamlValue> list = root.get("a", "a list").list("a list");
  EXPECT_EQ(list[0].whole("one", 1, 1), 1u);
  EXPECT_EQ(list[1].integer("a number", -2), -2);
  EXPECT_EQ(root.get("e", "a map").entries("a map")[0].value.text("a text"), "d");
  EXPECT_TRUE(root.find("n")->isNull());
  EXPECT_EQ(root.find("c"), nullptr);
  EXPECT_TRUE(YamlValue::readText("", "f").isNull());
}

TEST(Yaml, FaultsSayWhere) {
  const YamlValue root = YamlValue::readText("a: 1\nbeta: {x: [1,\n  y]}\n", "f");
  EXPECT_EQ(getFault([&] { root.list("a list"); }), "f:1:1: expected a list but got a map");
  EXPECT_EQ(getFault([&] { root.map("a map", {"a", "bet"}); }),
            "f:2:1: expected one of the keys a, bet but got 'beta', did you mean 'bet'?");
  const YamlMap map = root.map("a map");
  EXPECT_EQ(getFault([&] { map.get("c", "a number"); }), "f:1:1: expected the key 'c' with a number but got none");
  EXPECT_EQ(getFault([&] { map.find("a")->whole("a number of 2 or 3", 2, 3); }),
            "f:1:4: expected a number of 2 or 3 but got '1'");
  const std::vector<YamlValue> list = map.find("beta")->entries("a map")[0].value.list("a list");
  EXPECT_EQ(getFault([&] { list[1].integer("a number", 0); }), "f:3:3: expected a number but got 'y'");
  EXPECT_EQ(getFault([&] { list[1].boolean("a switch"); }), "f:3:3: expected a switch, true or false, but got 'y'");
  EXPECT_EQ(getFault([] { YamlValue::readText("a: 1\nb: 2\na: 3", "f").entries("a map"); }),
            "f:3:1: expected every key once but got 'a' again");
  EXPECT_EQ(getFault([] { YamlValue::readFile("/no/such.yaml"); }), "/no/such.yaml: No such file or directory");
  EXPECT_THAT(getError("a: [1\n"), HasSubstr("f:2:1: expected YAML but got this: "));
}

TEST(Yaml, WholeNumbersOf64Bits) {
  auto value = [](const std::string &text) { return YamlValue::readText(text, "f"); };
  EXPECT_EQ(value("0x10").integer("", 0), 16);
  EXPECT_EQ(value("3e2").whole("", 0), 300u);
  EXPECT_EQ(value("-9223372036854775808").integer("", INT64_MIN), INT64_MIN);
  EXPECT_EQ(value("18446744073709551615").whole("", 0), UINT64_MAX);
  for (const char *text : {"9223372036854775808", "-9223372036854775809", "1.5", "1e30", "nan", "[]", ""})
    EXPECT_NE(getFault([&] { value(text).integer("a number", INT64_MIN); }), "") << text;
  EXPECT_NE(getFault([&] { value("-1").whole("a number", 0); }), "");
}

/// Comparing each key with all earlier ones would take minutes.
TEST(Yaml, ManyKeys) {
  std::string text;
  for (int i = 0; i < 50'000; ++i)
    text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(YamlValue::readText(text, "f").entries("a map").size(), 50'000u);
}

TEST(Yaml, NestingHasALimit) {
  const std::string deep = "expected values nested at most 256 deep";
  EXPECT_EQ(getError(repeat("[", 256) + repeat("]", 256)), "");
  EXPECT_THAT(getError(repeat("[", 100000)), HasSubstr(deep));
  EXPECT_THAT(getError("\n" + repeat("{a: ", 100000)), HasSubstr("f:2:1021: " + deep));
  EXPECT_THAT(getError(repeat("- ", 100000) + "a"), HasSubstr(deep));
  EXPECT_THAT(getError(repeat("? ", 100000) + "a"), HasSubstr(deep));
  std::string block;
  for (int depth = 0; depth < 300; ++depth)
    block += std::string(depth, ' ') + "a:\n";
  EXPECT_THAT(getError(block), HasSubstr("f:257:"));
}

TEST(Yaml, LengthHasALimit) {
  EXPECT_EQ(getError("a" + std::string(maxYamlBytes, ' ')),
            "f:1:1: expected at most 8388608 bytes of YAML but got 8388609");
}

TEST(Yaml, AValueThatHoldsItself) {
  EXPECT_THAT(getError("&a [*a]"), HasSubstr("alias of the value around it"));
  EXPECT_THAT(getError("x: &a {b: {c: *a}}"), HasSubstr("alias of the value around it"));
}

} // namespace
