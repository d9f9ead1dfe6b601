// Which matrices get fewer bits.
#include "compiler/compress/AssignPrecision.h"

#include <gmock/gmock.h>
#include <random>

using namespace nstf::compress;
using testing::ElementsAre;

namespace {

TEST(PrecisionSteps, BeginsWithTheLeastLossAndEndsWithTheLeastCost) {
  PrecisionSteps steps({{{4, 0.1}, {8, 0.01}, {16, 0}}});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_THAT(steps.getChoices(0), ElementsAre(2));
  EXPECT_THAT(steps.getChoices(1), ElementsAre(1));
  EXPECT_THAT(steps.getChoices(2), ElementsAre(0));
  EXPECT_DOUBLE_EQ(steps.getCost(0), 16);
  EXPECT_DOUBLE_EQ(steps.getLoss(1), 0.01);
}

TEST(PrecisionSteps, WhatSavesMostForItsLossComesFirst) {
  PrecisionSteps steps({{{4, 0.4}, {8, 0}}, {{40, 0.4}, {80, 0}}, {{4, 0.1}, {8, 0}}});
  EXPECT_THAT(steps.getChoices(1), ElementsAre(1, 0, 1)); // 0.01 a unit
  EXPECT_THAT(steps.getChoices(2), ElementsAre(1, 0, 0)); // 0.025
  EXPECT_THAT(steps.getChoices(3), ElementsAre(0, 0, 0)); // 0.1
}

TEST(PrecisionSteps, ChoicesThatLoseMoreAndSaveNothingAreLeftOut) {
  PrecisionSteps steps({{{8, 0.2}, {8, 0.1}, {4, 0.3}, {6, 0.29}}});
  EXPECT_THAT(steps.getChoices(0), ElementsAre(1));
  ASSERT_EQ(steps.size(), 1u); // 6 lies above the line from 8 to 4
  EXPECT_THAT(steps.getChoices(1), ElementsAre(2));
}

TEST(PrecisionSteps, OneChoiceIsNoStep) {
  PrecisionSteps steps({{{8, 0.2}}});
  EXPECT_EQ(steps.size(), 0u);
  EXPECT_EQ(steps.countWithin(0), 0u);
  EXPECT_THAT(steps.getChoicesWithin(8), ElementsAre(0));
}

TEST(PrecisionSteps, CountsWithinALossAndToACost) {
  PrecisionSteps steps({{{4, 0.1}, {8, 0.01}, {16, 0}}});
  EXPECT_EQ(steps.countWithin(0.005), 0u);
  EXPECT_EQ(steps.countWithin(0.01), 1u);
  EXPECT_EQ(steps.countWithin(1), 2u);
  EXPECT_THAT(steps.getChoicesWithin(20), ElementsAre(2));
  EXPECT_THAT(steps.getChoicesWithin(15), ElementsAre(1));
  EXPECT_THAT(steps.getChoicesWithin(4), ElementsAre(0));
}

TEST(PrecisionSteps, StepsBeyondOneThatIsTooLarge) {
  PrecisionSteps steps({{{40, 0.5}, {80, 0}}, {{4, 0.1}, {8, 0}}, {{2, 0.4}, {4, 0.1}, {8, 0}}});
  EXPECT_THAT(steps.getChoicesBeyond(0, 0.45), ElementsAre(1, 0, 1)); // 0.5 and 0.3 are too large
  EXPECT_THAT(steps.getChoicesBeyond(1, 0.5), ElementsAre(0, 1, 2));
  EXPECT_THAT(steps.getChoicesBeyond(0, 1), ElementsAre(0, 0, 0));
}

TEST(PrecisionSteps, StepsThatALargeOneMadeNeedlessAreTakenBack) {
  PrecisionSteps steps({{{4, 0.01}, {8, 0}}, {{5, 0.04}, {9, 0}}, {{40, 0.8}, {80, 0}}});
  EXPECT_THAT(steps.getChoicesWithin(60), ElementsAre(1, 1, 0)); // 57: the third's saving suffices
  EXPECT_THAT(steps.getChoicesWithin(56), ElementsAre(0, 1, 0)); // 53: the second goes first, since it lost more
}

/// If the steps end exactly at a cost, no other choice of that cost loses less.
TEST(PrecisionSteps, NoneOfAllChoicesIsBetter) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0, 1);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::vector<Choice>> matrices(4);
    for (std::vector<Choice> &choices : matrices)
      for (int i = 0; i < 3; ++i)
        choices.push_back({number(random), number(random)});
    PrecisionSteps steps(matrices);
    for (size_t count = 0; count <= steps.size(); ++count)
      for (int all = 0; all < 81; ++all) {
        double cost = 0, loss = 0;
        for (int i = 0, rest = all; i < 4; ++i, rest /= 3) {
          cost += matrices[i][rest % 3].cost;
          loss += matrices[i][rest % 3].loss;
        }
        EXPECT_FALSE(cost < steps.getCost(count) - 1e-9 && loss < steps.getLoss(count) - 1e-9);
      }
  }
}

} // namespace
