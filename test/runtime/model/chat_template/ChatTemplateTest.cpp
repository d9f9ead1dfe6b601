// Chat templates: options, errors with their place, and limits. compare.py checks that the texts equal jinja2's.
#include "nstf/ChatTemplate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::runtime;
using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const ordered_json conversation = {{{"role", "user"}, {"content", "hi"}},
                                   {{"role", "assistant"}, {"content", "hello"}}};

std::string render(const std::string &text, const ChatOptions &options = {}) {
  return ChatTemplate::parse(text, "chat.jinja").render(conversation, options);
}

/// The error from parsing alone; empty if there is none.
std::string parseError(std::string_view text) {
  try {
    ChatTemplate::parse(text, "chat.jinja");
    return "";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

/// The error from rendering a template that parses.
std::string runError(const std::string &text, const ChatOptions &options = {}) {
  const ChatTemplate parsed = ChatTemplate::parse(text, "chat.jinja");
  try {
    return "no error but " + parsed.render(conversation, options).substr(0, 100);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

TEST(ChatTemplate, HasTheOptionsAsVariables) {
  ChatOptions options;
  EXPECT_EQ(render("{{ add_generation_prompt }} {{ bos_token is defined }} {{ eos_token }} {{ tools }} {{ documents }}",
                   options),
            "True False  None None");
  options.addGenerationPrompt = false;
  options.bosToken = "<s>";
  options.eosToken = "</s>";
  options.tools = ordered_json::parse(R"([{"name": "f"}])");
  options.variables = {{"enable_thinking", false}, {"unk_token", "<unk>"}, {"z", 1}, {"a", nullptr}};
  EXPECT_EQ(render("{{ add_generation_prompt }} {{ bos_token }} {{ eos_token }} {{ tools }} {{ enable_thinking }} {{ "
                   "unk_token }} {{ z }}{{ a }}",
                   options),
            "False <s> </s> [{'name': 'f'}] False <unk> 1None");
}

TEST(ChatTemplate, KeepsTheOrderOfMembers) {
  ChatOptions options;
  options.variables = {{"table", {{"b", 1}, {"a", 2}}}};
  EXPECT_EQ(render("{{ table | tojson }} {{ messages[0] | tojson }}", options),
            R"({"b": 1, "a": 2} {"role": "user", "content": "hi"})");
}

TEST(ChatTemplate, TellsTheTime) {
  ChatOptions options;
  options.clock = [] {
    std::tm time = {};
    time.tm_year = 126;
    time.tm_mon = 1;
    time.tm_mday = 28;
    return time;
  };
  EXPECT_EQ(render("{{ strftime_now('%d %b %Y') }}", options), "28 Feb 2026");
  EXPECT_THAT(render("{{ strftime_now('%Y') }}"), StartsWith("20")); // the machine's year
  EXPECT_THAT(runError("{{ strftime_now('%Q') }}"),
              HasSubstr("chat.jinja:1:16: expected a directive of strftime but got '%Q'"));
  EXPECT_THAT(runError("{{ strftime_now('100%') }}"), HasSubstr("behind '%'"));
}

TEST(ChatTemplate, RefusalsAreAKindOfTheirOwn) {
  const ChatTemplate parsed =
      ChatTemplate::parse("\n  {{ raise_exception('no ' ~ messages | length ~ ' turns') }}", "chat.jinja");
  try {
    parsed.render(conversation);
    FAIL();
  } catch (const ChatRefusal &refusal) {
    EXPECT_EQ(refusal.message, "no 2 turns");
    EXPECT_STREQ(refusal.what(), "chat.jinja:2:21: the template refuses the conversation: no 2 turns");
  }
}

TEST(ChatTemplate, WhatIsNotSupportedIsFoundInBranchesThatAreNotTaken) {
  const std::pair<const char *, const char *> cases[] = {
      {"{{ x | nope }}", "chat.jinja:1:18: unknown filter 'nope'"},
      {"{{ x | uper }}", "unknown filter 'uper', did you mean 'upper'?"},
      {"{{ x | striptags }}", "unknown filter 'striptags'"},
      {"{{ x | map('nope') | list }}", "unknown filter 'nope'"},
      {"{{ x | select('nope') | list }}", "unknown test 'nope'"},
      {"{{ x | rejectattr('a', 'nope') | list }}", "unknown test 'nope'"},
      {"{% filter nope %}{% endfilter %}", "unknown filter 'nope'"},
      {"{% set y | nope %}{% endset %}", "unknown filter 'nope'"},
      {"{{ x is nope }}", "unknown test 'nope'"},
      {"{{ nope(1) }}", "unknown function 'nope'"},
      {"{{ rang(1) }}", "unknown function 'rang', did you mean 'range'?"},
      {"{{ lipsum() }}", "unknown function 'lipsum'"},
      {"{{ x.encode() }}", "the method 'encode' is not supported"},
      {"{% include 'other' %}",
       "chat.jinja:1:14: expected a template in one file but got the tag 'include', which takes another"},
      {"{% import 'other' as o %}", "'import'"},
      {"{% from 'other' import o %}", "'from'"},
      {"{% extends 'other' %}", "'extends'"},
      {"{% block b %}{% endblock %}", "'block'"},
      {"{% autoescape true %}{% endautoescape %}", "'autoescape' is not supported"},
      {"{% nope %}", "unknown tag 'nope'"},
      {"{% endfor %}", "'endfor' closes nothing that is open here"},
      {"{% break %}", "expected 'break' inside a for"},
      {"{{ 99999999999999999999 }}", "expected an integer of 64 bits but got 99999999999999999999"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_THAT(parseError("{% if 0 %}" + std::string(text) + "{% endif %}"), HasSubstr(message)) << text;
}

TEST(ChatTemplate, ErrorsOfSyntaxHaveTheirPlace) {
  const std::pair<std::string_view, const char *> cases[] = {
      {"a\n{% if true %}\nb",
       "chat.jinja:3:2: expected 'endif' for the 'if' of line 2 but got the end of the template"},
      {"{% for x in y %}{% if x %}{% endfor %}", "1:30: the tag 'endfor' closes nothing that is open here"},
      {"\n\n  {{ a b }}", "chat.jinja:3:8: expected '}}' but got 'b'"},
      {"é{{ \"x }}", "chat.jinja:1:5: expected the end of the string but got the end of the template"},
      {"{{ (1 }}", "1:7: expected ')' but got '}'"},
      {"{{ 1 ! }}", "expected an expression but got '!'"},
      {"{# open", "1:1: expected the end of the comment, '#}', but got the end of the template"},
      {"{% raw %} open", "1:1: expected 'endraw' but got the end of the template"},
      {"{{ ", "1:4: expected an expression but got the end of the template"},
      {"{% set x.y.z = 1 %}", "expected '%}' but got '.'"},
      {"{{ f(a=1, 2) }}", "1:5: expected arguments by position"},
      {"{{ '\\ud800' }}", "1:4: expected an escape of a character but got \\ud800"},
      {std::string_view("{{ \0 }}", 7), "1:4: expected an expression but got '\\x00'"},
      {"a\xff z", "chat.jinja:1:2: expected UTF-8 but got the bytes \\xff"},
      {"\n{{ '\xe6\x97' }}", "chat.jinja:2:5: expected UTF-8 but got the bytes \\xe6\\x97"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_THAT(parseError(text), HasSubstr(message)) << text;
}

TEST(ChatTemplate, TextMayHoldNul) { EXPECT_EQ(render(std::string("a\0b", 3)), std::string("a\0b", 3)); }

TEST(ChatTemplate, DeepTemplatesAreErrors) {
  auto repeat = [](const std::string &text, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i)
      result += text;
    return result;
  };
  for (const std::string open : {"(", "[", "{1:", "not ", "-", "1 if 1 else ", "a(", "1 if ", "x["})
    EXPECT_THAT(parseError("{{ " + repeat(open, 10'000) + "1"), HasSubstr("deep but got more")) << open;
  EXPECT_THAT(parseError("{{ x" + repeat("|e", 10'000) + " }}"), HasSubstr("deep but got more"));
  EXPECT_THAT(parseError("{{ x" + repeat(".a", 10'000) + " }}"), HasSubstr("deep but got more"));
  EXPECT_THAT(parseError("{{ x" + repeat("+1", 10'000) + " }}"), HasSubstr("deep but got more"));
  EXPECT_THAT(parseError("{{ x" + repeat("()", 10'000) + " }}"), HasSubstr("deep but got more"));
  EXPECT_THAT(parseError(repeat("{% if 1 %}", 10'000)), HasSubstr("deep but got more"));
  EXPECT_THAT(parseError("{% set " + repeat("(", 10'000)), HasSubstr("deep but got more"));
  EXPECT_THAT(parseError(repeat("x", (1 << 20) + 1)), HasSubstr("expected a template of at most"));
  EXPECT_EQ(render("{{ " + repeat("(", 40) + "1" + repeat(")", 40) + " }}"), "1");
  EXPECT_EQ(render("{{ 1" + repeat(" ~ 1", 5000) + " }}"), repeat("1", 5001));
}

TEST(ChatTemplate, RunsAreBounded) {
  ChatOptions options;
  options.limits.steps = 200'000;
  options.limits.textBytes = 1 << 20;
  options.limits.memoryBytes = 8 << 20;
  const std::string steps = "expected a template that ends within 200000 steps but got more";
  const std::string texts = "expected texts of at most 1.0 MiB but got more";
  const std::string memory = "expected values of at most 8.0 MiB in all but got more";
  const std::string depth = "deep inside one another but got more";
  const std::pair<const char *, std::string> cases[] = {
      {"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", "chat.jinja:1:"},
      {"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", steps},
      {"{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}", steps},
      {"{{ 'a' * 1000000000 }}", texts},
      {"{{ 'ab' * 9223372036854775807 }}", texts},
      {"{{ [1] * 1000000000 }}", memory},
      {"{{ [1, 2] * 9223372036854775807 }}", memory},
      {"{{ 'a' | center(1000000000) }}", texts},
      {"{{ 'a'.ljust(1000000000) }}", texts},
      {"{{ '1'.zfill(1000000000) }}", texts},
      {"{{ 'a' | indent(1000000000) }}", texts},
      {"{{ [1] | tojson(indent=1000000000) }}", texts},
      {"{{ '%1000000000d' % 1 }}", texts},
      {"{{ '%.1000000000d' % 1 }}", texts},
      {"{{ '%.100000f' % 1 }}", "expected a precision of at most 1000 but got"},
      {"{{ '{:1000000000}'.format(1) }}", texts},
      {"{{ '{:.100000f}'.format(1.5) }}", "expected a precision of at most 1000 but got 100000"},
      {"{{ range(100001) }}", "expected a range of at most 100000 numbers but got more"},
      {"{{ range(-9223372036854775807, 9223372036854775807) }}", "expected a range"},
      {"{{ [1] | batch(1000000000, 0) | list }}", memory},
      {"{{ [1] | slice(1000000000) | list }}", memory},
      {"{% set x = 'a' * 600000 %}{{ x }}{{ x }}", texts},
      {"{% set x = ('a' * 999) %}{{ x.replace('', x).replace('', x) }}", steps},
      {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", depth},
      {"{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", depth},
      {"{% macro m() %}{{ caller }}{% call m() %}{% endcall %}{% endmacro %}{{ m() }}", depth},
      {"{% for x in [1] recursive %}{{ loop([x]) }}{% endfor %}", depth},
      {"{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x }}", depth},
      {"{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}", depth},
      {"{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x | tojson }}",
       depth},
      {"{% set ns = namespace(x=[], y=[]) %}{% for i in range(2000) %}{% set ns.x = [ns.x] %}{% set ns.y = [ns.y] %}{% "
       "endfor %}{{ ns.x == ns.y }}",
       depth},
      {"{% set ns = namespace(x='a') %}{% for i in range(9999) %}{% set ns.x = ns.x | map('upper') %}{% endfor %}{{ "
       "ns.x | list }}",
       depth},
      {"{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x == "
       "[ns.x[0], ns.x[1]] }}{{ ns.x }}",
       steps},
      {"{{ 9223372036854775807 + 1 }}", "1:24: expected an integer of 64 bits but got more"},
      {"{{ -9223372036854775807 - 2 }}", "expected an integer of 64 bits but got more"},
      {"{{ 3037000500 * 3037000500 }}", "expected an integer of 64 bits but got more"},
      {"{{ 2 ** 63 }}", "expected an integer of 64 bits but got more"},
      {"{{ 2 ** 9223372036854775807 }}", "expected an integer of 64 bits but got more"},
      {"{{ '99999999999999999999' | int }}", "expected an integer of 64 bits but got a text of more"},
      {"{{ 1e300 | int }}", "expected an integer of 64 bits but got 1e+300"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_THAT(runError(text, options), HasSubstr(message)) << text;
  EXPECT_EQ(render("{{ 2 ** 62 }} {{ 1 ** 9223372036854775807 }} {{ (-2) ** 63 }}", options),
            "4611686018427387904 1 -9223372036854775808");
}

TEST(ChatTemplate, TheLimitsOfARealRunEndIt) {
  // The largest loop that the defaults allow: it takes seconds.
  EXPECT_THAT(runError("{% for i in range(100000) %}{% for j in range(100000) %}{{ i }}{% endfor %}{% endfor %}"),
              HasSubstr("but got more"));
}

TEST(ChatTemplate, ErrorsOfARunHaveTheirPlace) {
  const std::pair<const char *, const char *> cases[] = {
      {"\n {{ missing.x }}", "chat.jinja:2:13: 'missing' is undefined"},
      {"{{ messages[0].nope.x }}", "1:21: a dict has no member 'nope'"},
      {"{{ messages[7].role }}", "1:16: a list has no member 7"},
      {"{{ 'a' + 1 }}", "1:8: the operator '+' can't take a text and an integer"},
      {"{{ none + 1 }}", "the operator '+' can't take none and an integer"},
      {"{{ 1 + [missing][0] }}", "1:6: 'missing' is undefined"},
      {"{{ 1 < 'a' }}", "1:6: an integer and a text have no order"},
      {"{{ messages.append(1) }}", "1:19: the sandbox has no 'append' of a list"},
      {"{{ messages | join(1, 2, 3) }}", "expected at most 2 arguments of 'join' but got 3"},
      {"{{ 'a' | replace('b') }}", "expected the argument 'new' of 'replace'"},
      {"{{ 'a' | trim(foo=1) }}", "expected no argument 'foo' of 'trim'"},
      {"{{ 'a' | center('x') }}", "expected an integer as 'width' of 'center' but got a text"},
      {"{% for a, b in [[1, 2, 3]] %}{% endfor %}", "expected 2 values to assign but got 3"},
      {"{% for x in 5 %}{% endfor %}", "1:13: expected a value with elements but got an integer"},
      {"{% set x = 1 %}{% set x.y = 2 %}", "expected a namespace to assign to but got an integer"},
      {"{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "expected at most 1 arguments of the macro 'm' but got 2"},
      {"{{ raise_exception }}", "expected a value that can be printed but got a function"},
      {"{{ 'a'.upper }}", "expected a value that can be printed but got a method"},
      {"{{ messages | select }}", "expected a value that can be printed but got an iterator"},
      {"{{ messages | map('nope' ~ '') | list }}", "unknown filter 'nope'"},
      {"{{ (1).real }}", "'real' of an integer is not supported"},
      {"{{ ('a' | safe).split() }}", "'split' of a text marked as safe is not supported"},
      {"{{ missing | tojson }}", "expected a value that JSON has but got 'missing' is undefined"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_THAT(runError(text), HasSubstr(message)) << text;
}

TEST(ChatTemplate, FindsNothingInWhatIsUndefined) {
  EXPECT_EQ(render("[{{ nothing | replace('a', 'b') }}{{ ''.x | replace(5, 6) }}]"), "[]");
}

TEST(ChatTemplate, TakesConversationsOfAnyKind) {
  const ChatTemplate parsed =
      ChatTemplate::parse("{% for m in messages %}{{ m.role }}: {{ m.content }};{% endfor %}", "chat.jinja");
  EXPECT_EQ(parsed.render(ordered_json::array()), "");
  EXPECT_EQ(parsed.render({{{"role", "user"}, {"content", nullptr}}, {{"content", 1.5}}}), "user: None;: 1.5;");
}

TEST(ChatTemplate, BadConversationsAreErrors) {
  const ChatTemplate parsed = ChatTemplate::parse("{{ messages | tojson }}", "chat.jinja");
  EXPECT_EQ(parsed.render({{{"content", "a\xffz"}}}),
            "[{\"content\": \"a\xef\xbf\xbdz\"}]"); // invalid UTF-8 is replaced
  EXPECT_THROW(parsed.render({{{"n", UINT64_MAX}}}), std::runtime_error);
  ordered_json deep = 1;
  for (int i = 0; i < 3000; ++i)
    deep = ordered_json::array({std::move(deep)});
  EXPECT_THROW(parsed.render(deep), std::runtime_error);
}

} // namespace
