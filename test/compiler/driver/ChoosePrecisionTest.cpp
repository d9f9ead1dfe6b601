// The choice of --precision=auto: the type in which most bytes of matrices are stored.
#include "compiler/driver/ChoosePrecision.h"
#include "dialects/nstf/NSTF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace nstf;

namespace {

class ChoosePrecisionTest : public ::testing::Test {
protected:
  ChoosePrecisionTest() { context.loadDialect<NSTFDialect>(); }

  /// "bf16: most bytes of matrices are bf16", for a module of these lines.
  std::string choose(const std::string &body, const std::string &facts = "",
                     std::optional<Precision> asked = std::nullopt) {
    std::string text = "module attributes {nstf.model = {name = \"m\"" + facts + "}} {\n" + body + "}\n";
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "no module";
    PrecisionChoice precision = choosePrecision(*module, asked);
    return getName(precision.type).str() + ": " + precision.reason;
  }

  static std::string weight(const std::string &name, const std::string &shape, const std::string &stored) {
    return "nstf.weight @" + name + " : tensor<" + shape + "xf32> from <\"w\", offset = 0, type = " + stored + ">\n";
  }

  mlir::MLIRContext context;
};

TEST_F(ChoosePrecisionTest, MostBytesOfMatrices) {
  EXPECT_EQ(choose(weight("a", "4x4", "bf16")), "bf16: most bytes of matrices are bf16");
  EXPECT_EQ(choose(weight("a", "4x4", "f16") + weight("b", "4x4", "bf16") + weight("c", "2x2", "f16")),
            "f16: most bytes of matrices are f16");
  // Bytes count, not elements or tensors; equal bytes give f32.
  EXPECT_EQ(choose(weight("a", "4x5", "f16") + weight("b", "4x3", "f32")), "f32: most bytes of matrices are f32");
  EXPECT_EQ(choose(weight("a", "4x8", "bf16") + weight("b", "4x4", "f32")), "f32: most bytes of matrices are f32");
  EXPECT_EQ(choose(weight("a", "4x4", "f64")), "f32: most bytes of matrices are f64");
  // Vectors don't count: norms are often kept in f32.
  EXPECT_EQ(choose(weight("a", "4x4", "f16") + weight("b", "1000", "f32")), "f16: most bytes of matrices are f16");
}

TEST_F(ChoosePrecisionTest, ConfigWithoutWeights) {
  const std::string none = "nstf.weight @a : tensor<4x4xf32>\n";
  EXPECT_EQ(choose(none, ", dtype = \"bfloat16\""), "bf16: config.json says bfloat16");
  EXPECT_EQ(choose(none, ", dtype = \"float16\""), "f16: config.json says float16");
  EXPECT_EQ(choose(none, ", dtype = \"float64\""), "f32: config.json says float64");
  EXPECT_EQ(choose(none, ", dtype = \"int8\""), "f32: config.json says int8, which is not computed in");
  EXPECT_EQ(choose(none), "f32: neither weights nor config.json say a type");
  // The weights take precedence over config.json.
  EXPECT_EQ(choose(weight("a", "4x4", "f16"), ", dtype = \"bfloat16\""), "f16: most bytes of matrices are f16");
}

TEST_F(ChoosePrecisionTest, AskedFor) {
  EXPECT_EQ(choose(weight("a", "4x4", "f16"), "", Precision::F32), "f32: --precision");
  EXPECT_EQ(choose(weight("a", "4x4", "f16"), "", Precision::BF16), "bf16: --precision");
}

} // namespace
