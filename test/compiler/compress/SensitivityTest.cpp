// The loss of each matrix alone, against divergences that the test computes itself.
#include "compiler/compress/Sensitivity.h"

#include "test/compiler/calibrate/HandModel.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;

namespace {

// Numbers near 1: of 1 + 2⁻⁸ + 2⁻¹² f16 has 1 + 2⁻⁸, and bf16 1 + 2⁻⁷.
constexpr double a = 1 + 0x1p-8 + 0x1p-12, aInF16 = 1 + 0x1p-8, aInBf16 = 1 + 0x1p-7;
// Of 3 + 2⁻⁷ + 2⁻¹¹ f16 has 3 + 2⁻⁷, and bf16 3 + 2⁻⁶.
constexpr double b = 3 + 0x1p-7 + 0x1p-11, bInBf16 = 3 + 0x1p-6;

/// Logits (b·a·x, 0) of tokens whose x is 1 and 2: the matrix [a] of a layer, then the head [b, 0].
class SensitivityTest : public test::HandModel {
protected:
  SensitivityTest() {
    addWeight("table", "2x1", {1, 2});
    addWeight("layers.0.a.weight", "1x1", {float(a)});
    addWeight("head.weight", "2x1", {float(b), 0});
    parse(get("t", "table", "2x1") + get("aw", "layers.0.a.weight", "1x1") + get("hw", "head.weight", "2x1") +
              "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<2x1xf32>) -> tensor<?x1xf32>\n"
              "%a = nstf.linear %x, %aw : (tensor<?x1xf32>, tensor<1x1xf32>) -> tensor<?x1xf32>\n"
              "%logits = nstf.linear %a, %hw : (tensor<?x1xf32>, tensor<2x1xf32>) -> tensor<?x2xf32>\n",
          2);
  }

  /// The mean divergence over the texts' tokens when the model multiplies by `product` instead of b·a.
  static double getDivergence(double product) {
    auto share = [](double logit) { return 1 / (1 + std::exp(-logit)); };
    double sum = 0;
    for (double x : {1., 2., 2.}) {
      const double p = share(b * a * x), q = share(product * x);
      sum += p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
    }
    return sum / 3;
  }

  static std::vector<std::vector<MatrixFormat>> makeFormats(const std::vector<const char *> &names) {
    std::vector<MatrixFormat> formats;
    for (const char *name : names)
      formats.push_back(*MatrixFormat::parse(name));
    return {formats, formats};
  }

  std::vector<std::vector<MatrixCost>> measure(Sensitivity &sensitivity, const Texts &texts) {
    TextRunner runner(*module, [&](WeightOp weight) { return reader.read(weight); });
    return sensitivity.measure(runner, texts, runner.run(texts));
  }

  RoundingContext makeContext(const Calibration *calibration = nullptr) {
    return {found, calibration, reader, Rounding::Nearest, ChannelScaling::Off, known};
  }

  const Texts texts = {{0, 1}, {1}};
  KnownScales known;
  SearchRecord record{folder / "output", "test"};
};

void expectNear(double number, double expected) { EXPECT_NEAR(number, expected, 1e-5 * expected); }

TEST_F(SensitivityTest, ForwardRunsEachMatrixAlone) {
  const RoundingContext context = makeContext();
  const std::vector<std::vector<MatrixFormat>> formats = makeFormats({"f32", "bf16"});
  Sensitivity sensitivity(context, formats, SensitivityMethod::Forward, record);
  const std::vector<std::vector<MatrixCost>> costs = measure(sensitivity, texts);
  ASSERT_EQ(costs.size(), 2u);
  ASSERT_EQ(costs[0].size(), 2u);
  EXPECT_EQ(costs[0][0].kl, 0);
  expectNear(costs[0][1].kl, getDivergence(b * aInBf16));
  EXPECT_EQ(costs[1][0].kl, 0);
  expectNear(costs[1][1].kl, getDivergence(bInBf16 * a));
  EXPECT_GT(std::abs(costs[1][1].kl / costs[0][1].kl - 1), 0.1); // so the two can't be mistaken for one another
  EXPECT_EQ(costs[0][1].format.name, "bf16");
  EXPECT_EQ(costs[0][0].bytes, 4u);
  EXPECT_EQ(costs[0][1].bytes, 2u);
  EXPECT_EQ(costs[1][1].bytes, 4u);
}

TEST_F(SensitivityTest, OutputMultipliesErrorsByTheLayersRatio) {
  const Calibration calibration = makeCalibration(texts);
  const RoundingContext context = makeContext(&calibration);
  // Of two that take the same bytes, the first measures the ratio.
  const std::vector<std::vector<MatrixFormat>> formats = makeFormats({"f16", "bf16", "f32"});
  Sensitivity sensitivity(context, formats, SensitivityMethod::Output, record);
  const std::vector<std::vector<MatrixCost>> costs = measure(sensitivity, texts);
  expectNear(costs[0][0].kl, getDivergence(b * aInF16));
  // The error of bf16 is 15·2⁻¹², that of f16 2⁻¹²; both are of the same outputs.
  expectNear(costs[0][1].kl, 225 * getDivergence(b * aInF16));
  EXPECT_EQ(costs[0][2].kl, 0);
}

TEST_F(SensitivityTest, CountsRunsThatAreLeft) {
  const Calibration calibration = makeCalibration(texts);
  const RoundingContext context = makeContext(&calibration);
  const std::vector<std::vector<MatrixFormat>> formats = makeFormats({"f16", "bf16", "f32"});
  Sensitivity forward(context, formats, SensitivityMethod::Forward, record);
  EXPECT_EQ(forward.getWork().all, 6u);
  EXPECT_EQ(forward.getWork().runs, 6u);
  EXPECT_DOUBLE_EQ(forward.getWork().models, 3 * 1 + 3 * 0.5); // the head's begin half-way
  Sensitivity output(context, formats, SensitivityMethod::Output, record);
  EXPECT_EQ(output.getWork().all, 2u);
  EXPECT_DOUBLE_EQ(output.getWork().models, 1.5);

  measure(forward, texts);
  EXPECT_EQ(forward.getWork().all, 6u);
  EXPECT_EQ(forward.getWork().runs, 0u);
  EXPECT_EQ(forward.getWork().models, 0);
  EXPECT_EQ(output.getWork().runs, 2u);
}

TEST_F(SensitivityTest, WhatIsRecordedIsNotMeasuredAgain) {
  const RoundingContext context = makeContext();
  const std::vector<std::vector<MatrixFormat>> few = makeFormats({"bf16"}), more = makeFormats({"bf16", "f16"});
  Sensitivity first(context, few, SensitivityMethod::Forward, record);
  const double measured = measure(first, texts)[0][0].kl;

  // As after an interruption, with the file of the record. Other texts show what is measured now.
  SearchRecord again(folder / "output", "test");
  Sensitivity second(context, more, SensitivityMethod::Forward, again);
  EXPECT_EQ(second.getWork().runs, 2u);
  const std::vector<std::vector<MatrixCost>> costs = measure(second, {{0}});
  EXPECT_EQ(costs[0][0].kl, measured);
  const double p = 1 / (1 + std::exp(-a * b)), q = 1 / (1 + std::exp(-aInF16 * b));
  expectNear(costs[0][1].kl, p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q)));

  SearchRecord other(folder / "output", "another model");
  EXPECT_EQ(Sensitivity(context, more, SensitivityMethod::Forward, other).getWork().runs, 4u);
}

} // namespace
