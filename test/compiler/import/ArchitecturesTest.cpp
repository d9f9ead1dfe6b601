// The architectures of templates/models, apart from their results (test/models): the configurations that are accepted,
// and one clear error line for others.
#include "compiler/import/HuggingFace.h"

#include "test/compiler/import/ImportTest.h"

using namespace nstf;
using namespace nstf::import;
using namespace nstf::test;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

class ArchitecturesTest : public ImportTest {
protected:
  /// The configuration of a fixture, imported without weights.
  std::string imported(const std::string &fixture, const json &changes = json::object(), ImportOptions options = {}) {
    std::ifstream in(std::string(NSTF_SOURCE_DIR) + "/test/models/" + fixture + "/config.json");
    json config = json::parse(in);
    for (const auto &[key, value] : changes.items())
      config[key] = value;
    write("config.json", config.dump());
    options.needWeights = false;
    return printed([&](mlir::MLIRContext *context) { return importHuggingFace(folder.string(), context, options); });
  }

  static size_t count(const std::string &text, const std::string &part) {
    size_t number = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++number;
    return number;
  }
};

TEST_F(ArchitecturesTest, Activations) {
  const std::map<std::string, std::string> keys = {
      {"llama-linear", "hidden_act"}, {"gpt2", "activation_function"}, {"gptj", "activation_function"},
      {"gpt_neox", "hidden_act"},     {"mistral", "hidden_act"},       {"qwen2", "hidden_act"},
      {"qwen3", "hidden_act"},        {"phi3", "hidden_act"},          {"bert", "hidden_act"}};
  for (const auto &[fixture, key] : keys) {
    EXPECT_THAT(imported(fixture, {{key, "mish"}}),
                testing::ContainsRegex("config.json': expected " + key + " to be '(silu|gelu)' or 'gelu"))
        << fixture;
    EXPECT_THAT(imported(fixture, {{key, "mish"}}), HasSubstr("but got 'mish'\n")) << fixture;
    EXPECT_THAT(imported(fixture, {{key, "gelu"}}), HasSubstr("nstf.gelu %")) << fixture;
    EXPECT_THAT(imported(fixture, {{key, "gelu"}}), Not(HasSubstr("{tanh}"))) << fixture;
    for (const char *approximation : {"gelu_new", "gelu_pytorch_tanh"})
      EXPECT_THAT(imported(fixture, {{key, approximation}}), HasSubstr("{tanh}")) << fixture;
    EXPECT_THAT(imported(fixture, {{key, "relu"}}), HasSubstr("nstf.relu")) << fixture;
    EXPECT_THAT(imported(fixture, {{key, "silu"}}), testing::ContainsRegex("nstf.silu|nstf.swiglu")) << fixture;
  }
}

TEST_F(ArchitecturesTest, Windows) {
  for (const char *fixture : {"mistral", "qwen2", "qwen3", "phi3"})
    for (int window : {0, -1})
      EXPECT_THAT(imported(fixture, {{"sliding_window", window}}),
                  HasSubstr("config.json': sliding_window: expected at least 1 but got " + std::to_string(window)))
          << fixture;
  EXPECT_THAT(imported("mistral", {{"sliding_window", "4"}}),
              HasSubstr("expected sliding_window to be a whole number but got '4'"));
  EXPECT_THAT(imported("mistral"), HasSubstr("window = 5 : i64"));
  EXPECT_THAT(imported("mistral", {{"sliding_window", nullptr}}), Not(HasSubstr("window")));
  // A window as long as the context hides nothing.
  EXPECT_THAT(imported("mistral", {{"sliding_window", 64}}), Not(HasSubstr("window")));

  EXPECT_EQ(count(imported("qwen2"), "window = 4"), 2u); // all of three layers except the first
  EXPECT_EQ(count(imported("qwen2", {{"use_sliding_window", false}}), "window"), 0u);
  EXPECT_EQ(count(imported("qwen2", {{"max_window_layers", 0}}), "window = 4"), 3u);
  EXPECT_EQ(count(imported("qwen3"), "window = 6"), 1u);
  EXPECT_THAT(imported("qwen3", {{"layer_types", {"full_attention"}}}),
              HasSubstr("expected layer_types to have an entry for each of 2 layers but got 1"));
  EXPECT_THAT(
      imported("qwen3", {{"layer_types", {"full_attention", "chunked_attention"}}}),
      HasSubstr("expected layer_types to be 'full_attention' or 'sliding_attention' but got 'chunked_attention'"));
}

