// Expressions: values, what is refused, and how names are filled in.
#include "compiler/import/yaml/Expression.h"

#include "compiler/import/Rope.h"
#include "test/compiler/import/TestFiles.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

using namespace nstf;
using namespace nstf::test;
using testing::HasSubstr;

namespace {

const std::map<std::string, ParameterValue> values = {
    {"heads", int64_t{8}},        {"hidden", int64_t{64}},    {"tied", true},
    {"act", std::string("silu")}, {"none", ParameterValue()}, {"big", int64_t{1} << 62}};

const ParameterValue *scope(const std::string &name) {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

int64_t integer(const std::string &text) { return Expression(text).evaluateInteger(scope); }
bool condition(const std::string &text) { return Expression(text).evaluateCondition(scope); }
double number(const std::string &text) { return std::get<double>(Expression(text).evaluate(scope)); }
std::string error(const std::string &text) {
  return errorOf([&] { Expression(text).evaluate(scope); });
}

TEST(ExpressionTest, wholeNumbers) {
  EXPECT_EQ(integer("hidden / heads"), 8);
  EXPECT_EQ(integer("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(integer("(1 + 2) * -3"), -9);
  EXPECT_EQ(integer("10 - 3 - 2"), 5);
  EXPECT_EQ(integer("hidden % 60"), 4);
  EXPECT_EQ(integer("--7"), 7);
  EXPECT_EQ(integer("tied ? heads : hidden / 0"), 8);
  EXPECT_EQ(integer("max(heads, min(3, hidden))"), 8);
  EXPECT_EQ(integer("int(hidden * 0.26)"), 16);
}

TEST(ExpressionTest, floats) {
  EXPECT_EQ(number("1.0 / sqrt(hidden)"), 0.125);
  EXPECT_EQ(number("1e-05"), 1e-5);
  EXPECT_EQ(number("2.5E+1"), 25);
  EXPECT_EQ(number("float(1) / 4"), 0.25);
}

TEST(ExpressionTest, conditions) {
  EXPECT_TRUE(condition("not tied or heads == 8"));
  EXPECT_TRUE(condition("act == 'silu' and hidden >= 64"));
  EXPECT_TRUE(condition("none == null"));
  EXPECT_FALSE(condition("heads == null"));
  EXPECT_FALSE(condition("1 == true"));
  EXPECT_TRUE(condition("1 == 1.0"));
  EXPECT_FALSE(condition("not tied"));
  EXPECT_TRUE(condition("tied or missing"));
}

TEST(ExpressionTest, refusals) {
  EXPECT_THAT(error("65 / heads"), HasSubstr("65 / 8 is not a whole number"));
  EXPECT_THAT(error("1 / 0"), HasSubstr("division of 1 by zero"));
  EXPECT_THAT(error("1 % 0"), HasSubstr("division of 1 by zero"));
  EXPECT_THAT(error("big * 2"), HasSubstr("doesn't fit in 64 bits"));
  EXPECT_THAT(error("big + big"), HasSubstr("doesn't fit in 64 bits"));
  EXPECT_THAT(error("(0 - big - big) / -1"), HasSubstr("doesn't fit in 64 bits"));
  EXPECT_THAT(error("99999999999999999999"), HasSubstr("expected a number of 64 bits"));
  EXPECT_THAT(error("head"), HasSubstr("unknown name 'head'"));
  EXPECT_THAT(error("tied + 1"), HasSubstr("expected a number but got true"));
  EXPECT_THAT(error("heads and tied"), HasSubstr("expected true or false but got 8"));
  EXPECT_THAT(error("exp(1)"), HasSubstr("unknown function 'exp' (known: int, float, sqrt"));
  EXPECT_THAT(error("min(1)"), HasSubstr("expected 2 arguments of min but got 1"));
  EXPECT_THAT(error("1 +"), HasSubstr("expected a value but got its end"));
  EXPECT_THAT(error("1 2"), HasSubstr("expected an operator or the end but got '2'"));
  EXPECT_THAT(error("1 | 2"), HasSubstr("got '| 2'"));
  EXPECT_THAT(error("'open"), HasSubstr("a closing quote"));
  EXPECT_THAT(error(std::string(200, '(') + "1"), HasSubstr("at most 100 nested"));
  EXPECT_THAT(error(std::string(2000, '1')), HasSubstr("at most 1000 characters"));
  EXPECT_THAT(error("sqrt(-1)"), HasSubstr("expected sqrt() of at least 0"));
  EXPECT_THAT(errorOf([] { integer("1.5"); }), HasSubstr("expected a whole number but got 1.5"));
  EXPECT_THAT(errorOf([] { condition("1"); }), HasSubstr("expected true or false but got 1"));
}

TEST(ExpressionTest, interpolation) {
  EXPECT_EQ(interpolate("layers.{heads - 1}.{act}", scope), "layers.7.silu");
  EXPECT_EQ(interpolate("plain", scope), "plain");
  EXPECT_THAT(errorOf([] { interpolate("a{heads", scope); }), HasSubstr("a closing '}'"));
  EXPECT_THAT(errorOf([] { interpolate("a{tied}", scope); }), HasSubstr("a whole number or a text but got true"));
}

TEST(RopeTest, frequencies) {
  std::vector<double> frequencies = ropeFrequencies(8, 10000);
  ASSERT_EQ(frequencies.size(), 4u);
  EXPECT_EQ(frequencies[0], 1.0);
  EXPECT_NEAR(frequencies[1], 0.1, 1e-16);
  EXPECT_NEAR(frequencies[3], 0.001, 1e-18);
  EXPECT_THAT(errorOf([] { ropeFrequencies(7, 10000); }),
              HasSubstr("an even rotary dimension of 2 to 65536 but got 7"));
  EXPECT_THAT(errorOf([] { ropeFrequencies(8, 0); }), HasSubstr("rope theta"));
  EXPECT_THAT(errorOf([] { ropeFrequencies(8, std::nan("")); }), HasSubstr("rope theta"));
}

} // namespace
