// Stop strings: found across pieces of any size, with the text before them kept and nothing after.
#include "nstf/StopStrings.h"

#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace nstf::runtime;

namespace {

/// The text up to a stop string, pushed in pieces of `piece` characters.
std::string cut(const std::vector<std::string> &stops, const std::string &text, std::size_t piece) {
  StopStrings filter(stops);
  std::string result;
  for (std::size_t i = 0; i < text.size() && !filter.found(); i += piece)
    result += filter.push(text.substr(i, piece));
  return result + filter.finish();
}

TEST(StopStrings, EndTheText) {
  for (std::size_t piece : {1, 2, 3, 100}) {
    EXPECT_EQ(cut({"stop"}, "don't stop now", piece), "don't ");
    EXPECT_EQ(cut({"stop"}, "stop", piece), "");
    EXPECT_EQ(cut({"stop"}, "sto sto st", piece), "sto sto st");
    EXPECT_EQ(cut({"aab"}, "aaaaab!", piece), "aaa");
    EXPECT_EQ(cut({"abab!", "bac"}, "ababac", piece), "aba");
    EXPECT_EQ(cut({"\n\n", "."}, "one\ntwo\n\nthree.", piece), "one\ntwo");
    EXPECT_EQ(cut({}, "everything", piece), "everything");
    EXPECT_EQ(cut({"abc", "b"}, "abc", piece), "a");  // "b" is complete first
    EXPECT_EQ(cut({"c", "abc"}, "xabc", piece), "x"); // both end at once: the longest counts
  }
}

TEST(StopStrings, HoldBackOnlyWhatMayBecomeOne) {
  StopStrings filter({"END"});
  EXPECT_EQ(filter.push("the "), "the ");
  EXPECT_EQ(filter.push("E"), "");
  EXPECT_EQ(filter.push("N"), "");
  EXPECT_EQ(filter.push("E"), "EN");
  EXPECT_FALSE(filter.found());
  EXPECT_EQ(filter.push("NDED"), "");
  EXPECT_TRUE(filter.found());
  EXPECT_EQ(filter.push("more"), "");
  EXPECT_EQ(filter.finish(), "");
  EXPECT_EQ(filter.push("E"), ""); // a new text
  EXPECT_EQ(filter.finish(), "E");
}

TEST(StopStrings, DoNotDependOnThePieces) {
  std::mt19937 random(1);
  auto word = [&](std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i)
      text += static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::string> stops = {word(2 + random() % 4), word(3 + random() % 4)};
    std::string text = word(1 + random() % 20), expected = cut(stops, text, 1);
    for (std::size_t piece : {2, 3, 5, 100})
      ASSERT_EQ(cut(stops, text, piece), expected) << text << " until " << stops[0] << " or " << stops[1];
    ASSERT_EQ(text.substr(0, expected.size()), expected);
  }
}

TEST(StopStrings, RefuseAnEmptyOne) { EXPECT_THROW(StopStrings({"a", ""}), std::runtime_error); }

} // namespace
