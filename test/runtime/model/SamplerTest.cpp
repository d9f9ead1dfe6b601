// Each step from logits to a token, alone and combined.
#include "nstf/Sampler.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

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

// The exact sequence is guaranteed: another order of operations would change users' texts.
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
  EXPECT_EQ(histogram.size(), 1u); // the first alone reaches 0.5
  EXPECT_EQ(histogram[1], 1000);
  histogram = draw({1.0f, 0.7f, 1}, logits, 8000);
  EXPECT_EQ(histogram.size(), 2u);
  EXPECT_NEAR(histogram[1], 5000, 300);
  histogram = draw({1.0f, 0.85f, 1}, logits, 9000); // keeps the first of the two equal ones
  EXPECT_EQ(histogram.count(0), 1u);
  EXPECT_EQ(histogram.count(3), 0u);
}

TEST(Sampler, ExtremeLogits) {
  EXPECT_EQ(draw({1.0f, 1.0f, 1}, {-3e38f, 3e38f}, 100)[1], 100);
  EXPECT_EQ(draw({1e-30f, 1.0f, 1}, {1.0f, 1.0f + 1e-6f, 0.0f}, 100)[1], 100);
  EXPECT_EQ(draw({1.0f, 1.0f, 1}, {-INFINITY, 0.0f}, 100)[1], 100);
}

TEST(Sampler, TopKKeepsTheFirstOfEquals) {
  SamplerOptions options{1.0f, 1.0f, 1, 2};
  auto histogram = draw(options, {0.0f, 2.0f, 1.0f, 1.0f}, 1000);
  EXPECT_EQ(histogram.size(), 2u);
  EXPECT_GT(histogram[1], histogram[2]);
  EXPECT_GT(histogram[2], 0);
  options.topK = 1;
  EXPECT_EQ(draw(options, {2.0f, 2.0f, 1.0f, 1.0f}, 100)[0], 100); // like greedy
}

TEST(Sampler, PenaltiesOfWhatItChose) {
  SamplerOptions options;
  options.frequencyPenalty = 1.0;
  Sampler sampler(options);
  std::vector<float> logits = {2.5f, 1.0f, 0.25f};
  std::vector<int> tokens;
  for (int i = 0; i < 5; ++i)
    tokens.push_back(sampler.sample(logits));
  // After two 0s token 1 wins (2.5 - 2 < 1), then token 0 again, then token 2.
  EXPECT_EQ(tokens, (std::vector<int>{0, 0, 1, 0, 2}));
  sampler.begin({});
  EXPECT_EQ(sampler.sample(logits), 0); // a new text
}

TEST(Sampler, BiasMasks) {
  SamplerOptions options;
  options.logitBias = {{1, -INFINITY}};
  EXPECT_EQ(Sampler(options).sample(std::vector<float>{1, 3, 2}), 2);
  options.temperature = 1;
  EXPECT_EQ(draw(options, {1, 3, 2}, 500).count(1), 0u);
  EXPECT_EQ(draw({1.0f, 1.0f, 1}, {1, -INFINITY, 2}, 500).count(1), 0u); // a mask by the model itself
  auto message = [](const SamplerOptions &options, std::vector<float> logits) -> std::string {
    try {
      Sampler(options).sample(logits);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(options, {1}), "expected a logit bias of tokens from 0 to 0 but got 1");
  EXPECT_EQ(message(options, {-INFINITY, 3}), "expected a token that can be chosen but the logit bias masks every one");
  options.logitBias = {{1, 1.7e308}, {0, 1.7e308}};
  options.repetitionPenalty = 1e-10;
  Sampler sampler(options);
  sampler.begin(std::vector<int>{1});
  EXPECT_THROW(sampler.sample(std::vector<float>{1, 1}), std::runtime_error);
}

TEST(Sampler, RefusesWhatIsNoNumber) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(Sampler({}).sample(std::vector<float>{1, nan}), std::runtime_error);
  EXPECT_THROW(Sampler({}).sample(std::vector<float>{nan, 1}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0}).sample(std::vector<float>{1, INFINITY}), std::runtime_error);
  EXPECT_THROW(Sampler({}).sample(std::vector<float>{INFINITY, 1}), std::runtime_error);
  EXPECT_THROW(Sampler({}).sample(std::vector<float>{-INFINITY, -INFINITY}), std::runtime_error);
  EXPECT_THROW(Sampler({}).sample({}), std::runtime_error);
  EXPECT_THROW(Sampler({-1.0f, 1.0f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({nan, 1.0f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 0.0f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.5f, 0}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, -1}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, 1.5}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, nan}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, 0.0, 0.0}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, 0.0, 1.0, INFINITY}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, 0.0, 1.0, 0.0, nan}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, 0.0, 1.0, 0.0, 0.0, {{0, INFINITY}}}), std::runtime_error);
  EXPECT_THROW(Sampler({1.0f, 1.0f, 0, 0, 0.0, 1.0, 0.0, 0.0, {{-1, 1.0}}}), std::runtime_error);
}

