// Every architecture as imported, run by the reference, gives the numbers of Hugging Face's transformers. What is
// compiled of it: ArchitectureTest.cpp.
#include "compiler/import/Import.h"
#include "compiler/reference/ReferenceModel.h"
#include "test/models/Fixture.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <unistd.h>

using namespace nstf;
using namespace nstf::test;

namespace {

/// transformers compute in float32, the reference in float64.
constexpr double tolerance = 2e-5;

class ArchitectureReferenceTest : public ::testing::TestWithParam<std::string> {
protected:
  ArchitectureReferenceTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nstf-models-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~ArchitectureReferenceTest() override { std::filesystem::remove_all(folder); }

  static double distance(const Tensor &got, const std::vector<double> &wanted) {
    EXPECT_EQ(size_t(got.size()), wanted.size());
    double largest = 0;
    for (size_t i = 0; i < wanted.size() && i < size_t(got.size()); ++i)
      largest = std::max(largest, std::abs(got.data()[i] - wanted[i]));
    return largest;
  }

  static std::vector<double> flatten(const nlohmann::json &value) {
    if (!value[0].is_array())
      return value;
    std::vector<double> all;
    for (const nlohmann::json &row : value)
      all.insert(all.end(), row.begin(), row.end());
    return all;
  }

  std::filesystem::path folder;
  mlir::MLIRContext context;
};

TEST_P(ArchitectureReferenceTest, numbers) {
  Fixture fixture(GetParam());
  fixture.write(folder);
  ImportOptions options;
  options.architectures = fixture.architectures();
  if (fixture.context())
    options.context = fixture.context();
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(folder.string(), &context, options);
  ASSERT_TRUE(module);
  ReferenceModel model(*module);
  for (const nlohmann::json &run : fixture.expected["runs"]) {
    std::vector<int32_t> ids = run["ids"];
    int64_t tokens = ids.size();
    Tensor words({tokens}, ids);
    if (fixture.isEncoder()) {
      ReferenceModel::Tensors outputs =
          model.run({{"ids", words}, {"token_types", Tensor({tokens}, run["token_types"].get<std::vector<int32_t>>())}},
                    tokens, 0);
      for (const char *name : {"hidden", "embedding", "pooled"}) {
        ASSERT_EQ(outputs.count(name), run.count(name)) << name;
        if (run.count(name))
          EXPECT_LT(distance(outputs[name], flatten(run[name])), tolerance) << name << " of " << tokens;
      }
      continue;
    }
    model.reset();
    EXPECT_LT(distance(model.run({{"ids", words}}, tokens, 0)["logits"], run["logits"].back()), tolerance);
    model.reset();
    for (int64_t i = 0; i < tokens; ++i) {
      Tensor word({1}, std::vector<int32_t>{ids[i]});
      EXPECT_LT(distance(model.run({{"ids", word}}, 1, i)["logits"], run["logits"][i]), tolerance) << "position " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ArchitectureReferenceTest, ::testing::ValuesIn(fixtureNames()), [](const auto &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
