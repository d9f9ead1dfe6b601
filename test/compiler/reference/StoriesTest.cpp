// A real Llama, imported and run in float64, against results that another program computed.
#include "test/compiler/reference/ReferenceTest.h"

#include "compiler/import/Import.h"
#include "passes/nstf/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace nstf;
using namespace nstf::import;
using namespace nstf::reference;
using namespace nstf::test;
using nlohmann::json;

namespace {

const std::filesystem::path stories = std::filesystem::path(NSTF_SOURCE_DIR) / "../shared/models/stories260K";

class StoriesTest : public ReferenceTest {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(stories))
      GTEST_SKIP() << "SKIPPED: no ../shared/models/stories260K beside this checkout";
    module = importModel((stories / "hf").string(), &context);
    ASSERT_TRUE(module);
  }

  static json expected(const std::string &file) { return json::parse(std::ifstream(stories / file)); }

  static double distance(const std::vector<double> &got, const json &want) {
    EXPECT_EQ(got.size(), want.size());
    double largest = 0;
    for (size_t i = 0; i < got.size(); ++i)
      largest = std::max(largest, std::abs(got[i] - want[i].get<double>()));
    return largest;
  }

  /// Decodes greedily like the expectation, first the prompt, then one token per step, and compares all its numbers.
  void decode(const std::string &file) {
    json want = expected(file);
    std::vector<int32_t> ids = want["prompt_ids"], all = want["greedy_ids"];
    ReferenceModel model(*module);
    std::vector<double> logits;
    double worst = 0;
    for (size_t position = 0; position + 1 < all.size(); ++position) {
      logits = model.runIds({ids[position]}, position);
      if (position < want["logits_first_positions"].size())
        worst = std::max(worst, distance(logits, want["logits_first_positions"][position]));
      if (position + 1 == ids.size())
        ids.push_back(std::max_element(logits.begin(), logits.end()) - logits.begin());
    }
    worst = std::max(worst, distance(logits, want["logits_last_position"]));
    EXPECT_EQ(ids, all);
    EXPECT_LE(worst, 1e-5);
    RecordProperty("largest_logit_error", std::to_string(worst));
    std::cout << file << ": " << all.size() << " ids, largest logit error " << worst << "\n";
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(StoriesTest, Greedy64) { decode("expected.json"); }
TEST_F(StoriesTest, Greedy200) { decode("expected_200.json"); }
TEST_F(StoriesTest, GreedyAfterAPrompt) { decode("expected_prompt.json"); }

TEST_F(StoriesTest, HiddenStateAfterEveryLayer) {
  json want = expected("expected.json");
  std::map<std::string, std::vector<double>> seen;
  auto observe = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *> results) {
    seen[mlir::cast<mlir::NameLoc>(op->getLoc()).getName().str()] = numbers(*results[0]);
  };
  std::vector<int32_t> ids = want["prompt_ids"];
  ReferenceModel(*module).runIds({ids[0]}, 0, observe);
  const json &layers = want["hidden_after_each_layer_pos0"];
  ASSERT_EQ(layers.size(), 5u);
  for (size_t layer = 0; layer < layers.size(); ++layer)
    EXPECT_LE(distance(seen["model.layers." + std::to_string(layer) + ".mlp_residual"], layers[layer]), 1e-5) << layer;
}

TEST_F(StoriesTest, PrefillEqualsSingleSteps) {
  std::vector<int32_t> all = expected("expected.json")["greedy_ids"];
  ReferenceModel single(*module);
  for (size_t tokens : {1u, 2u, 7u, 64u}) {
    std::vector<int32_t> ids(all.begin(), all.begin() + tokens);
    single.reset();
    std::vector<double> one;
    for (size_t i = 0; i < tokens; ++i)
      one = single.runIds({ids[i]}, i);
    std::vector<double> whole = ReferenceModel(*module).runIds(ids, 0);
    for (size_t i = 0; i < one.size(); ++i)
      ASSERT_NEAR(one[i], whole[i], 1e-12) << tokens;
  }
}

// Passes that form kernels change the launches, not the results.
TEST_F(StoriesTest, FormedKernels) {
  std::vector<int32_t> ids = expected("expected_prompt.json")["prompt_ids"];
  std::vector<double> before = ReferenceModel(*module).runIds(ids, 0);
  mlir::PassManager passes(&context);
  passes.addPass(createMaterializeRopeTablesPass());
  passes.addPass(createFormKernelsPass());
  passes.addPass(createDeduplicateKernelsPass());
  passes.addPass(createPlanMemoryPass());
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  size_t steps = 0;
  std::vector<double> after = ReferenceModel(*module).runIds(
      ids, 0, [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *>) { steps += mlir::isa<StepOp>(op); });
  EXPECT_GT(steps, 40u);
  double largest = 0;
  for (size_t i = 0; i < before.size(); ++i)
    largest = std::max(largest, std::abs(before[i] - after[i]));
  EXPECT_LE(largest, 1e-5); // the rope table is rounded to float32
}

} // namespace
