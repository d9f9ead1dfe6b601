// Checkpoints with one oddity each (README.md): the import, run by the reference, gives the numbers that transformers
// compute in float64 and prints only the expected notes; or it is one error of one line.
#include "compiler/import/Import.h"
#include "compiler/reference/ReferenceModel.h"
#include "test/compiler/checkpoint/TestFiles.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace nstf;
using namespace nstf::import;
using namespace nstf::reference;
using namespace nstf::test;
using description::RopeFactors;
using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

const fs::path oddities = fs::path(NSTF_SOURCE_DIR) / "test/models/oddities";

/// Both sides compute in float64, and the expected numbers have twelve digits.
constexpr double tolerance = 1e-9;

class OdditiesTest : public TestFiles {
protected:
  /// Diagnostics are collected instead of printed.
  OdditiesTest()
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error ? errors : notes).push_back(diagnostic.str());
        }) {}

  static json read(const fs::path &file) {
    std::ifstream in(file);
    return json::parse(in);
  }

  /// Copies a fixture's files to the test's folder for changes; sets keys of config.json, and removes those that are
  /// null.
  void copy(const std::string &fixture, const json &changes = json::object()) {
    fs::copy(oddities / fixture, folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    json config = read(oddities / fixture / "config.json");
    for (const auto &[key, value] : changes.items())
      if (config[key] = value; value.is_null())
        config.erase(key);
    write("config.json", config.dump());
  }

  /// The one error of a folder that is refused.
  std::string refusal(const ImportOptions &options = {}) { return refusal(folder, options); }
  std::string refusal(const fs::path &model, const ImportOptions &options = {}) {
    errors.clear();
    EXPECT_FALSE(importModel(model.string(), &context, options));
    EXPECT_EQ(errors.size(), 1u);
    EXPECT_THAT(errors, testing::Each(testing::Not(HasSubstr("\n"))));
    return errors.empty() ? "" : errors[0];
  }

  static void expectNear(const Tensor &got, const json &wanted, const std::string &what) {
    ASSERT_EQ(size_t(got.size()), wanted.size()) << what;
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(got.data()[i], wanted[i].get<double>(), tolerance) << what << " " << i;
  }

  static Tensor makeIds(const std::vector<int32_t> &ids) { return Tensor({int64_t(ids.size())}, ids); }

  /// Checks the logits of the middle position and of the last one.
  static void expectLogits(ReferenceModel &model, const json &expected) {
    std::vector<int32_t> ids = expected["ids"];
    const size_t half = ids.size() / 2 + 1;
    Tensor first = makeIds({ids.begin(), ids.begin() + half}), rest = makeIds({ids.begin() + half, ids.end()});
    expectNear(model.run({{"ids", first}}, half, 0)["logits"], expected["logits"][0], "middle");
    expectNear(model.run({{"ids", rest}}, ids.size() - half, half)["logits"], expected["logits"][1], "last");
  }

  static void expectHidden(ReferenceModel &model, const json &expected) {
    std::vector<int32_t> ids = expected["ids"], types = expected["types"];
    Tensor hidden = model.run({{"ids", makeIds(ids)}, {"token_types", makeIds(types)}}, ids.size(), 0)["hidden"];
    json wanted = json::array();
    for (const json &row : expected["hidden"])
      wanted.insert(wanted.end(), row.begin(), row.end());
    expectNear(hidden, wanted, "hidden");
  }

  mlir::MLIRContext context;
  std::vector<std::string> errors, notes;
  mlir::ScopedDiagnosticHandler handler;
};

class OddityTest : public OdditiesTest, public testing::WithParamInterface<std::string> {};

