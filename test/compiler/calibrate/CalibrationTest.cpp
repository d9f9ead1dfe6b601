// What a calibration holds, by numbers worked out by hand, and how an interrupted one goes on.
#include "compiler/calibrate/Calibration.h"

#include "support/MappedFile.h"
#include "test/compiler/calibrate/HandModel.h"

#include <gmock/gmock.h>

using namespace nstf::calibrate;
using nstf::support::readTextFile;
using nstf::test::getError;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<double> list(const Eigen::MatrixXd &numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

auto near(const std::vector<double> &numbers) { return testing::Pointwise(testing::DoubleNear(1e-5), numbers); }

/// Tokens are rows of two numbers, which the linear of layer 0 reads; that of layer 1 reads their sum and difference.
class CalibrationTest : public nstf::test::HandModel {
protected:
  CalibrationTest() {
    addWeight("table", "2x2", {3, -4, 0, 2});
    addWeight("layers.0.a.weight", "2x2", {1, 1, 1, -1});
    addWeight("layers.1.b.weight", "1x2", {1, 0});
    parse(get("t", "table", "2x2") + get("aw", "layers.0.a.weight", "2x2") + get("bw", "layers.1.b.weight", "1x2") +
              "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n"
              "%a = nstf.linear %x, %aw : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n"
              "%logits = nstf.linear %a, %bw : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x1xf32>\n",
          1);
  }

  const SiteInput &first() const { return found.inputs[0]; }
  const SiteInput &second() const { return found.inputs[1]; }

  const Texts texts = {{0, 1}, {1}};
  const std::filesystem::path made = folder / "made";
  CalibrationOptions options;
};

TEST_F(CalibrationTest, StatisticsOfAllTokens) {
  calibrate(*module, texts, made, options);
  Calibration calibration(made, hashWeights());
  EXPECT_EQ(calibration.getTokens(), 3);
  EXPECT_EQ(calibration.countHeldOut(), 0);
  EXPECT_FALSE(calibration.isDiagonal());
  EXPECT_EQ(calibration.readTexts(), texts);
  nstf::quantize::InputStatistics statistics = calibration.getStatistics(first());
  EXPECT_THAT(list(statistics.largest), near({3, 4}));
  EXPECT_THAT(list(statistics.mean), near({1, 8. / 3}));
  EXPECT_THAT(list(statistics.meanSquare), near({3, 8}));
  // In units of √3 and √8 the squared norms are 3 + 2 of (3, -4), and 1/2 of (0, 2), which comes twice.
  EXPECT_THAT(list(calibration.getSums(first())), near({9. / 5, -12. / 5, 0, 16. / 5 + 2 * 8}));
  // (-1, 7), (2, -2), (2, -2)
  EXPECT_THAT(list(calibration.getStatistics(second()).mean), near({5. / 3, 11. / 3}));
  EXPECT_THAT(list(calibration.getLargest(second())), near({2, 7}));
}

TEST_F(CalibrationTest, TheDiagonalAlone) {
  options.diagonal = true;
  calibrate(*module, texts, made, options);
  Calibration calibration(made, hashWeights());
  EXPECT_TRUE(calibration.isDiagonal());
  EXPECT_THAT(list(calibration.getSums(first())), near({9. / 5, 16. / 5 + 2 * 8}));
}

TEST_F(CalibrationTest, HeldOutTokensAreLeftOut) {
  options.fitted = {1, 0};
  calibrate(*module, texts, made, options);
  Calibration calibration(made, hashWeights());
  EXPECT_THAT(list(calibration.getStatistics(first()).mean), near({1, 8. / 3}));
  calibration.holdOut();
  EXPECT_EQ(calibration.countHeldOut(), 2);
  EXPECT_THAT(calibration.getFitted(), ElementsAre(1, 0));
  EXPECT_THAT(list(calibration.getStatistics(first()).mean), near({3, 4}));
  EXPECT_THAT(list(calibration.getStatistics(first()).meanSquare), near({9, 16}));
  EXPECT_THAT(list(calibration.getSums(first())), near({9. / 2, -12. / 2, 0, 16. / 2}));
  // What the range of a type must hold counts all tokens.
  EXPECT_THAT(list(calibration.getStatistics(second()).largest), near({1, 7}));
  EXPECT_THAT(list(calibration.getLargest(second())), near({2, 7}));
}

TEST_F(CalibrationTest, WithoutHeldOutTokensNoneCanBeLeftOut) {
  options.fitted = {2, 1};
  calibrate(*module, texts, made, options);
  Calibration calibration(made, hashWeights());
  EXPECT_THAT(getError([&] { calibration.holdOut(); }), HasSubstr("expected a calibration with tokens held out"));
}

TEST_F(CalibrationTest, GoesOnWithTheMissingLayersOnly) {
  calibrate(*module, texts, made, options);
  const std::filesystem::path layers[] = {made / "layer-0.safetensors", made / "layer-1.safetensors"};
  const std::string whole = readTextFile(layers[1]), listed = readTextFile(made / "calibration.json");

  std::filesystem::remove(layers[1]);
  EXPECT_THAT(getError([&] { Calibration(made, hashWeights()); }),
              HasSubstr("expected a complete calibration but it has no layer-1.safetensors"));
  write("made/layer-0.safetensors", "kept");
  calibrate(*module, texts, made, options);
  EXPECT_EQ(readTextFile(layers[0]), "kept");
  EXPECT_EQ(readTextFile(layers[1]), whole);
  EXPECT_EQ(readTextFile(made / "calibration.json"), listed);

  // One that is complete is left as it is.
  write("made/layer-1.safetensors", "kept too");
  calibrate(*module, texts, made, options);
  EXPECT_EQ(readTextFile(layers[1]), "kept too");
}

TEST_F(CalibrationTest, GoesOnWithItsOwnTextsAndOptionsOnly) {
  calibrate(*module, texts, made, options);
  const std::string other = "expected no calibration, or a part of this one, but got one of other weights";
  EXPECT_THAT(getError([&] { calibrate(*module, {{0, 1}, {0}}, made, options); }), HasSubstr(other));
  // The same tokens in other texts.
  EXPECT_THAT(getError([&] { calibrate(*module, {{0}, {1, 1}}, made, options); }), HasSubstr(other));
  options.diagonal = true;
  EXPECT_THAT(getError([&] { calibrate(*module, texts, made, options); }), HasSubstr(other));
  options.diagonal = false;
  options.fitted = {1, 1};
  EXPECT_THAT(getError([&] { calibrate(*module, texts, made, options); }), HasSubstr(other));
  write("table", std::string(16, '\1'));
  options.fitted = {};
  EXPECT_THAT(getError([&] { calibrate(*module, texts, made, options); }), HasSubstr(other));

  std::filesystem::create_directories(folder / "taken");
  EXPECT_THAT(getError([&] { calibrate(*module, texts, folder / "taken", options); }),
              HasSubstr("expected a folder that is new or a calibration but got another"));
}

TEST_F(CalibrationTest, RefusesWhatIsNotTheModels) {
  calibrate(*module, texts, made, options);
  EXPECT_THAT(getError([&] { Calibration(made, "0123"); }), HasSubstr("expected a calibration of weights 0123"));
  EXPECT_THAT(getError([&] { Calibration(folder, "0123"); }), HasSubstr("but it has no calibration.json"));
  Calibration calibration(made, hashWeights());
  write("made/texts.json", "[[0,1],[0]]");
  EXPECT_THAT(getError([&] { calibration.readTexts(); }), HasSubstr("expected the texts that calibration.json is of"));
  SiteInput wide = first();
  wide.columns = 3;
  EXPECT_THAT(getError([&] { calibration.getStatistics(wide); }), HasSubstr("expected 3 numbers 'layers.0.a.max'"));
}

} // namespace
