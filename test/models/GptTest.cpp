// Models of GPT-2's kind. A real one in its own format, as a YAML graph that names its checkpoint, gives the greedy
// tokens that come with it. Packed tensors work where weights stay in their files.
#include "test/models/EmulatedModel.h"
#include "test/models/Fixture.h"

#include <nlohmann/json.hpp>

#include <cstdio>

using namespace nstf;
using namespace nstf::test;

namespace {

const std::filesystem::path model = std::filesystem::path(NSTF_SOURCE_DIR) / "../shared/models/slm4096_gpt";

class GptTest : public EmulatedModel {};

TEST_F(GptTest, GreedyTokensOfSlm4096) {
  if (!std::filesystem::exists(model))
    GTEST_SKIP() << "SKIPPED: no ../shared/models/slm4096_gpt beside this checkout";
  std::ifstream in(model / "expected.json");
  nlohmann::json expected = nlohmann::json::parse(in);
  std::filesystem::copy(std::filesystem::path(NSTF_SOURCE_DIR) / "test/models/slm4096_gpt.yaml", folder / "slm.yaml");
  std::filesystem::create_symlink(std::filesystem::canonical(model / "model.safetensors"),
                                  folder / "model.safetensors");
  compileModel(folder / "slm.yaml");
  if (HasFatalFailure())
    return;

  std::vector<int32_t> ids = expected["prompt_ids"], wanted = expected["greedy_ids"];
  size_t prompt = ids.size();
  double error = 0;
  for (size_t start = 0; ids.size() < wanted.size(); start = ids.size() - 1) {
    setIds("ids", {ids.begin() + start, ids.end()});
    session->run(ids.size() - start);
    if (ids.size() == prompt)
      error = distance("logits", expected["logits_at_last_prompt_pos"]);
    ids.push_back(session->output("next").as<int32_t>()[0]);
  }
  EXPECT_EQ(ids, wanted);
  std::printf("slm4096_gpt on %s: %zu greedy tokens, error of the first logits %.3g\n", options.targets.front().c_str(),
              ids.size() - prompt, error);
  EXPECT_LT(error, 1e-4);
}

/// Parts of packed tensors are copied to the package when all other weights stay in their files.
TEST_F(GptTest, PartsOfTensorsWhereWeightsStayInTheirFiles) {
  Fixture fixture("gpt2");
  fixture.write(folder / "model");
  options.weights = manifest::WeightsMode::Reference;
  compileModel(folder / "model");
  if (HasFatalFailure())
    return;
  const nlohmann::json &run = fixture.expected["runs"][0];
  std::vector<int32_t> ids = run["ids"];
  setIds("ids", ids);
  session->run(ids.size());
  EXPECT_LE(distance("logits", run["logits"].back()), fixtureTolerance);
  size_t packed = 0, left = 0;
  for (const manifest::Weight &weight : session->manifest().weights.tensors)
    ++(weight.source->file == "weights.safetensors" ? packed : left);
  EXPECT_EQ(packed, 12u); // six transposed matrices in each of two layers
  EXPECT_GT(left, 12u);
}

} // namespace
