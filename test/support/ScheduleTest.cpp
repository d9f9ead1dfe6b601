// Fields of a schedule and their texts; errors are in test/dialects/systolic/schedule-errors.mlir.
#include "support/Schedule.h"

#include <gtest/gtest.h>

namespace nstf::support {
namespace {

TEST(Schedule, TextsOfFields) {
  Schedule schedule;
  EXPECT_EQ(schedule.str(), "");
  const std::pair<const char *, const char *> texts[] = {{"priorities", "none"}, {"order", "turns"}, {"through", "lds"},
                                                         {"ahead", "1"},         {"buffers", "3"},   {"sum", "all"},
                                                         {"waves", "2x4x8"}};
  for (auto [field, text] : texts) {
    EXPECT_EQ(schedule.get(field), "") << field;
    EXPECT_EQ(schedule.set(field, text), "") << field;
    EXPECT_EQ(schedule.get(field), text) << field;
  }
  EXPECT_EQ(schedule.str(), "waves=2x4x8 sum=all buffers=3 ahead=1 through=lds order=turns priorities=none");
  EXPECT_EQ(schedule.waves->count(), 64);
  EXPECT_EQ(schedule.sum, Schedule::allBlocks);
  EXPECT_EQ(schedule.through, Schedule::Through::Lds);
  EXPECT_EQ(schedule.order, Schedule::Order::Turns);
  EXPECT_EQ(schedule.priorities, Schedule::Priorities::None);
}

TEST(Schedule, OtherSpellings) {
  Schedule schedule;
  EXPECT_EQ(schedule.set("waves", "2x4x1"), "");
  EXPECT_EQ(schedule.get("waves"), "2x4");
  for (const char *text : {"16", "16 blocks", "16 block"}) {
    EXPECT_EQ(schedule.set("sum", text), "");
    EXPECT_EQ(schedule.sum, 16);
  }
  EXPECT_EQ(schedule.set("ahead", "2 blocks"), "");
  EXPECT_EQ(schedule.ahead, 2);
}

TEST(Schedule, AFaultChangesNothing) {
  Schedule schedule;
  ASSERT_EQ(schedule.set("waves", "2x4"), "");
  const std::pair<const char *, const char *> texts[] = {
      {"waves", ""},       {"waves", "2"},       {"waves", "2x"},
      {"waves", "x2"},     {"waves", "2x4x8x1"}, {"waves", "2 x 4"},
      {"sum", "0"},        {"sum", "blocks"},    {"sum", "16 rounds"},
      {"sum", ""},         {"buffers", "two"},   {"buffers", "2 blocks"},
      {"ahead", "all"},    {"through", ""},      {"order", "Merged"},
      {"priorities", "1"}, {"WM", "2"},          {"waves", "99999999999999999999x1"}};
  for (auto [field, text] : texts) {
    EXPECT_TRUE(schedule.set(field, text).starts_with("expected ")) << field << " " << text;
    EXPECT_EQ(schedule.str(), "waves=2x4") << field << " " << text;
  }
}

TEST(Schedule, RulesOfSeveralFields) {
  auto getFault = [](std::initializer_list<std::pair<const char *, const char *>> texts) {
    Schedule schedule;
    for (auto [field, text] : texts)
      EXPECT_EQ(schedule.set(field, text), "");
    return schedule.findFault();
  };
  EXPECT_EQ(getFault({}), "");
  EXPECT_EQ(getFault({{"buffers", "2"}, {"ahead", "3"}}), ""); // blocks of one step may wait in registers
  EXPECT_EQ(getFault({{"buffers", "3"}, {"ahead", "3"}, {"through", "lds"}}), "");
  EXPECT_NE(getFault({{"buffers", "2"}, {"ahead", "3"}, {"through", "lds"}}), "");
  EXPECT_EQ(getFault({{"order", "turns"}, {"priorities", "none"}}), "");
  EXPECT_NE(getFault({{"order", "turns"}, {"priorities", "falling"}}), "");
  EXPECT_NE(getFault({{"waves", "1x1x1025"}}), "");
}

TEST(Schedule, FieldsOverOthers) {
  Schedule schedule, other;
  schedule.set("waves", "2x2x4");
  schedule.set("sum", "16");
  other.set("waves", "1x4");
  other.set("order", "turns");
  schedule.apply(other);
  EXPECT_EQ(schedule.str(), "waves=1x4 sum=16 order=turns");
  EXPECT_EQ(Schedule::getFieldInPlaceOf("WK"), "waves");
  EXPECT_EQ(Schedule::getFieldInPlaceOf("BM"), "");
}

} // namespace
} // namespace nstf::support
