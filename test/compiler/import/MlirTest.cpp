// Modules of the nstf dialect as input, and the choice of the importer.
#include "compiler/import/Import.h"

#include "test/compiler/import/ImportTest.h"

using namespace nstf;
using namespace nstf::import;
using namespace nstf::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class MlirTest : public ImportTest {
protected:
  std::string imported(const std::string &file, ImportOptions options = {}) {
    return printed([&](mlir::MLIRContext *context) { return importModel(file, context, options); });
  }
  std::string withWeight(const std::string &weight, ImportOptions options = {}) {
    return imported(write("m.mlir", weight + R"(
nstf.graph @g(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  %w = nstf.get @w : tensor<4x4xf32>
  %y = nstf.linear %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
})"),
                    options);
  }
};

TEST_F(MlirTest, PathsAreRelativeToTheFile) {
  write("w.bin", std::string(72, '\0'));
  std::string weight = "nstf.weight @w : tensor<4x4xf32> from <\"w.bin\", offset = 8, type = f32>";
  std::string text = withWeight(weight);
  EXPECT_THAT(text, HasSubstr("from <\"w.bin\", offset = 8")); // printed() removes the test's folder
  ImportOptions options;
  options.needWeights = false;
  EXPECT_THAT(withWeight(weight, options), HasSubstr("nstf.weight @w : tensor<4x4xf32> loc"));
}

TEST_F(MlirTest, WrongModules) {
  write("w.bin", std::string(71, '\0'));
  EXPECT_THAT(withWeight("nstf.weight @w : tensor<4x4xf32> from <\"w.bin\", offset = 8, type = f32>"),
              StartsWith("m.mlir:1:1: 'nstf.weight' op expected 'tensor<4x4xf32>' of 'f32' at offset 8"));
  // Columns of 4 in rows of 5: the last element is the 19th, and the file has 71 bytes.
  const std::string view = ", type = f32, sizes = [4, 4], strides = [1, 5]>";
  EXPECT_THAT(withWeight("nstf.weight @w : tensor<4x4xf32> from <\"w.bin\", offset = 0" + view),
              HasSubstr("expected 'tensor<4x4xf32>' of 'f32' at offset 0"));
  write("w.bin", std::string(76, '\0'));
  EXPECT_THAT(withWeight("nstf.weight @w : tensor<4x4xf32> from <\"w.bin\", offset = 0" + view),
              HasSubstr("from <\"w.bin\", offset = 0, type = f32, sizes = [4, 4], strides = [1, 5]>"));
  EXPECT_THAT(withWeight("nstf.weight @w : tensor<4x4xf32> from <\"w.bin\", offset = 1" + view),
              HasSubstr("at offset 1 of '"));
  EXPECT_THAT(withWeight("nstf.weight @w : tensor<4x4xf32> from <\"none.bin\", offset = 8, type = f32>"),
              HasSubstr("No such file"));
  // One error, without those that follow from it.
  EXPECT_EQ(withWeight("nstf.weight @w : tensor<4x4xf32> from <\"w.bin\", offset = 0, type = f12>"),
            "m.mlir:1:67: expected non-function type\n");
  EXPECT_THAT(withWeight("nstf.weight @w : tensor<4x5xf32>"),
              StartsWith("m.mlir:3:8: 'nstf.get' op expected the type"));
  EXPECT_THAT(imported(write("a.mlir", "nstf.graph @")), StartsWith("a.mlir:1:13: "));
  EXPECT_THAT(imported(write("b.mlir", "module {}")), HasSubstr("expected an nstf.graph but the module has none"));
}

TEST_F(MlirTest, ChoosesByWhatItFinds) {
  EXPECT_THAT(imported(path("none")), HasSubstr("none': no such file or folder"));
  EXPECT_THAT(imported(folder.string()), HasSubstr("expected a model folder with a config.json but it has none"));
  EXPECT_THAT(imported(write("m.bin", "")), HasSubstr("expected a model folder, a .yaml graph or a .mlir module"));
  EXPECT_THAT(imported(write("g.yml", "name: g\n")), HasSubstr("expected the key 'inputs'"));
  write("config.json", "{}");
  EXPECT_THAT(imported(folder.string()), HasSubstr("expected 'architectures' or 'model_type'"));
}

} // namespace