TEST_P(OddityTest, Numbers) {
  const fs::path model = oddities / GetParam();
  const json expected = read(model / "expected.json");
  ImportOptions options;
  if (expected.contains("options")) {
    const json &given = expected["options"];
    if (given.contains("context"))
      options.context = given["context"];
    options.ropeFactors = given["rope_factors"] == "short" ? RopeFactors::Short : RopeFactors::Long;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(model.string(), &context, options);
  ASSERT_TRUE(module) << testing::PrintToString(errors);
  std::vector<testing::Matcher<std::string>> told;
  for (const json &note : expected["notes"])
    told.push_back(HasSubstr(note.get<std::string>()));
  EXPECT_THAT(notes, testing::ElementsAreArray(told));
  ReferenceModel reference(*module);
  expected.contains("hidden") ? expectHidden(reference, expected) : expectLogits(reference, expected);
}

std::vector<std::string> listOddities() {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(oddities))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string getTestName(const testing::TestParamInfo<std::string> &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Oddities, OddityTest, testing::ValuesIn(listOddities()), getTestName);

/// ODDITIES.md lists every fixture, and what it names exists.
TEST(Oddities, AreListed) {
  std::ifstream in(fs::path(NSTF_SOURCE_DIR) / "test/models/ODDITIES.md");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  for (const std::string &name : listOddities())
    EXPECT_THAT(text, HasSubstr("`oddities/" + name + "`"));
  size_t files = 0;
  for (size_t at = text.find("`test/"); at != std::string::npos; at = text.find("`test/", at + 1), ++files) {
    std::string file = text.substr(at + 1, text.find('`', at + 1) - at - 1);
    EXPECT_TRUE(fs::exists(fs::path(NSTF_SOURCE_DIR) / file)) << file;
  }
  EXPECT_GT(files, 20u);
}

// Refused checkpoints

TEST_F(OdditiesTest, AdapterAlone) {
  fs::copy_file(oddities / "adapter-beside/adapter_config.json", folder / "adapter_config.json");
  fs::copy_file(oddities / "adapter-beside/adapter_model.safetensors", folder / "adapter_model.safetensors");
  EXPECT_EQ(refusal(), "'" + path("adapter_config.json") +
                           "': expected a model but got an adapter of 'base/model': "
                           "adapters are not taken, merge it into its model");
  write("adapter_config.json", "{}");
  EXPECT_THAT(refusal(),
              HasSubstr("adapter_config.json': expected a model but got an adapter: adapters are not taken"));
  write("adapter_config.json", "{");
  EXPECT_THAT(refusal(), HasSubstr("expected JSON but got this"));
}

TEST_F(OdditiesTest, FilesThatAreNoWeights) {
  copy("adapter-beside");
  fs::remove(folder / "model.safetensors");
  EXPECT_EQ(refusal(), "'" + folder.string() +
                           "': expected a file *.safetensors but got only "
                           "'adapter_model.safetensors', an adapter's");
  fs::remove(folder / "adapter_model.safetensors");
  EXPECT_EQ(refusal(), "'" + folder.string() + "': expected a file *.safetensors but there is none");
  write("tok512.bin", "");
  write("pytorch_model-00001-of-00002.bin", "");
  EXPECT_THAT(refusal(), HasSubstr("but got only 'pytorch_model-00001-of-00002.bin', which is not read"));
  write("consolidated.00.pth", "");
  EXPECT_THAT(refusal(),
              HasSubstr("but got only 'consolidated.00.pth' and 'pytorch_model-00001-of-00002.bin', which "));
  write("model.gguf", "");
  EXPECT_THAT(refusal(), HasSubstr("but got only 'consolidated.00.pth' and 2 more, which are not read"));
}

/// config.json announces a separate head that the checkpoint lacks.
TEST_F(OdditiesTest, HeadThatIsMissing) {
  copy("gpt2-buffers", {{"tie_word_embeddings", false}});
  EXPECT_THAT(refusal(), HasSubstr("tensor 'lm_head.weight' is missing ("));
}

TEST_F(OdditiesTest, TypeWithItsModule) {
  auto module = importModel((oddities / "config-torch-type").string(), &context);
  ASSERT_TRUE(module);
  auto facts = (*module)->getAttrOfType<mlir::DictionaryAttr>(NSTFDialect::modelAttributeName);
  EXPECT_EQ(facts.getAs<mlir::StringAttr>("dtype").str(), "bfloat16");
}

/// Keys of adapters, norms or experts that would change results are not ignored.
TEST_F(OdditiesTest, KeysOfOtherArchitectures) {
  const std::map<std::string, json> refused = {{"attention_multiplier", 0.5},
                                               {"embedding_multiplier", 12},
                                               {"residual_multiplier", 0.22},
                                               {"logits_scaling", 8.0},
                                               {"logit_scale", 0.0625},
                                               {"attn_logit_softcapping", 50.0},
                                               {"clip_qkv", 8},
                                               {"use_qk_norm", true},
                                               {"query_pre_attn_scalar", 256},
                                               {"num_local_experts", 8},
                                               {"alibi", true},
                                               {"no_rope_layers", {1, 0}}};
  for (const auto &[key, value] : refused) {
    copy("head-dim-null", {{key, value}});
    EXPECT_THAT(refusal(),
                HasSubstr("config.json': " + key + " is not supported by the architecture 'llama': expected "))
        << key;
  }
  for (const json &value : {json(1), json(1.0), json(false)}) {
    copy("head-dim-null", {{"logit_scale", value}, {"num_local_experts", value}});
    EXPECT_TRUE(importModel(folder.string(), &context)) << value;
  }
  copy("mistral-defaults", {{"attention_multiplier", 1}});
  EXPECT_THAT(refusal(), HasSubstr("by the architecture 'mistral': expected none but got 1"));
}

TEST_F(OdditiesTest, TwoRopes) {
  for (const json &other :
       {json{{"rope_type", "linear"}, {"factor", 3.0}, {"rope_theta", 20.0}},
        json{{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 30.0}}, json{{"rope_type", "default"}}}) {
    copy("rope-both-keys", {{"rope_parameters", other}});
    EXPECT_THAT(refusal(), HasSubstr("expected one rope but got rope_scaling and rope_parameters, which differ"));
  }
}

TEST_F(OdditiesTest, NumbersThatAreNoJson) {
  copy("rope-scaling-null");
  for (const char *number : {"NaN", "Infinity", "-Infinity", "1e400"}) {
    write("config.json", "{\"architectures\": [\"LlamaForCausalLM\"], \"rms_norm_eps\": " + std::string(number) + "}");
    EXPECT_THAT(refusal(), HasSubstr("expected JSON but got this")) << number;
  }
}

TEST_F(OdditiesTest, ModelInsideAnother) {
  copy("rope-scaling-null");
  json config = read(folder / "config.json"), outer = {{"text_config", config}, {"model_type", "llava"}};
  write("config.json", outer.dump());
  EXPECT_THAT(refusal(), HasSubstr("unknown model_type 'llava' (known: "));
  outer["architectures"] = {"LlavaForConditionalGeneration"};
  write("config.json", outer.dump());
  EXPECT_THAT(refusal(), HasSubstr("unknown architecture 'LlavaForConditionalGeneration' (known: "));
}

TEST_F(OdditiesTest, RopeFactorsOfAnotherModel) {
  ImportOptions options;
  options.ropeFactors = RopeFactors::Short;
  EXPECT_THAT(refusal(oddities / "rope-scaling-both-names", options),
              HasSubstr("config.json': expected a model with rope scaling of the kind longrope, whose factors "
                        "--rope-factors chooses, but it has none"));
  EXPECT_THAT(refusal(write("g.yaml", "name: g\n"), options),
              HasSubstr("g.yaml': expected a model folder with --rope-factors but got a file"));
}

} // namespace
