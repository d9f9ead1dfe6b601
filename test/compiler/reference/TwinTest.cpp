// The twin of a run: how far a run with rounding errors may be away, and which of its codes are accepted.
#include "test/compiler/reference/ReferenceTest.h"

#include <random>
#include <regex>

using namespace nstf;
using namespace nstf::test;

namespace {

constexpr int64_t columns = 64, rows = 9, layers = 12;

/// A row of products that read codes; the last codes are outputs.
std::string makeText() {
  std::string weights, body = "%x0 = nstf.step @first(%in) : (X) -> H\n";
  for (int64_t i = 0; i < layers; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    weights += "nstf.weight @w" + n + " : W\n";
    body += "%w" + n + " = nstf.get @w" + n + " : W\n%q" + n + ", %s" + n + " = nstf.step @quantize(%x" + n +
            ") : (H) -> (Q, S)\n%x" + next + " = nstf.step @product(%q" + n + ", %s" + n + ", %w" + n +
            ") : (Q, S, W) -> H\n";
  }
  std::string text = weights + R"(
    nstf.kernel @first(%x: X) -> H {
      %y = nstf.convert %x {type = f16} : (X) -> H
      nstf.return %y : H
    }
    nstf.kernel @quantize(%x: H) -> (Q, S) {
      %q, %s = nstf.quantize %x {type = i8, group = 64 : i64} : H -> Q, S
      nstf.return %q, %s : Q, S
    }
    nstf.kernel @product(%q: Q, %s: S, %w: W) -> H {
      %r = nstf.dequantize_rows %q, %s : (Q, S) -> X
      %p = nstf.linear %r, %w : (X, W) -> X
      %y = nstf.convert %p {type = f16} : (X) -> H
      nstf.return %y : H
    }
    nstf.graph @main(%in: X {nstf.name = "in"})
        -> (Q {nstf.name = "codes"}, S {nstf.name = "scales"}, H {nstf.name = "y"}) attributes {context = 64 : i64} {
    )" + body + "nstf.return %q" +
                     std::to_string(layers - 1) + ", %s" + std::to_string(layers - 1) + ", %x" +
                     std::to_string(layers) + " : Q, S, H\n}\n";
  for (auto [letter, type] : {std::pair("X", "tensor<?x64xf32>"),
                              {"H", "tensor<?x64xf16>"},
                              {"W", "tensor<64x64xf32>"},
                              {"Q", "tensor<?x64xi8>"},
                              {"S", "tensor<?x1xf32>"}})
    text = std::regex_replace(text, std::regex("\\b" + std::string(letter) + "\\b"), type);
  return text;
}

class TwinTest : public ReferenceTest {
protected:
  TwinTest() : module(parse(makeText())) {
    options.randomSeed = 3;
    std::mt19937 random(1);
    for (int64_t i = 0; i < exact.size(); ++i) {
      exact.data()[i] = double(random()) / random.max() * 20 - 10;
      other.data()[i] = exact.data()[i] + (random() & 1 ? 2e-3 : -2e-3);
    }
    runPackage(other);
  }

  /// A second run stands for a package: `other` has the numbers as the first kernel might have rounded them.
  void runPackage(const Tensor &x) {
    outputs = ReferenceModel(*module, options)
                  .run({{"in", x}}, rows, 0, [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *> results) {
                    for (auto [i, result] : llvm::enumerate(results))
                      made[{op, i}] = *result;
                  });
  }

  std::map<std::string, TwinValue> runBeside() {
    return ReferenceModel(*module, options).runBeside({{"in", exact}}, rows, 0, [&](StepOp step, unsigned result) {
      return &made.at({step, result});
    });
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  ReferenceOptions options;
  Tensor exact{{rows, columns}}, other{{rows, columns}};
  ReferenceModel::Tensors outputs;
  std::map<std::pair<mlir::Operation *, unsigned>, Tensor> made;
};

double largestDifference(const Tensor &a, const Tensor &b) { return (a.values - b.values).cwiseAbs().maxCoeff(); }

// A different rounding in one layer makes a difference of several codes after some layers, and almost none if the
// choices are adopted.
TEST_F(TwinTest, TakesChoices) {
  auto alone = ReferenceModel(*module, options).run({{"in", exact}}, rows, 0);
  EXPECT_GE(largestDifference(alone.at("codes"), outputs.at("codes")), 2);
  auto beside = runBeside();
  EXPECT_EQ(largestDifference(*beside.at("codes").exact, outputs.at("codes")), 0);
  for (const char *name : {"scales", "y"}) {
    const TwinValue &value = beside.at(name);
    EXPECT_TRUE(compareRows(outputs.at(name), *value.exact, value.getBounds()).passes()) << name;
    EXPECT_LT(value.getBounds().maxCoeff(), 0.004 * value.exact->values.cwiseAbs().maxCoeff()) << name; // half a step
    EXPECT_FALSE(compareRows(alone.at(name), *value.exact, value.getBounds()).passes()) << name;
  }
}

// A code to which no number within the error rounds is refused.
TEST_F(TwinTest, RefusesOtherCodes) {
  mlir::Operation *last = nullptr;
  module->walk([&](StepOp step) { last = step.getKernel() == "quantize" ? step : last; });
  Tensor &codes = made.at({last, 0}), &scales = made.at({last, 1});
  codes.values(4, 7) += codes.values(4, 7) > 0 ? -1 : 1;
  scales.values(5, 0) *= 1.02;
  auto beside = runBeside();
  EXPECT_EQ(beside.at("codes").exact->values, outputs.at("codes").values);
  const TwinValue &own = beside.at("scales"), &y = beside.at("y");
  EXPECT_FALSE(compareRows(scales, *own.exact, own.getBounds()).passes());
  EXPECT_TRUE(compareRows(outputs.at("y"), *y.exact, y.getBounds()).passes());
}

// Rows err independently: a large one does not widen the bounds of others.
TEST_F(TwinTest, BoundsRows) {
  auto before = runBeside().at("y").getBounds();
  exact.values.row(3) *= 1e6;
  runPackage(exact);
  auto after = runBeside().at("y").getBounds();
  EXPECT_GT(after(3), 1e5 * before(3));
  for (int64_t i : {0, 2, 4, 8})
    EXPECT_LT(after(i), 3 * before(i)) << i;
}

} // namespace
