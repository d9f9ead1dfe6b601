// Which tokens of a calibration are held out.
#include "compiler/calibrate/Holdout.h"

#include <gmock/gmock.h>
#include <stdexcept>
#include <string>

using nstf::calibrate::Holdout;
using testing::ElementsAre;

namespace {

using Texts = std::vector<std::vector<int32_t>>;

Texts make(const std::vector<size_t> &sizes) {
  Texts texts;
  for (size_t size : sizes)
    texts.emplace_back(size);
  return texts;
}

std::vector<size_t> count(const char *text, const std::vector<size_t> &sizes) {
  return Holdout::parse(text).countFitted(make(sizes));
}

std::string getError(const char *text, const std::vector<size_t> &sizes = {8, 8}) {
  try {
    count(text, sizes);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Holdout, AShareIsRowsSpreadOverAll) {
  EXPECT_THAT(Holdout::quarter().countFitted(make({5, 6, 7, 8, 9, 5, 6, 7, 8})),
              ElementsAre(5, 6, 7, 0, 9, 5, 6, 0, 8));
  EXPECT_THAT(count("0.25", {5, 5, 5, 5}), ElementsAre(5, 5, 5, 0));
  EXPECT_THAT(count("0.5", {5, 5, 5, 5, 5}), ElementsAre(5, 0, 5, 0, 5));
  EXPECT_THAT(count("0.4", {5, 5, 5, 5, 5}), ElementsAre(5, 5, 0, 5, 0));
  EXPECT_THAT(count("0.9", {5, 5, 5}), ElementsAre(5, 0, 0)); // the first token is always fitted
}

TEST(Holdout, AShareOfLessThanARowIsTheEndOfEach) {
  EXPECT_THAT(count("0.25", {100}), ElementsAre(75));
  EXPECT_THAT(count("0.25", {100, 11, 8}), ElementsAre(75, 9, 6));
  EXPECT_THAT(count("0.25", {7, 2}), ElementsAre(7, 2)); // a single token has no next one to predict
  EXPECT_THAT(count("0.9", {20}), ElementsAre(2));
  EXPECT_THAT(count("0.9", {3}), ElementsAre(2));
}

TEST(Holdout, RowsAndNothing) {
  EXPECT_THAT(count("1-2", {5, 6, 7, 8}), ElementsAre(5, 0, 0, 8));
  EXPECT_THAT(count("0-0", {5, 6}), ElementsAre(0, 6));
  EXPECT_THAT(count("0", {5, 6, 7, 8}), ElementsAre(5, 6, 7, 8));
  EXPECT_TRUE(Holdout::parse("0").isNone());
  EXPECT_FALSE(Holdout::parse("0-0").isNone());
  EXPECT_FALSE(Holdout::quarter().isNone());
}

TEST(Holdout, RefusesWhatIsNoShareAndRowsThatAreNotThere) {
  for (const char *text : {"1", "1.5", "-0.1", "nan", "inf", "", "some", "-", "3-", "-3", "2-1", "1-x", "0.5-1"})
    EXPECT_EQ(getError(text),
              std::string("--holdout: expected a share from 0 to below 1, or rows as FIRST-LAST, but got '") + text +
                  "'");
  EXPECT_EQ(getError("1-2"),
            "--holdout: expected FIRST-LAST within the 2 rows that calibrate, one of them left to fit, "
            "but got '1-2'");
  EXPECT_NE(getError("0-1"), "");
  EXPECT_NE(getError("0-18446744073709551615"), "");
}

} // namespace