TEST_F(ArchitecturesTest, Ropes) {
  for (const char *fixture : {"llama-linear", "mistral", "qwen2", "gpt_neox"}) {
    EXPECT_THAT(
        imported(fixture, {{"rope_scaling", {{"rope_type", "mrope"}}}}),
        HasSubstr("config.json': expected rope_scaling.rope_type to be 'default', 'linear', 'dynamic', 'llama3', "
                  "'yarn' or 'longrope' but got 'mrope'\n"))
        << fixture;
    EXPECT_THAT(imported(fixture, {{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4}}}}),
                HasSubstr(", scale = 1.13"))
        << fixture;
  }
  EXPECT_THAT(imported("phi3", {{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}}),
              HasSubstr("expected rope_scaling to be 'default' or 'longrope' but got 'linear'\n"));
  EXPECT_THAT(imported("llama-linear", {{"partial_rotary_factor", 0.5}}),
              HasSubstr("expected partial_rotary_factor to be 1 but got 0.5"));
  EXPECT_THAT(imported("gpt_neox", {{"rotary_pct", 0.2}}),
              HasSubstr("expected an even number of features of a head to turn but got 3 of 16"));
  EXPECT_THAT(imported("gptj", {{"rotary_dim", 81}}), HasSubstr("rotary_dim: expected at most 80 but got 81"));
}

/// Dynamic scaling allows a context that exceeds the model's.
TEST_F(ArchitecturesTest, Contexts) {
  ImportOptions options;
  options.context = 24;
  EXPECT_THAT(imported("llama-dynamic", {}, options), HasSubstr("@layers.0.k_cache : tensor<24x32xf32>"));
  options.context = 25;
  EXPECT_THAT(imported("llama-dynamic", {}, options), HasSubstr("expected a context of 1 to 24 but got 25"));
  options.context = 33;
  EXPECT_THAT(imported("gpt2", {}, options), HasSubstr("expected a context of 1 to 32 but got 33"));
  options.context = 20;
  std::string shorter = imported("gpt2", {}, options);
  EXPECT_THAT(shorter, HasSubstr("@transformer.wpe.weight : tensor<32x40xf32>"));
  EXPECT_THAT(shorter, HasSubstr("@layers.0.k_cache : tensor<20x40xf32>"));
}

TEST_F(ArchitecturesTest, Pooling) {
  EXPECT_THAT(imported("bert"), HasSubstr("nstf.mean_rows"));
  EXPECT_THAT(imported("bert"), HasSubstr("nstf.name = \"pooled\""));
  auto pooling = [&](const json &modes) {
    write("1_Pooling/config.json", modes.dump());
    return imported("bert");
  };
  EXPECT_THAT(pooling({{"pooling_mode_cls_token", true}, {"pooling_mode_mean_tokens", false}}),
              Not(HasSubstr("nstf.mean_rows")));
  EXPECT_THAT(pooling({{"pooling_mode_max_tokens", true}}),
              HasSubstr("expected 1_Pooling/config.json#pooling_mode_max_tokens to be false but got true"));
  pooling({{"pooling_mode_mean_tokens", true}});
  write("2_Dense/config.json", "{\"in_features\": 40}");
  EXPECT_THAT(imported("bert"), HasSubstr("2_Dense/config.json#in_features is not supported"));
  std::filesystem::remove_all(folder / "2_Dense");
  EXPECT_THAT(imported("bert", {{"is_decoder", true}}), HasSubstr("expected is_decoder to be false but got true"));
  EXPECT_THAT(imported("bert", {{"position_embedding_type", "relative_key"}}),
              HasSubstr("expected position_embedding_type to be 'absolute'"));
}

