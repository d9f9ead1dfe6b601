// Every architecture, imported and run by the reference, gives the numbers of Hugging Face's transformers.
// ArchitectureTest.cpp tests the compiled ones.
#include "compiler/import/Import.h"
#include "compiler/reference/ReferenceModel.h"
#include "test/models/Fixture.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <unistd.h>

using namespace nstf;
using namespace nstf::import;
using namespace nstf::reference;
using namespace nstf::test;

namespace {

/// transformers compute in float32, the reference in float64.
constexpr double tolerance = 2e-5;

class ModelReferenceTest : public ::testing::Test {
protected:
  ModelReferenceTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nstf-models-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~ModelReferenceTest() override { std::filesystem::remove_all(folder); }

  /// The max difference of every `step`th element.
  static double distance(const Tensor &got, const std::vector<double> &wanted, size_t step = 1) {
    EXPECT_EQ((got.size() + step - 1) / step, wanted.size());
    double largest = 0;
    for (size_t i = 0; i < wanted.size() && i * step < size_t(got.size()); ++i)
      largest = std::max(largest, std::abs(got.data()[i * step] - wanted[i]));
    return largest;
  }

  mlir::OwningOpRef<mlir::ModuleOp> import(const Fixture &fixture) {
    ImportOptions options;
    options.architectures = fixture.architectures();
    if (fixture.context())
      options.context = fixture.context();
    return importModel(folder.string(), &context, options);
  }

  /// A text's outputs from an encoder.
  static ReferenceModel::Tensors encode(ReferenceModel &model, const nlohmann::json &run) {
    std::vector<int32_t> ids = run["ids"], types = run["token_types"];
    int64_t tokens = ids.size();
    return model.run({{"ids", Tensor({tokens}, ids)}, {"token_types", Tensor({tokens}, types)}}, tokens, 0);
  }

  std::filesystem::path folder;
  mlir::MLIRContext context;
};

class ArchitectureReferenceTest : public ModelReferenceTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ArchitectureReferenceTest, Numbers) {
  Fixture fixture(GetParam());
  fixture.write(folder);
  mlir::OwningOpRef<mlir::ModuleOp> module = import(fixture);
  ASSERT_TRUE(module);
  ReferenceModel model(*module);
  for (const nlohmann::json &run : fixture.expected["runs"]) {
    std::vector<int32_t> ids = run["ids"];
    int64_t tokens = ids.size();
    Tensor words({tokens}, ids);
    if (fixture.isEncoder()) {
      ReferenceModel::Tensors outputs = encode(model, run);
      for (const char *name : {"hidden", "embedding", "pooled"}) {
        ASSERT_EQ(outputs.count(name), run.count(name)) << name;
        if (run.count(name))
          EXPECT_LT(distance(outputs[name], Fixture::flatten(run[name])), tolerance) << name << " of " << tokens;
      }
      continue;
    }
    model.reset();
    EXPECT_LT(distance(model.run({{"ids", words}}, tokens, 0)["logits"], run["logits"].back(), fixture.columns()),
              tolerance);
    model.reset();
    for (int64_t i = 0; i < tokens; ++i) {
      Tensor word({1}, std::vector<int32_t>{ids[i]});
      EXPECT_LT(distance(model.run({{"ids", word}}, 1, i)["logits"], run["logits"][i], fixture.columns()), tolerance)
          << "position " << i;
    }
  }
}

/// Folders of sentence-transformers specify how hidden states become the embedding of a text.
TEST_F(ModelReferenceTest, EmbeddingOfTheFirstToken) {
  Fixture fixture("bert");
  fixture.write(folder);
  std::filesystem::create_directory(folder / "1_Pooling");
  std::ofstream(folder / "1_Pooling/config.json") << R"({"word_embedding_dimension": 40,
    "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false, "pooling_mode_max_tokens": false})";
  mlir::OwningOpRef<mlir::ModuleOp> module = import(fixture);
  ASSERT_TRUE(module);
  ReferenceModel model(*module);
  for (const nlohmann::json &run : fixture.expected["runs"])
    EXPECT_LT(distance(encode(model, run)["embedding"], run["first"]), tolerance);
}

INSTANTIATE_TEST_SUITE_P(Models, ArchitectureReferenceTest, ::testing::ValuesIn(fixtureNames()), fixtureTestName);

} // namespace
