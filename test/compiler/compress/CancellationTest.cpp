// Products whose terms cancel, by sums worked out by hand.
#include "compiler/compress/Cancellation.h"

#include "test/compiler/calibrate/HandModel.h"

using namespace nstf::calibrate;
using namespace nstf::compress;

namespace {

class CancellationTest : public nstf::test::HandModel {
protected:
  /// The fault of a linear of two inputs over tokens that are rows of `table`.
  std::string find(const std::vector<float> &table, const std::vector<float> &matrix, const Texts &texts) {
    const std::string tokens = std::to_string(table.size() / 2), outputs = std::to_string(matrix.size() / 2);
    addWeight("table", tokens + "x2", table);
    addWeight("head.weight", outputs + "x2", matrix);
    parse(get("t", "table", tokens + "x2") + get("w", "head.weight", outputs + "x2") +
              "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<" + tokens +
              "x2xf32>) -> tensor<?x2xf32>\n%logits = nstf.linear %x, %w : (tensor<?x2xf32>, tensor<" + outputs +
              "x2xf32>) -> tensor<?x" + outputs + "xf32>\n",
          int(matrix.size() / 2));
    TextRunner runner(*module, [&](nstf::WeightOp weight) { return reader.read(weight); });
    Cancellation cancellation(found, texts);
    runner.run(texts, cancellation.getObserver());
    return cancellation.findFault(0);
  }
};

const std::string fault(const std::string &times) {
  return "terms cancel: they are " + times + " times their sum, past f16's digits (1024)";
}

// 1025 + 1023 over 1025 - 1023 is 1024.
TEST_F(CancellationTest, AsMuchAsF16Holds) { EXPECT_EQ(find({1, 1}, {1025, -1023}, {{0}}), ""); }

// 2052 over 2.
TEST_F(CancellationTest, MoreThanF16Holds) { EXPECT_EQ(find({1, 1}, {1027, -1025}, {{0}}), fault("1e+03")); }

TEST_F(CancellationTest, SignsOfInputsCountToo) { EXPECT_EQ(find({1, -1}, {8000, 7996}, {{0}}), fault("4e+03")); }

TEST_F(CancellationTest, TermsThatAddUpAreNone) { EXPECT_EQ(find({1, 1}, {8000, 7996}, {{0}}), ""); }

TEST_F(CancellationTest, ASumOfNothingIsTheWorst) { EXPECT_EQ(find({1, 1}, {3, -3}, {{0}}), fault("inf")); }

TEST_F(CancellationTest, TheMedianOfOutputsDecides) {
  EXPECT_EQ(find({1, 1}, {1, 1, 2049, -2047, 3, 1}, {{0}}), ""); // 1, 2048, 1
}

TEST_F(CancellationTest, MostOutputsDecide) {
  EXPECT_EQ(find({1, 1}, {1, 1, 2049, -2047, 2051, -2049}, {{0}}), fault("2e+03")); // 1, 2048, 2050
}

TEST_F(CancellationTest, TheMedianIsOverAllTexts) {
  // Token 1 has no terms, which count for nothing; token 2 cancels, token 0 does not.
  const std::vector<float> table = {1, 1, 0, 0, 1, -1};
  EXPECT_EQ(find(table, {2049, 2047}, {{0, 0, 1, 1, 1}, {1, 2}}), "");
}

TEST_F(CancellationTest, MoreTextsCancelThanNot) {
  const std::vector<float> table = {1, 1, 0, 0, 1, -1};
  EXPECT_EQ(find(table, {2049, 2047}, {{0, 1, 1, 1}, {1, 2}, {2}}), fault("2e+03"));
}

} // namespace
