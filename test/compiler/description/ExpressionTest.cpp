// Expressions: values, what is refused, and how names are filled in.
#include "compiler/description/Expression.h"

#include "test/compiler/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

using namespace nstf;
using namespace nstf::description;
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
  return getError([&] { Expression(text).evaluate(scope); });
}

TEST(ExpressionTest, WholeNumbers) {
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

TEST(ExpressionTest, Floats) {
  EXPECT_EQ(number("1.0 / sqrt(hidden)"), 0.125);
  EXPECT_EQ(number("1e-05"), 1e-5);
  EXPECT_EQ(number("2.5E+1"), 25);
  EXPECT_EQ(number("float(1) / 4"), 0.25);
}

TEST(ExpressionTest, Conditions) {
  EXPECT_TRUE(condition("not tied or heads == 8"));
  EXPECT_TRUE(condition("act == 'silu' and hidden >= 64"));
  EXPECT_TRUE(condition("none == null"));
  EXPECT_FALSE(condition("heads == null"));
  EXPECT_FALSE(condition("1 == true"));
  EXPECT_TRUE(condition("1 == 1.0"));
  EXPECT_FALSE(condition("not tied"));
  EXPECT_TRUE(condition("tied or missing"));
}

TEST(ExpressionTest, Refusals) {
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
  EXPECT_THAT(getError([] { integer("1.5"); }), HasSubstr("expected a whole number but got 1.5"));
  EXPECT_THAT(getError([] { condition("1"); }), HasSubstr("expected true or false but got 1"));
}

TEST(ExpressionTest, Interpolation) {
  EXPECT_EQ(interpolate("layers.{heads - 1}.{act}", scope), "layers.7.silu");
  EXPECT_EQ(interpolate("plain", scope), "plain");
  EXPECT_THAT(getError([] { interpolate("a{heads", scope); }), HasSubstr("a closing '}'"));
  EXPECT_THAT(getError([] { interpolate("a{tied}", scope); }), HasSubstr("a whole number or a text but got true"));
}

TEST(ExpressionTest, Lists) {
  std::vector<std::string> texts = {"full", "sliding"};
  ParameterValue list = texts, rope = RopeScaling{RopeScaling::linear, 2.0, {}};
  Scope lists = [&](const std::string &name) { return name == "list" ? &list : name == "rope" ? &rope : nullptr; };
  auto value = [&](const char *text) { return Expression(text).evaluate(lists); };
  EXPECT_EQ(std::get<int64_t>(value("length(list)")), 2);
  EXPECT_EQ(std::get<std::string>(value("item(list, 1)")), "sliding");
  EXPECT_TRUE(std::get<bool>(value("list != null and item(list, 0) == 'full'")));
  EXPECT_THAT(getError([&] { value("item(list, 2)"); }), HasSubstr("expected an index below 2 but got 2"));
  EXPECT_THAT(getError([&] { value("length(3)"); }), HasSubstr("expected a list but got 3"));
  EXPECT_EQ(std::get<std::vector<double>>(value("rope_frequencies(4, 100, rope, 8, 8)")),
            (std::vector<double>{0.5, 0.05}));
  EXPECT_EQ(std::get<double>(value("rope_scale(rope, 8)")), 1);
  EXPECT_THAT(getError([&] { value("rope_scale(list, 8)"); }),
              HasSubstr("expected a parameter of type rope but got ['full', 'sliding']"));
  EXPECT_THAT(getError([&] { value("rope_frequencies(4)"); }),
              HasSubstr("expected 2 or 5 arguments of rope_frequencies but got 1"));
}

} // namespace