TEST_F(ArchitecturesTest, IndexOfMissingShards) {
  imported("gpt2");
  writeTensors("model-1-of-2.safetensors", {{"wte.weight", {54, 40}}});
  write("model.safetensors.index.json",
        R"({"weight_map": {"wte.weight": "model-1-of-2.safetensors", "wpe.weight": "model-2-of-2.safetensors"}})");
  auto import = [&] {
    return printed([&](mlir::MLIRContext *context) { return importHuggingFace(folder.string(), context); });
  };
  EXPECT_THAT(
      import(),
      HasSubstr("model.safetensors.index.json': expected the file 'model-2-of-2.safetensors', which should hold tensor "
                "'wpe.weight', beside it but there is none"));
  writeTensors("model-2-of-2.safetensors", {{"wpe", {32, 40}}});
  EXPECT_THAT(import(),
              HasSubstr("index.json': tensor 'wpe.weight' is not in 'model-2-of-2.safetensors', where the index "
                        "says it is"));
}

/// Any value under any key of config.json gives a model or one error of one line.
TEST_F(ArchitecturesTest, AnyValueOfAnyKey) {
  mlir::MLIRContext context;
  context.loadDialect<NSTFDialect>();
  int models = 0, errors = 0;
  for (const char *fixture : {"llama-yarn", "gpt2", "qwen3", "bert"}) {
    std::ifstream in(std::string(NSTF_SOURCE_DIR) + "/test/models/" + fixture + "/config.json");
    json whole = json::parse(in);
    std::vector<std::pair<json *, std::string>> places;
    auto collect = [&](auto &&self, json &object) -> void {
      for (auto &[key, value] : object.items()) {
        places.emplace_back(&object, key);
        if (value.is_object())
          self(self, value);
      }
    };
    collect(collect, whole);
    for (auto &[object, key] : places)
      for (const char *value : {"null", "-1", "0", "3", "0.5", "4294967296", "9223372036854775807", "1e300", "\"x\"",
                                "true", "[]", "[1, \"x\"]", "{}", "{\"rope_type\": \"yarn\"}"}) {
        json saved = (*object)[key];
        (*object)[key] = json::parse(value);
        write("config.json", whole.dump());
        (*object)[key] = saved;
        std::vector<std::string> diagnostics;
        mlir::ScopedDiagnosticHandler handler(
            &context, [&](mlir::Diagnostic &diagnostic) { diagnostics.push_back(diagnostic.str()); });
        ImportOptions options;
        options.needWeights = false;
        bool isModel = static_cast<bool>(importHuggingFace(folder.string(), &context, options));
        ++(isModel ? models : errors);
        ASSERT_EQ(diagnostics.size(), isModel ? 0u : 1u) << fixture << ": " << key << " = " << value;
        if (!isModel)
          EXPECT_THAT(diagnostics[0], Not(HasSubstr("\n"))) << fixture << ": " << key << " = " << value;
      }
  }
  EXPECT_GT(models, 100);
  EXPECT_GT(errors, 300);
}

TEST_F(ArchitecturesTest, FilesOfTheUser) {
  EXPECT_THAT(imported("phi"), HasSubstr("unknown architecture 'PhiForCausalLM' (known: "));
  ImportOptions options;
  options.architectures = {std::string(NSTF_SOURCE_DIR) + "/test/models/phi/architecture.yaml"};
  EXPECT_THAT(imported("phi", {}, options), HasSubstr("nstf.model = {architecture = \"phi\""));
  options.architectures = {write("none.yaml", "name: g\ninputs: {}\nnodes: {}\noutputs: {y: x}\n")};
  EXPECT_THAT(imported("phi", {}, options),
              HasSubstr("none.yaml:1:1: expected a key 'architectures' that names what the file describes"));
  options.architectures = {path("absent.yaml")};
  EXPECT_THAT(imported("phi", {}, options), HasSubstr(path("absent.yaml") + ": No such file or directory"));
  // A user's file takes precedence over NSTF's own.
  options.architectures = {write("mine.yaml",
                                 "name: mine\narchitectures: [BertModel]\ncontext: 4\ninputs: {x: [tokens, 3]}\n"
                                 "nodes: {y: {op: silu, operands: [x]}}\noutputs: {y: y}\n")};
  EXPECT_THAT(imported("bert", {}, options), HasSubstr("nstf.graph @mine"));
}

} // namespace
