// Greedy, temperature and top-p sampling.
#include "nstf/Sampler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

using namespace nstf::runtime;

namespace {

std::map<int, int> draw(const SamplerOptions &options, const std::vector<float> &logits, int count) {
  Sampler sampler(options);
  std::map<int, int> histogram;
  for (int i = 0; i < count; ++i)
    ++histogram[sampler.sample(logits)];
  return histogram;
}

TEST(Sampler, GreedyTakesTheFirstOfEquals) {
  Sampler sampler({});
  EXPECT_TRUE(sampler.greedy());
  EXPECT_EQ(sampler.sample(std::vector<float>{1, 3, 3, 2}), 1);
  EXPECT_EQ(sampler.sample(std::vector<float>{-5}), 0);
  EXPECT_EQ(sampler.sample(std::vector<float>{-INFINITY, -INFINITY, -9}), 2);
}

TEST(Sampler, SameSeedSameTokens) {
  std::vector<float> logits;
  for (int i = 0; i < 100; ++i)
    logits.push_back(std::sin(float(i)));
  Sampler a({1.0f, 0.9f, 7}), b({1.0f, 0.9f, 7}), c({1.0f, 0.9f, 8});
  int different = 0;
  for (int i = 0; i < 200; ++i) {
    int token = a.sample(logits);
    EXPECT_EQ(token, b.sample(logits));
    different += token != c.sample(logits);
  }
  EXPECT_GT(different, 100);
}

// The sequence itself is part of the promise: another order of operations would change users' texts.
TEST(Sampler, KnownSequence) {
  Sampler sampler({1.0f, 1.0f, 0});
  std::vector<float> logits(10, 0.0f); // uniform: token = floor(10 u), u = splitmix64(seed 0) / 2^64
  std::vector<int> tokens;
  for (int i = 0; i < 4; ++i)
    tokens.push_back(sampler.sample(logits));
  // splitmix64 from 0: e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, f88bb8a8724c81ec
  EXPECT_EQ(tokens, (std::vector<int>{8, 4, 0, 9}));
}

TEST(Sampler, FrequenciesFollowSoftmax) {
  std::vector<float> logits = {0.0f, std::log(2.0f), std::log(5.0f)};
  auto histogram = draw({1.0f, 1.0f, 3}, logits, 80000);
  EXPECT_NEAR(histogram[0], 10000, 500);
  EXPECT_NEAR(histogram[1], 20000, 700);
  EXPECT_NEAR(histogram[2], 50000, 900);
  // Temperature 1/2 squares the ratios: 1, 4, 25.
  histogram = draw({0.5f, 1.0f, 3}, logits, 30000);
  EXPECT_NEAR(histogram[0], 1000, 200);
  EXPECT_NEAR(histogram[1], 4000, 400);
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  std::vector<float> logits = {std::log(0.1f), std::log(0.5f), std::log(0.3f), std::log(0.1f)};
  auto histogram = draw({1.0f, 0.5f, 1}, logits, 1000);
  EXPECT_EQ(histogram.size(), 1u); // 0.5 is reached by the first alone
  EXPECT_EQ(histogram[1], 1000);
  histogram = draw({1.0f, 0.7f, 1}, logits, 8000);
  EXPECT_EQ(histogram.size(), 2u);
  EXPECT_NEAR(histogram[1], 5000, 300);
  histogram = draw({1.0f, 0.85f, 1}, logits, 9000); // of the two equal ones the first is kept
  EXPECT_EQ(histogram.count(0), 1u);
  EXPECT_EQ(histogram.count(3), 0u);
}

TEST(Sampler, ExtremeLogits) {
  EXPECT_EQ(draw({1.0f, 1.0f, 1}, {-3e38f, 3e38f}, 100)[1], 100);
  EXPECT_EQ(draw({1e-30f, 1.0f, 1}, {1.0f, 1.0f + 1e-6f, 0.0f}, 100)[1], 100);
  EXPECT_EQ(draw({1.0f, 1.0f, 1}, {-INFINITY, 0.0f}, 100)[1], 100);
}

TEST(Sampler, RefusesWhatIsNoNumber) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(Sampler({}).sample(std::vector<float>{1, nan}), std::runtime_error);
  EXPECT_THROW(Sampler({}).sample(std::vector<float>{nan, 1}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0}).sample(std::vector<float>{1, INFINITY}), std::runtime_error);
  EXPECT_THROW(Sampler({}).sample({}), std::runtime_error);
  EXPECT_THROW(Sampler({-1.0f, 1.0f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({nan, 1.0f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 0.0f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.5f, 0}), std::runtime_error);
}

} // namespace
