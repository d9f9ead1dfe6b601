// plan.yaml, as it is written, and what is read of it.
#include "compiler/compress/PrecisionPlan.h"

#include "support/InputError.h"
#include "test/compiler/calibrate/HandModel.h"

#include <gmock/gmock.h>

using namespace nstf::compress;
using nstf::support::ElementType;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class PrecisionPlanTest : public nstf::test::HandModel {
protected:
  PrecisionPlanTest() {
    addWeight("table", "1x64", std::vector<float>(64, 1));
    addWeight("layers.0.a.weight", "2x64", std::vector<float>(128, 1));
    addWeight("lm-head.weight", "3x2", std::vector<float>(6, 1));
    parse(get("t", "table", "1x64") + get("aw", "layers.0.a.weight", "2x64") +
              "%hw = nstf.get @\"lm-head.weight\" : tensor<3x2xf32>\n"
              "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<1x64xf32>) -> tensor<?x64xf32>\n"
              "%a = nstf.linear %x, %aw : (tensor<?x64xf32>, tensor<2x64xf32>) -> tensor<?x2xf32>\n"
              "%logits = nstf.linear %a, %hw : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x3xf32>\n",
          3);
  }

  PrecisionPlan read(const std::string &text, const std::string &calibration = "") {
    return PrecisionPlan::read(write("plan.yaml", text), found, "0a1b", calibration);
  }
  /// "3:7: expected …": place and message, without the file's path.
  std::string refuse(const std::string &text, const std::string &calibration = "") {
    const std::string error = nstf::test::getError([&] { read(text, calibration); }), file = path("plan.yaml") + ":";
    return error.starts_with(file) ? error.substr(file.size()) : error;
  }

  static std::string layers(const std::string &a, const std::string &head) {
    return "weights_sha256: 0a1b\nlayers:\n  layers.0.a: " + a + "\n  \"lm-head\": " + head + "\n";
  }
};

TEST_F(PrecisionPlanTest, WritesWhatIsKnown) {
  PrecisionPlan plan = PrecisionPlan::makeUniform(found, *MatrixFormat::parse("int8"), "0a1b", "");
  EXPECT_EQ(plan.str(found), layers("{format: int8}", "{format: int8}"));

  plan.calibrationHash = "cafe";
  plan.tokens = 100;
  plan.heldOut = 25;
  plan.onFitted = {0.001234567, 10.5, 10.75, 74};
  plan.onHeldOut = {0.5, 11, 12, 24};
  plan.cost = "bytes";
  plan.sensitivity = "output";
  plan.matrices[0] = {*MatrixFormat::parse("int4_g32"), ElementType::BF16, 0.012345, "its \"error\" is small"};
  plan.matrices[1].format = *MatrixFormat::parse("f16");
  EXPECT_EQ(plan.str(found),
            "weights_sha256: 0a1b\n"
            "calibration: {sha256: cafe, tokens: 100, held_out: 25}\n"
            "measured:\n"
            "  fitted: {positions: 74, kl: 0.00123457, perplexity: [10.5, 10.75]}\n"
            "  held_out: {positions: 24, kl: 0.5, perplexity: [11, 12]}\n"
            "cost: bytes\n"
            "sensitivity: output\n"
            "layers:\n"
            "  layers.0.a: {format: int4_g32, products: bf16, kl: 0.0123, because: \"its \\\"error\\\" is small\"}\n"
            "  \"lm-head\": {format: f16}\n");
}

TEST_F(PrecisionPlanTest, ReadsWhatItWrites) {
  PrecisionPlan plan = PrecisionPlan::makeUniform(found, *MatrixFormat::parse("int8"), "0a1b", "cafe");
  plan.tokens = 100;
  plan.heldOut = 25;
  plan.cost = "time on mi300x";
  plan.sensitivity = "forward";
  plan.matrices[0] = {*MatrixFormat::parse("int4_g32"), ElementType::F32, 0.25, "a: b # c"};
  const PrecisionPlan again = read(plan.str(found), "cafe");
  EXPECT_EQ(again.weightsHash, "0a1b");
  EXPECT_EQ(again.calibrationHash, "cafe");
  EXPECT_EQ(again.heldOut, 25);
  EXPECT_EQ(again.cost, "time on mi300x");
  EXPECT_EQ(again.sensitivity, "forward");
  ASSERT_EQ(again.matrices.size(), 2u);
  EXPECT_EQ(again.matrices[0].format.name, "int4_g32");
  EXPECT_EQ(again.matrices[0].products, ElementType::F32);
  EXPECT_EQ(again.matrices[0].kl, 0.25);
  EXPECT_EQ(again.matrices[0].because, "a: b # c");
  EXPECT_EQ(again.matrices[1].format.name, "int8");
  EXPECT_FALSE(again.matrices[1].products);
  EXPECT_FALSE(again.matrices[1].kl);
}

TEST_F(PrecisionPlanTest, TheOrderOfLayersDoesNotMatter) {
  const PrecisionPlan plan =
      read("weights_sha256: 0a1b\nlayers:\n  lm-head: {format: f16}\n  layers.0.a: {format: int8}\n");
  std::vector<std::string> names;
  for (const MatrixFormat &format : plan.getFormats())
    names.push_back(format.name);
  EXPECT_THAT(names, ElementsAre("int8", "f16"));
}

TEST_F(PrecisionPlanTest, RefusesPlansOfOthers) {
  const std::string plan = layers("{format: int8}", "{format: int8}");
  EXPECT_EQ(refuse("weights_sha256: ffff\n" + plan.substr(plan.find('\n') + 1)),
            "1:17: expected a plan for weights 0a1b but got 'ffff'");
  EXPECT_THAT(refuse(plan + "calibration: {sha256: cafe}\n"),
              HasSubstr("5:23: expected no calibration, or --calibration"));
  EXPECT_THAT(refuse(plan + "calibration: {sha256: cafe}\n", "beef"),
              HasSubstr("5:23: expected a plan for the calibration beef"));
  EXPECT_EQ(refuse(plan + "calibration: {sha256: beef}\n", "beef"), "no error");
}

TEST_F(PrecisionPlanTest, RefusesWhatIsNoFormatOfTheLayer) {
  EXPECT_THAT(refuse(layers("{format: int9}", "{format: int8}")), HasSubstr("3:24: expected "));
  EXPECT_THAT(refuse(layers("{format: int4_g32}", "{format: int4_g32}")),
              HasSubstr("4:23: expected groups of at most the 2 inputs of 'lm-head'"));
  EXPECT_THAT(refuse(layers("{format: int8, products: f16}", "{format: int8}")),
              HasSubstr("3:40: expected bf16 or f32, or no key where products are like the others'"));
  EXPECT_THAT(refuse(layers("{kl: 1}", "{format: int8}")), HasSubstr("3:"));
}

TEST_F(PrecisionPlanTest, RefusesOtherLinears) {
  EXPECT_THAT(refuse("weights_sha256: 0a1b\nlayers:\n  layers.0.a: {format: int8}\n"),
              HasSubstr("expected a format of each linear but got none of 'lm-head'"));
  EXPECT_THAT(refuse(layers("{format: int8}", "{format: int8}") + "  layers.0.b: {format: int8}\n"),
              HasSubstr("5:3: expected a linear of the model but got 'layers.0.b'"));
}

} // namespace
