// YAML within limits: what yaml-cpp would recurse into is one error with its place.
#include "support/Yaml.h"
#include "support/TextLimits.h"

#include <gmock/gmock.h>

using namespace nstf::support;
using testing::HasSubstr;

namespace {

std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

/// "line: message" of the error, or empty.
std::string errorOf(const std::string &text) {
  try {
    loadYaml(text);
  } catch (const YAML::Exception &error) {
    return std::to_string(error.mark.line + 1) + ": " + error.msg;
  }
  return "";
}

TEST(Yaml, ReadsWhatItIsGiven) {
  const YAML::Node root = loadYaml("a: [1, 2]\nb: &x {c: d}\ne: *x\n");
  EXPECT_EQ(root["a"][1].as<int>(), 2);
  EXPECT_EQ(root["e"]["c"].as<std::string>(), "d");
  EXPECT_TRUE(loadYaml("").IsNull());
}

TEST(Yaml, NestingHasALimit) {
  const std::string deep = "expected values nested at most 256 deep";
  EXPECT_EQ(errorOf(repeat("[", 256) + repeat("]", 256)), "");
  EXPECT_EQ(errorOf(repeat("[", 100000)), "1: " + deep);
  EXPECT_EQ(errorOf("\n" + repeat("{a: ", 100000)), "2: " + deep);
  EXPECT_EQ(errorOf(repeat("- ", 100000) + "a"), "1: " + deep);
  EXPECT_EQ(errorOf(repeat("? ", 100000) + "a"), "1: " + deep);
  std::string block;
  for (int depth = 0; depth < 300; ++depth)
    block += std::string(depth, ' ') + "a:\n";
  EXPECT_EQ(errorOf(block), "257: " + deep);
}

TEST(Yaml, LengthHasALimit) {
  EXPECT_EQ(errorOf("a" + std::string(maxYamlBytes, ' ')), "1: expected at most 8388608 bytes of YAML but got 8388609");
}

TEST(Yaml, AValueThatHoldsItself) {
  EXPECT_THAT(errorOf("&a [*a]"), HasSubstr("alias of the value around it"));
  EXPECT_THAT(errorOf("x: &a {b: {c: *a}}"), HasSubstr("alias of the value around it"));
}

} // namespace