TEST(Logits, ProbabilitiesAndTheLikeliest) {
  std::vector<float> logits = {0.0f, std::log(3.0f), -INFINITY, std::log(4.0f), 0.0f, std::log(3.0f)};
  EXPECT_NEAR(logSumExp(logits), std::log(12.0), 1e-7);
  std::vector<TokenLogprob> best = likeliest(logits, 4);
  ASSERT_EQ(best.size(), 4u);
  EXPECT_EQ(best[0].id, 3);
  EXPECT_EQ(best[1].id, 1);
  EXPECT_EQ(best[2].id, 5);
  EXPECT_EQ(best[3].id, 0);
  EXPECT_NEAR(best[1].logprob, std::log(0.25), 1e-7);
  EXPECT_EQ(likeliest(logits, 99).back().logprob, -INFINITY);
  EXPECT_TRUE(likeliest(logits, 0).empty());
  EXPECT_NEAR(logSumExp(std::vector<float>{3e38f, 3e38f}), 3e38, 1e32);
}

/// transformers' probabilities after each processor and after several (make_sampling.py).
TEST(Sampler, AgreesWithTransformers) {
  std::ifstream file(NSTF_SOURCE_DIR "/test/runtime/model/Inputs/sampling.json");
  auto document = nlohmann::json::parse(file);
  ASSERT_EQ(document["cases"].size(), 54u);
  for (const auto &test : document["cases"]) {
    const auto &given = test["options"];
    SamplerOptions options;
    options.temperature = given.value("temperature", 1.0f);
    options.topP = given.value("top_p", 1.0f);
    options.topK = given.value("top_k", 0);
    options.minP = given.value("min_p", 0.0);
    options.repetitionPenalty = given.value("repetition_penalty", 1.0);
    options.frequencyPenalty = given.value("frequency_penalty", 0.0);
    options.presencePenalty = given.value("presence_penalty", 0.0);
    auto biases = given.value("logit_bias", nlohmann::json::object());
    for (const auto &[id, bias] : biases.items())
      options.logitBias[std::stoi(id)] = bias;
    std::vector<float> logits;
    for (const auto &logit : test["logits"])
      logits.push_back(logit.is_null() ? -INFINITY : logit.get<float>());

    // Feeds the text to the sampler by logits that leave it no choice.
    Sampler sampler(options);
    sampler.begin(test["prompt"].get<std::vector<int32_t>>());
    for (int32_t id : test["text"]) {
      std::vector<float> only(logits.size(), -INFINITY);
      only[id] = 0.0f;
      ASSERT_EQ(sampler.sample(only), id);
    }
    std::vector<double> got(logits.size());
    for (const TokenProbability &token : sampler.distribution(logits))
      got[token.id] = token.probability;
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], test["probabilities"][i].get<double>(), 1e-12) << given << " token " << i;
  }
}

} // namespace
