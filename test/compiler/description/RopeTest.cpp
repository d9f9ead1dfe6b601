// Frequencies of rotary embeddings: their formula, and every kind of scaling against Hugging Face's transformers.
#include "compiler/description/Rope.h"

#include "compiler/description/Config.h"
#include "test/compiler/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace nstf;
using namespace nstf::description;
using namespace nstf::test;
using nlohmann::json;
using testing::HasSubstr;

namespace {

class RopeTest : public TestFiles {
protected:
  RopeScaling scaling(const json &config, const std::string &key) {
    return readRopeScaling(Config(write("config.json", config.dump())), key);
  }
  std::string error(const json &rope) {
    return getError([&] { scaling(json{{"rope_scaling", rope}}, "rope_scaling"); });
  }
};

/// test/models/make_fixtures.py wrote rope.json. transformers computes in float32, in which yarn subtracts.
TEST_F(RopeTest, EveryScalingIsThatOfTransformers) {
  std::ifstream in(std::string(NSTF_SOURCE_DIR) + "/test/models/rope.json");
  json cases = json::parse(in);
  ASSERT_GE(cases.size(), 34u);
  for (const json &one : cases) {
    const json &config = one["config"];
    RopeScaling rope = scaling(config, "rope_parameters");
    double positions = config["max_position_embeddings"], theta = config["rope_parameters"]["rope_theta"];
    std::vector<double> wanted = one["inv_freq"],
                        got = ropeFrequencies(one["rotary"], theta, rope, positions, one["context"]);
    ASSERT_EQ(got.size(), wanted.size()) << config;
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i] / wanted[i], 1, 5e-6) << config << " pair " << i;
    EXPECT_NEAR(ropeScale(rope, positions), one["scale"].get<double>(), 1e-12) << config;
  }
}

TEST_F(RopeTest, Formula) {
  std::vector<double> frequencies = ropeFrequencies(8, 10000);
  ASSERT_EQ(frequencies.size(), 4u);
  EXPECT_EQ(frequencies[0], 1);
  EXPECT_NEAR(frequencies[3], 1e-3, 1e-18);
  EXPECT_THAT(getError([] { ropeFrequencies(7, 10000); }), HasSubstr("expected an even rotary dimension"));
  EXPECT_THAT(getError([] { ropeFrequencies(8, 0); }), HasSubstr("rope theta"));
  EXPECT_THAT(getError([] { ropeFrequencies(8, std::nan("")); }), HasSubstr("rope theta"));
}

/// Dynamic scaling keeps the model's base up to its number of positions, and rotates all keys with one base beyond.
TEST_F(RopeTest, DynamicScalingTakesTheCompiledContextAsLength) {
  RopeScaling rope = scaling(json{{"rope_scaling", {{"type", "dynamic"}, {"factor", 3}}}}, "rope_scaling");
  EXPECT_EQ(ropeFrequencies(8, 10000, rope, 64, 64), ropeFrequencies(8, 10000));
  EXPECT_EQ(ropeFrequencies(8, 10000, rope, 64, 7), ropeFrequencies(8, 10000));
  EXPECT_LT(ropeFrequencies(8, 10000, rope, 64, 65)[3], ropeFrequencies(8, 10000)[3]);
  EXPECT_EQ(ropePositions(rope, 64), 192);
  EXPECT_EQ(ropePositions(RopeScaling(), 64), 64);
  EXPECT_THAT(getError([&] { ropeFrequencies(2, 10000, rope, 64, 65); }), HasSubstr("at least 4 for dynamic rope"));
}

TEST_F(RopeTest, LongropeTakesTheListForTheCompiledContext) {
  json config = {{"rope_scaling",
                  {{"type", "longrope"},
                   {"original_max_position_embeddings", 16},
                   {"short_factor", {1, 2}},
                   {"long_factor", {4, 8}}}}};
  RopeScaling rope = scaling(config, "rope_scaling");
  EXPECT_EQ(ropeFrequencies(4, 100, rope, 64, 16), (std::vector<double>{1, 0.05}));
  EXPECT_EQ(ropeFrequencies(4, 100, rope, 64, 17), (std::vector<double>{0.25, 0.0125}));
  EXPECT_THAT(getError([&] { ropeFrequencies(6, 100, rope, 64, 17); }),
              HasSubstr("expected long_factor of rope to have a number for each of 3 pairs but got 2"));
}

TEST_F(RopeTest, PositionsTrainedWithStandBesideTheObjectOrInIt) {
  json config = {{"rope_scaling", {{"type", "yarn"}, {"original_max_position_embeddings", 16}}}};
  EXPECT_EQ(scaling(config, "rope_scaling").original, 16);
  config["original_max_position_embeddings"] = 32;
  EXPECT_EQ(scaling(config, "rope_scaling").original, 32);
}

TEST_F(RopeTest, Refusals) {
  EXPECT_THAT(error({{"rope_type", "mrope"}}),
              HasSubstr("config.json': expected rope_scaling.rope_type to be 'default', 'linear', 'dynamic', 'llama3', "
                        "'yarn' or 'longrope' but got 'mrope'"));
  EXPECT_THAT(error({{"type", 3}}), HasSubstr("expected rope_scaling.type to be 'default'"));
  EXPECT_THAT(error({{"type", "su"}, {"short_factor", {1, 2}}}),
              HasSubstr("expected rope_scaling.long_factor to be a list of numbers greater than 0 but got null"));
  EXPECT_THAT(error({{"type", "longrope"}, {"short_factor", {1, -2.5}}, {"long_factor", {1, 2}}}),
              HasSubstr("expected rope_scaling.short_factor to be a list of numbers greater than 0 but got [1, -2.5]"));
  EXPECT_THAT(error("linear"), HasSubstr("expected rope_scaling to be an object but got 'linear'"));
  EXPECT_THAT(error({1.5, 2.5}), HasSubstr("expected rope_scaling to be an object but got [1.5, 2.5]"));
  EXPECT_THAT(error({{"type", "linear"}}), HasSubstr("expected a key 'rope_scaling.factor' but it has none"));
  EXPECT_THAT(error({{"type", "linear"}, {"factor", -2}}),
              HasSubstr("expected rope_scaling.factor to be a number greater than 0 but got -2"));
  EXPECT_THAT(error({{"type", "dynamic"}, {"factor", "2"}}),
              HasSubstr("rope_scaling.factor to be a number but got '2'"));
  json llama3 = {{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 4}, {"high_freq_factor", 4}};
  EXPECT_THAT(error(llama3), HasSubstr("rope_scaling.high_freq_factor to be a number greater than low_freq_factor, 4"));
  llama3.erase("low_freq_factor");
  EXPECT_THAT(error(llama3), HasSubstr("expected a key 'rope_scaling.low_freq_factor'"));
  EXPECT_THAT(error({{"type", "yarn"}, {"truncate", 1}}),
              HasSubstr("rope_scaling.truncate to be true or false but got 1"));
  EXPECT_THAT(error({{"full_attention", {{"rope_type", "default"}}}}),
              HasSubstr("rope_scaling.full_attention is not supported: expected one rope for all layers"));
}

} // namespace
