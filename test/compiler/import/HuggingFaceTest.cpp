// Hugging Face folders: the import of a tiny Llama, and one clear error line for every defect of a folder.
#include "compiler/import/HuggingFace.h"

#include "test/compiler/import/ImportTest.h"

using namespace nstf;
using namespace nstf::import;
using namespace nstf::test;
using nlohmann::json;
using testing::HasSubstr;

namespace {

/// A Llama of two layers: hidden 12, 6 heads of size 2 over 2 key-value heads, intermediate 20, vocabulary 7.
class HuggingFaceTest : public ImportTest {
protected:
  HuggingFaceTest() {
    config = json{{"architectures", {"LlamaForCausalLM"}},
                  {"hidden_size", 12},
                  {"intermediate_size", 20},
                  {"num_hidden_layers", 2},
                  {"num_attention_heads", 6},
                  {"num_key_value_heads", 2},
                  {"vocab_size", 7},
                  {"max_position_embeddings", 32},
                  {"rms_norm_eps", 1e-5},
                  {"rope_theta", 10000.0},
                  {"hidden_act", "silu"},
                  {"tie_word_embeddings", true},
                  {"bos_token_id", 1},
                  {"eos_token_id", {2, 3}}};
    shapes["model.embed_tokens.weight"] = {7, 12};
    shapes["model.norm.weight"] = {12};
    for (int layer = 0; layer < 2; ++layer) {
      std::string prefix = "model.layers." + std::to_string(layer) + ".";
      shapes[prefix + "input_layernorm.weight"] = {12};
      shapes[prefix + "post_attention_layernorm.weight"] = {12};
      shapes[prefix + "self_attn.q_proj.weight"] = {12, 12};
      shapes[prefix + "self_attn.k_proj.weight"] = {4, 12};
      shapes[prefix + "self_attn.v_proj.weight"] = {4, 12};
      shapes[prefix + "self_attn.o_proj.weight"] = {12, 12};
      shapes[prefix + "mlp.gate_proj.weight"] = {20, 12};
      shapes[prefix + "mlp.up_proj.weight"] = {20, 12};
      shapes[prefix + "mlp.down_proj.weight"] = {12, 20};
    }
  }

  void writeFolder() {
    write("config.json", config.dump());
    writeTensors("model.safetensors", shapes);
  }
  std::string imported(ImportOptions options = {}) {
    return printed([&](mlir::MLIRContext *context) { return importHuggingFace(folder.string(), context, options); });
  }
  std::string withConfig(const std::string &key, json value) {
    json saved = config;
    config[key] = std::move(value);
    writeFolder();
    config = saved;
    return imported();
  }

