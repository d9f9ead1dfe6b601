// The scales of channels and where their inverses go, by numbers worked out by hand.
#include "compiler/compress/ChannelScales.h"

#include "test/compiler/calibrate/HandModel.h"

#include <gmock/gmock.h>

using namespace nstf::calibrate;
using namespace nstf::compress;

namespace {

std::vector<double> list(const Eigen::VectorXd &numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

auto near(const std::vector<double> &numbers) { return testing::Pointwise(testing::DoubleNear(1e-5), numbers); }

class ChannelScalesTest : public nstf::test::HandModel {
protected:
  /// SmoothQuant's scales, √(max|x| / max|w|) over the middle of the smallest and the largest.
  ChannelScales makeScales(const Calibration &calibration, const std::string &format = "int8") {
    const RoundingContext context = {found, &calibration, reader, Rounding::Nearest, scaling, known};
    return {context, std::vector(found.sites.size(), *MatrixFormat::parse(format))};
  }

  /// A norm of two channels whose result is ± `norm`, since each token has the mean square 1; then a linear.
  void parseNorm(const std::vector<float> &norm, const std::vector<float> &matrix, const std::string &type = "f32") {
    addWeight("table", "2x2", {1, 1, 1, -1});
    addWeight("norm", "2", norm, type);
    addWeight("layers.0.a.weight", "2x2", matrix);
    parse(get("t", "table", "2x2") + get("nw", "norm", "2") + get("aw", "layers.0.a.weight", "2x2") +
              "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n"
              "%n = nstf.rms_norm %x, %nw {eps = 0.0 : f64} : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>\n"
              "%logits = nstf.linear %n, %aw : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n",
          2);
  }

  /// Two linears in `layer`, and one in layer 0 that reads their product: (16, 1) for the one token.
  void parseProduct(const std::string &layer) {
    const std::string b = layer + ".b.weight";
    addWeight("table", "1x2", {1, 0});
    addWeight("layers.0.a.weight", "2x2", {16, 0, 1, 0});
    addWeight(b, "2x2", {0.5, 0, 0.5, 0});
    addWeight("layers.0.c.weight", "2x2", {1, -16, 0.5, 4});
    parse(get("t", "table", "1x2") + get("aw", "layers.0.a.weight", "2x2") + get("bw", b, "2x2") +
              get("cw", "layers.0.c.weight", "2x2") +
              "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<1x2xf32>) -> tensor<?x2xf32>\n"
              "%y = nstf.add %x, %x : tensor<?x2xf32>\n"
              "%a = nstf.linear %x, %aw : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n"
              "%b = nstf.linear %y, %bw : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n"
              "%m = nstf.mul %a, %b : tensor<?x2xf32>\n"
              "%logits = nstf.linear %m, %cw : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n",
          2);
  }

  ChannelScaling scaling = ChannelScaling::Smooth;
  KnownScales known;
};

TEST_F(ChannelScalesTest, ANormTakesTheInverse) {
  parseNorm({4, 1}, {1, -4, 0.5, 2});
  const Calibration calibration = makeCalibration({{0, 1}}, /*diagonal=*/true);
  ChannelScales scales = makeScales(calibration);
  EXPECT_EQ(scales.getColumns(0).size(), 0); // before the layer is chosen
  scales.chooseLayer("layers.0");
  EXPECT_THAT(list(scales.getColumns(0)), near({2, 0.5})); // √(4/1), √(1/4)
  EXPECT_EQ(scales.getRows(0).size(), 0);
  ASSERT_TRUE(scales.findNorm(findWeight("norm")));
  EXPECT_THAT(*scales.findNorm(findWeight("norm")), near({2, 2}));
  EXPECT_FALSE(scales.findNorm(findWeight("table")));
  ASSERT_TRUE(scales.findFold(0));
  EXPECT_EQ(scales.findFold(0)->normWeight, findWeight("norm"));
}

TEST_F(ChannelScalesTest, ColumnsCompensateWhatTheRoundedNormHas) {
  parseNorm({10, 1}, {1, 8.1f, 0, 0}, "bf16");
  const Calibration calibration = makeCalibration({{0, 1}}, /*diagonal=*/true);
  ChannelScales scales = makeScales(calibration);
  scales.chooseLayer("layers.0");
  // √10 and √(1/8.1), over their middle: 3 and 1/3. Of 10/3 bf16 has 3.328125.
  EXPECT_THAT(*scales.findNorm(findWeight("norm")), near({3.328125, 3}));
  EXPECT_THAT(list(scales.getColumns(0)), near({10 / 3.328125, 1. / 3}));
}

TEST_F(ChannelScalesTest, AChannelThatTheNormEndsStaysAsItIs) {
  parseNorm({0, 4}, {1, 1, 1, 1});
  const Calibration calibration = makeCalibration({{0, 1}}, /*diagonal=*/true);
  ChannelScales scales = makeScales(calibration);
  scales.chooseLayer("layers.0");
  EXPECT_THAT(*scales.findNorm(findWeight("norm")), near({0, 4}));
  EXPECT_THAT(list(scales.getColumns(0)), near({1, 1}));
}

TEST_F(ChannelScalesTest, RowsOfASiteTakeTheInverse) {
  parseProduct("layers.0");
  const Calibration calibration = makeCalibration({{0}}, /*diagonal=*/true);
  ChannelScales scales = makeScales(calibration);
  scales.chooseLayer("layers.0");
  const size_t input = findInput("layers.0.c");
  EXPECT_THAT(list(scales.getColumns(input)), near({4, 0.25})); // √(16/1), √(1/16)
  EXPECT_THAT(list(scales.getRows(findSite("layers.0.b"))), near({0.25, 4}));
  EXPECT_EQ(scales.getRows(findSite("layers.0.a")).size(), 0);
  EXPECT_EQ(scales.getColumns(findInput("layers.0.a")).size(), 0); // an embedding takes none
}

TEST_F(ChannelScalesTest, ASiteOfAnotherLayerTakesNone) {
  parseProduct("layers.1");
  const Calibration calibration = makeCalibration({{0}}, /*diagonal=*/true);
  ChannelScales scales = makeScales(calibration);
  scales.chooseLayer("layers.0");
  scales.chooseLayer("layers.1");
  EXPECT_FALSE(scales.findFold(findInput("layers.0.c")));
  EXPECT_EQ(scales.getColumns(findInput("layers.0.c")).size(), 0);
  EXPECT_EQ(scales.getRows(findSite("layers.1.b")).size(), 0);
}

TEST_F(ChannelScalesTest, NumbersAndNoScalingHaveNone) {
  parseNorm({4, 1}, {1, -4, 0.5, 2});
  const Calibration calibration = makeCalibration({{0, 1}}, /*diagonal=*/true);
  ChannelScales numbers = makeScales(calibration, "bf16");
  numbers.chooseLayer("layers.0");
  EXPECT_EQ(numbers.getColumns(0).size(), 0);
  EXPECT_FALSE(numbers.findNorm(findWeight("norm")));
  scaling = ChannelScaling::Off;
  ChannelScales off = makeScales(calibration);
  off.chooseLayer("layers.0");
  EXPECT_FALSE(off.findFold(0));
  EXPECT_EQ(off.getColumns(0).size(), 0);
}

TEST_F(ChannelScalesTest, KnownScalesAreNotSearchedAgain) {
  parseNorm({4, 1}, {1, -4, 0.5, 2});
  const Calibration calibration = makeCalibration({{0, 1}}, /*diagonal=*/true);
  makeScales(calibration).chooseLayer("layers.0");
  ASSERT_EQ(known.size(), 1u);
  known.begin()->second = Eigen::Vector2d(8, 0.5);
  ChannelScales scales = makeScales(calibration);
  scales.chooseLayer("layers.0");
  EXPECT_THAT(list(scales.getColumns(0)), near({8, 0.5}));
  // Those of another format are not these.
  ChannelScales other = makeScales(calibration, "int4");
  other.chooseLayer("layers.0");
  EXPECT_THAT(list(other.getColumns(0)), near({2, 0.5}));
}

} // namespace
