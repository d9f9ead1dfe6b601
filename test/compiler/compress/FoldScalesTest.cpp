// Which producers of an input can take the inverse of its scales.
#include "compiler/compress/FoldScales.h"

#include "test/compiler/calibrate/HandModel.h"

using namespace nstf;
using namespace nstf::compress;

namespace {

/// Models of two channels, whose last line is a linear @last.
class FoldScalesTest : public test::HandModel {
protected:
  FoldScalesTest() {
    addWeight("table", "2x2", {1, 0, 0, 1});
    for (const char *name : {"a", "b", "last"})
      addWeight(std::string(name) + ".weight", "2x2", {1, 0, 0, 1});
    for (const char *name : {"norm", "bias"})
      addWeight(name, "2", {1, 1});
  }

  /// The target of @last's input, in a graph of `lines`, which make %last from %x.
  std::optional<FoldTarget> find(const std::string &lines, const std::string &states = "") {
    parse("%t = nstf.get @table : tensor<2x2xf32>\n"
          "%x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n" +
              lines + linear("logits", "last", "last"),
          2, states);
    return findFoldTarget(found, found.inputs[findInput("last")]);
  }

  static std::string linear(const std::string &result, const std::string &weight, const std::string &x) {
    return get(result + "_w", weight + ".weight", "2x2") + "%" + result + " = nstf.linear %" + x + ", %" + result +
           "_w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>\n";
  }
  static std::string vector(const std::string &name) { return get(name, name, "2"); }
  static std::string rmsNorm(const std::string &result) {
    return "%" + result +
           " = nstf.rms_norm %x, %norm {eps = 0.0 : f64} : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>\n";
  }
  /// Attention of two heads of one channel each.
  std::string attention(int kvHeads) {
    const std::string width = std::to_string(kvHeads), rows = "tensor<?x" + width + "xf32>",
                      cache = "tensor<16x" + width + "xf32>";
    std::string text = linear("q", "a", "x");
    for (const char *name : {"k", "v"}) {
      addWeight(std::string(name) + ".weight", width + "x2", std::vector<float>(size_t(2 * kvHeads), 1));
      text += get(name + std::string("_w"), name + std::string(".weight"), width + "x2") + "%" + name +
              " = nstf.linear %x, %" + name + "_w : (tensor<?x2xf32>, tensor<" + width + "x2xf32>) -> " + rows + "\n%" +
              name + "_cache = nstf.get @" + name + "_cache : " + cache + "\n%" + name + "s = nstf.kv_append %" + name +
              ", %" + name + "_cache : (" + rows + ", " + cache + ") -> " + cache + "\n";
    }
    return text + "%last = nstf.attention %q, %ks, %vs {heads = 2 : i64, kv_heads = " + width +
           " : i64, causal, scale = 1.0 : f64} : (tensor<?x2xf32>, " + cache + ", " + cache + ") -> tensor<?x2xf32>\n";
  }
  static std::string caches(int kvHeads) {
    const std::string type = " : tensor<16x" + std::to_string(kvHeads) + "xf32>\n";
    return "nstf.state @k_cache" + type + "nstf.state @v_cache" + type;
  }
};

TEST_F(FoldScalesTest, ANormWithAWeightOfItsOwn) {
  std::optional<FoldTarget> target = find(vector("norm") + rmsNorm("last"));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->normWeight, findWeight("norm"));
  EXPECT_FALSE(target->normBias);
  EXPECT_FALSE(target->site);
}

TEST_F(FoldScalesTest, NotANormWhoseWeightOthersRead) {
  EXPECT_FALSE(find(vector("norm") + rmsNorm("last") + rmsNorm("other")));
}

TEST_F(FoldScalesTest, NotANormWhoseWeightIsReadTwice) {
  EXPECT_FALSE(find(vector("norm") + rmsNorm("last") +
                    "%again = nstf.get @norm : tensor<2xf32>\n"
                    "%other = nstf.rms_norm %x, %again {eps = 0.0 : f64} : (tensor<?x2xf32>, tensor<2xf32>) -> "
                    "tensor<?x2xf32>\n"));
}

TEST_F(FoldScalesTest, NotANormWhoseRowsOthersRead) {
  EXPECT_FALSE(find(vector("norm") + rmsNorm("last") + "%other = nstf.silu %last : tensor<?x2xf32>\n"));
}

TEST_F(FoldScalesTest, LinearsMayShareTheRowsOfANorm) {
  EXPECT_TRUE(find(vector("norm") + rmsNorm("last") + linear("other", "a", "last")));
}

TEST_F(FoldScalesTest, ALayerNormWithItsBias) {
  const std::string norm = "%last = nstf.layer_norm %x, %norm, %bias {eps = 0.0 : f64} : "
                           "(tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2xf32>\n";
  std::optional<FoldTarget> target = find(vector("norm") + vector("bias") + norm);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->normWeight, findWeight("norm"));
  EXPECT_EQ(target->normBias, findWeight("bias"));
}

TEST_F(FoldScalesTest, NotALayerNormWhoseBiasOthersRead) {
  const std::string norms = "%last = nstf.layer_norm %x, %norm, %bias {eps = 0.0 : f64} : "
                            "(tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2xf32>\n"
                            "%other = nstf.rms_norm %x, %bias {eps = 0.0 : f64} : "
                            "(tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>\n";
  EXPECT_FALSE(find(vector("norm") + vector("bias") + norms));
}

TEST_F(FoldScalesTest, OfSwigluTheOperandItIsLinearIn) {
  std::optional<FoldTarget> target =
      find(linear("a", "a", "x") + linear("b", "b", "x") + "%last = nstf.swiglu %a, %b : tensor<?x2xf32>\n");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->site, findSite("b"));
}

TEST_F(FoldScalesTest, NotTheGate) {
  EXPECT_FALSE(find(linear("a", "a", "x") + "%last = nstf.swiglu %a, %x : tensor<?x2xf32>\n"));
}

TEST_F(FoldScalesTest, OfAProductEitherOperand) {
  std::optional<FoldTarget> target = find(linear("a", "a", "x") + "%last = nstf.mul %a, %x : tensor<?x2xf32>\n");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->site, findSite("a"));
}

TEST_F(FoldScalesTest, NotALinearWithABias) {
  EXPECT_FALSE(find(vector("bias") + get("w", "a.weight", "2x2") +
                    "%a = nstf.linear %x, %w, %bias : "
                    "(tensor<?x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>\n"
                    "%last = nstf.mul %x, %a : tensor<?x2xf32>\n"));
}

TEST_F(FoldScalesTest, NotALinearThatOthersRead) {
  EXPECT_FALSE(find(linear("a", "a", "x") + "%last = nstf.mul %x, %a : tensor<?x2xf32>\n"
                                            "%other = nstf.silu %a : tensor<?x2xf32>\n"));
}

TEST_F(FoldScalesTest, TheValuesOfAttention) {
  std::optional<FoldTarget> target = find(attention(2), caches(2));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->site, findSite("v"));
}

TEST_F(FoldScalesTest, NotValuesThatHeadsShare) { EXPECT_FALSE(find(attention(1), caches(1))); }

TEST_F(FoldScalesTest, NotTheResidual) { EXPECT_FALSE(find("%last = nstf.add %x, %x : tensor<?x2xf32>\n")); }

} // namespace