  json config;
  std::map<std::string, std::vector<int64_t>> shapes;
};

TEST_F(HuggingFaceTest, Module) {
  writeFolder();
  std::string text = imported();
  EXPECT_THAT(text, HasSubstr("nstf.model = {architecture = \"llama\", bos = 1 : i64, context = 32 : i64, eos = "
                              "array<i64: 2, 3>"));
  EXPECT_THAT(text, HasSubstr("nstf.weight @model.layers.1.mlp.down_proj.weight : tensor<12x20xf32> from <\"model"));
  EXPECT_THAT(text, HasSubstr("nstf.state @layers.1.v_cache : tensor<32x4xf32>"));
  EXPECT_THAT(text, HasSubstr("nstf.graph @llama(%arg0: tensor<?xi32> {nstf.name = \"ids\"} loc(\"ids\""));
  EXPECT_THAT(text, HasSubstr(") -> (tensor<1x7xf32> {nstf.name = \"logits\"}, tensor<1xi32> {nstf.name = \"next\"}) "
                              "attributes {context = 32"));
  EXPECT_THAT(text, HasSubstr("head_size = 2 : i64, inv_freq = array<f64: 1.000000e+00>"));
  EXPECT_THAT(text, HasSubstr("{causal, heads = 6 : i64, kv_heads = 2 : i64, scale = 0.70710678118654746 : f64}"));
  EXPECT_THAT(text, HasSubstr("loc(\"model.layers.0.self_attn.q_proj\"(\"templates/models/llama.yaml\":"));
  EXPECT_THAT(text, testing::Not(HasSubstr("lm_head.weight")));
}

TEST_F(HuggingFaceTest, UntiedHeadAndBiases) {
  config["tie_word_embeddings"] = false;
  config["attention_bias"] = true;
  config["mlp_bias"] = true;
  shapes["lm_head.weight"] = {7, 12};
  for (int layer = 0; layer < 2; ++layer) {
    std::string prefix = "model.layers." + std::to_string(layer) + ".";
    shapes[prefix + "self_attn.q_proj.bias"] = {12};
    shapes[prefix + "self_attn.k_proj.bias"] = {4};
    shapes[prefix + "self_attn.v_proj.bias"] = {4};
    shapes[prefix + "self_attn.o_proj.bias"] = {12};
    shapes[prefix + "mlp.gate_proj.bias"] = {20};
    shapes[prefix + "mlp.up_proj.bias"] = {20};
    shapes[prefix + "mlp.down_proj.bias"] = {12};
  }
  writeFolder();
  std::string text = imported();
  EXPECT_THAT(text, HasSubstr("nstf.get @lm_head.weight"));
  EXPECT_THAT(text, HasSubstr("(tensor<?x20xf32>, tensor<12x20xf32>, tensor<12xf32>) -> tensor<?x12xf32>"));
}

TEST_F(HuggingFaceTest, SeveralFilesAndStoredTypes) {
  write("config.json", config.dump());
  auto first = shapes;
  first.erase("model.norm.weight");
  writeTensors("a.safetensors", first, "BF16");
  writeTensors("b.safetensors", {{"model.norm.weight", {12}}}, "F16");
  std::string text = imported();
  EXPECT_THAT(text, HasSubstr("b.safetensors\", offset = 80, type = f16>"));
  EXPECT_THAT(text, HasSubstr("type = bf16>"));
}

TEST_F(HuggingFaceTest, WithoutWeightFiles) {
  write("config.json", config.dump());
  ImportOptions options;
  options.needWeights = false;
  std::string text = imported(options);
  EXPECT_THAT(text, HasSubstr("nstf.weight @model.norm.weight : tensor<12xf32> loc"));
  EXPECT_THAT(imported(), HasSubstr("expected a file *.safetensors but there is none"));
}

TEST_F(HuggingFaceTest, ContextOfTheUser) {
  writeFolder();
  ImportOptions options;
  options.context = 16;
  EXPECT_THAT(imported(options), HasSubstr("@layers.0.k_cache : tensor<16x4xf32>"));
  options.context = 33;
  EXPECT_THAT(imported(options), HasSubstr("expected a context of 1 to 32 but got 33"));
}

TEST_F(HuggingFaceTest, BadFolders) {
  EXPECT_THAT(imported(), HasSubstr(path("config.json") + ": No such file or directory"));
  write("config.json", "{\"a\": ");
  EXPECT_THAT(imported(), HasSubstr("config.json:1:7: expected JSON but got this: syntax error"));
  write("config.json", "{\"hidden_size\": 1e400}");
  EXPECT_THAT(imported(), HasSubstr("expected JSON but got this: number overflow parsing '1e400'"));
  write("config.json", "[]");
  EXPECT_THAT(imported(), HasSubstr("expected an object but got []"));
  write("config.json", "{}");
  EXPECT_THAT(imported(), HasSubstr("expected 'architectures' or 'model_type' but got neither"));
  EXPECT_THAT(withConfig("architectures", "LlamaForCausalLM"),
              HasSubstr("expected a list 'architectures' of names but got \"LlamaForCausalLM\""));
  EXPECT_THAT(withConfig("architectures", json{"Llama9ForCausalLM"}),
              AllOf(HasSubstr("unknown architecture 'Llama9ForCausalLM' (known: BertForMaskedLM, "),
                    HasSubstr("; --architecture FILE.yaml adds one)")));
  std::string missing = path("none");
  EXPECT_THAT(printed([&](mlir::MLIRContext *context) { return importHuggingFace(missing, context); }),
              HasSubstr("'" + missing + "': no such folder"));
}

TEST_F(HuggingFaceTest, WithoutArchitectures) {
  writeFolder();
  std::string named = imported();
  for (json absent : {json(), json::array()}) {
    config["architectures"] = absent;
    config["model_type"] = "llama";
    writeFolder();
    EXPECT_EQ(imported(), named);
  }
  config.erase("architectures");
  EXPECT_EQ(withConfig("model_type", "llama"), named);
  EXPECT_THAT(withConfig("model_type", "llama9"),
              AllOf(HasSubstr("unknown model_type 'llama9' (known: bert, gpt2, gpt_neox, gptj, llama, "),
                    HasSubstr("; --architecture FILE.yaml adds one)")));
  EXPECT_THAT(withConfig("model_type", 1), HasSubstr("expected a name 'model_type' but got 1"));
  EXPECT_THAT(withConfig("model_type", nullptr), HasSubstr("expected 'architectures' or 'model_type' but got neither"));
}

TEST_F(HuggingFaceTest, BadConfigs) {
  EXPECT_THAT(withConfig("num_attention_heads", 0), HasSubstr("num_attention_heads: expected at least 1 but got 0"));
  EXPECT_THAT(withConfig("num_attention_heads", "6"),
              HasSubstr("expected num_attention_heads to be a whole number but got '6'"));
  EXPECT_THAT(withConfig("num_attention_heads", 5), HasSubstr("no 'head_dim', and its default doesn't work: in "
                                                              "'hidden / heads': 12 / 5 is not a whole number"));
  EXPECT_THAT(withConfig("num_key_value_heads", 4),
              HasSubstr("expected num_attention_heads to be a multiple of num_key_value_heads but got 6 and 4"));
  EXPECT_THAT(withConfig("num_hidden_layers", 1000000000),
              HasSubstr("num_hidden_layers: expected at most 1024 but got 1000000000"));
  EXPECT_THAT(withConfig("num_hidden_layers", 900),
              HasSubstr("tensor 'model.layers.2.input_layernorm.weight' is missing, and 8081 more"));
  EXPECT_THAT(withConfig("hidden_size", 24),
              HasSubstr("expected shape [7, 24] ('" + path("config.json") + "') but got [7, 12]"));
  EXPECT_THAT(withConfig("hidden_size", nullptr), HasSubstr("expected a key 'hidden_size' but it has none"));
  EXPECT_THAT(withConfig("hidden_size", 1e300), HasSubstr("expected hidden_size to be a whole number"));
  EXPECT_THAT(
      withConfig("quantization_config", json{{"bits", 4}}),
      HasSubstr("quantization_config: expected a quant_method of compressed-tensors, awq, gptq or fp8 but got none"));
  EXPECT_THAT(withConfig("head_dim", 3), HasSubstr("expected an even head_dim for rope but got 3"));
}

TEST_F(HuggingFaceTest, BadTensors) {
  shapes.erase("model.norm.weight");
  writeFolder();
  EXPECT_THAT(imported(), HasSubstr("tensor 'model.norm.weight' is missing ("));
  shapes["model.norm.weight"] = {13};
  writeFolder();
  EXPECT_THAT(imported(), HasSubstr("tensor 'model.norm.weight': expected shape [12] ('"));
  shapes["model.norm.weight"] = {12};
  write("config.json", config.dump());
  writeTensors("model.safetensors", shapes, "I32");
  EXPECT_THAT(imported(), HasSubstr("expected a type of f32, f16, bf16 or f64 but got i32"));
}

TEST_F(HuggingFaceTest, KnownArchitectures) {
  EXPECT_THAT(knownArchitectures(), testing::Contains("LlamaForCausalLM"));
}

} // namespace
