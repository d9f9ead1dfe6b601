// Whole graphs: random ones with every operation, and Llamas of odd configurations.
#include "test/compiler/driver/KernelTest.h"
#include "test/passes/nstf/RandomGraph.h"

#include "llvm/Support/raw_ostream.h"
#include <nlohmann/json.hpp>

using namespace nstf;
using namespace nstf::test;

namespace {

/// Applies fusion, deduplication and memory plans to arbitrary graphs.
TEST_F(KernelTest, RandomGraphs) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    options.targets = {seed % 2 ? "gfx942" : "gfx90a"};
    std::string text;
    {
      mlir::OwningOpRef<mlir::ModuleOp> module = makeRandomGraph(*context, seed, 12 + int(seed * 7 % 23));
      llvm::raw_string_ostream(text) << *module;
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    compile(text);
    if (HasFatalFailure())
      return;
    expectReference({{1, 3, 1, 11, 16, 2, 1}, {}});
  }
}

struct LlamaCase {
  const char *name, *target, *changes;
};

class LlamaConfigTest : public KernelTest, public ::testing::WithParamInterface<LlamaCase> {};

TEST_P(LlamaConfigTest, AgreesWithTheReference) {
  nlohmann::json config = nlohmann::json::parse(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
      "hidden_size": 36, "intermediate_size": 50, "num_hidden_layers": 2, "num_attention_heads": 6,
      "num_key_value_heads": 3, "vocab_size": 54, "max_position_embeddings": 80, "rms_norm_eps": 1e-5,
      "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": false})");
  config.update(nlohmann::json::parse(GetParam().changes));
  std::ofstream(folder / "config.json") << config;
  options.input = folder.string();
  options.targets = {GetParam().target};
  options.precision = Precision::F32;
  compilation = std::make_unique<Compilation>(*context, options, root);
  ASSERT_TRUE(succeeded(compilation->run(Stage::Package)));
  compilation->writePackage(package());
  expectNoSpills();
  expectReference({{7, 1, 1, 16, 38, 1, 64, 1, 80}, {}});
}

INSTANTIATE_TEST_SUITE_P(
    Configs, LlamaConfigTest,
    ::testing::Values(LlamaCase{"Odd", "gfx942", "{}"},
                      LlamaCase{"OneKeyHead", "gfx90a", R"({"num_key_value_heads": 1})"},
                      LlamaCase{"NoGroups", "gfx942", R"({"num_key_value_heads": 6})"},
                      LlamaCase{"TiedEmbedding", "gfx90a", R"({"tie_word_embeddings": true})"},
                      LlamaCase{"Biases", "gfx942", R"({"attention_bias": true, "mlp_bias": true})"},
                      LlamaCase{"HeadsWiderThanHidden", "gfx90a", R"({"head_dim": 20})"},
                      LlamaCase{"OneOfEverything", "gfx942",
                                R"({"hidden_size": 2, "intermediate_size": 1, "num_hidden_layers": 1,
                                    "num_attention_heads": 1, "num_key_value_heads": 1, "vocab_size": 1, "bos_token_id": 0,
                                    "eos_token_id": 0})"},
                      LlamaCase{"Hidden172", "gfx90a",
                                R"({"hidden_size": 172, "num_attention_heads": 43, "num_key_value_heads": 43,
                                    "intermediate_size": 257})"}),
    [](const auto &info) { return info.param.name; });

} // namespace
