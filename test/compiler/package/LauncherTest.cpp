// The names in a launcher, and its text for a manifest whose names are none that C++ would take. That such a launcher
// compiles is launcher-names.test's to say, on the files this test leaves.
#include "compiler/package/LauncherCode.h"
#include "compiler/package/LauncherNames.h"
#include "compiler/package/LauncherText.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf;
using manifest::ElementType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(LauncherNames, Identifiers) {
  using launcher::identifier;
  EXPECT_EQ(identifier("layers.0.k_cache"), "layers_0_k_cache");
  EXPECT_EQ(identifier("__x--y__"), "x_y");
  EXPECT_EQ(identifier("7b"), "n7b");
  EXPECT_EQ(identifier("class"), "class_");
  EXPECT_EQ(identifier("errno"), "errno_");
  EXPECT_EQ(identifier("EOF"), "EOF_");
  EXPECT_EQ(identifier("X"), "X");
  EXPECT_EQ(identifier(""), "unnamed");
  EXPECT_EQ(identifier("\xc3\xa9t\xc3\xa9"), "t");
}

TEST(LauncherNames, NoTwoAreTheSame) {
  launcher::NameSet names({"step"});
  EXPECT_EQ(names.add("a.b"), "a_b");
  EXPECT_EQ(names.add("a-b"), "a_b_2");
  EXPECT_EQ(names.add("a_b_2"), "a_b_2_2");
  EXPECT_EQ(names.add("step"), "step_2");
  EXPECT_EQ(names.add("int"), "int_");
  EXPECT_EQ(names.add("int"), "int_2");
}

TEST(LauncherNames, LiteralsAndComments) {
  EXPECT_EQ(launcher::literal("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(launcher::literal("\n7\xc3"), "\"\\0127\\303\"");
  EXPECT_EQ(launcher::literal("?"
                              "?="),
            "\"?\\?=\"");
  EXPECT_EQ(launcher::comment("a\nb\\"), "a.b.");
}

TEST(LauncherCode, ChoosesLinesByFeatures) {
  launcher::Features features;
  for (const char *name : {"STORED", "CONVERTED", "GIVEN", "IDS", "LOGITS", "CONTEXT", "REQUESTS", "COUNTS_POSITIONS"})
    features[name] = false;
  const std::string least = launcher::launcherCode("code", features);
  EXPECT_THAT(least, HasSubstr("    write(controlTokens, tokens);\n    write(controlPosition, position);\n"
                               "    copyIn(controlBuffer, 0, control, sizeof(control));\n"));
  for (const char *name :
       {"loadStored", "loadGiven", "checkIds", "checkLogits", "checkPositions", "Request", "#", "//---"})
    EXPECT_THAT(least, Not(HasSubstr(name)));

  // Inside a condition that holds not, nothing is chosen.
  features["CONVERTED"] = true;
  EXPECT_THAT(launcher::launcherCode("code", features), Not(HasSubstr("weight.stored == Stored::same")));
  features["STORED"] = true;
  EXPECT_THAT(launcher::launcherCode("code", features), HasSubstr("weight.stored == Stored::same"));

  features["REQUESTS"] = true;
  EXPECT_THAT(launcher::launcherCode("code", features),
              HasSubstr("  void run(const Bucket &bucket, int tokens, const Request *requests, int count) {\n"
                        "    unsigned char control[controlSize] = {};\n"));
  EXPECT_THAT(launcher::launcherCode("code", features), Not(HasSubstr("write(controlPosition, position);")));
}

TEST(LauncherCode, EndsBeforeTheNextPart) {
  const std::string members = launcher::launcherCode("members");
  EXPECT_THAT(members, testing::StartsWith("Model::Model(Model &&) noexcept = default;\n"));
  EXPECT_THAT(members, testing::EndsWith("void *Model::address(Buffer buffer) const { return impl->at(buffer); }\n\n"));
  EXPECT_THAT(launcher::launcherCode("types"), testing::StartsWith("/// What a kernel's argument points to.\n"));
}

TEST(LauncherCode, RefusesUnknownNames) {
  EXPECT_THROW(launcher::launcherCode("part"), std::logic_error);
  EXPECT_THROW(launcher::launcherCode("code", {{"STORED", true}}), std::logic_error);
}

/// Inputs, outputs and states by names that mean something else, every element type, two targets, weights of all kinds.
manifest::Manifest wildManifest() {
  using manifest::BufferKind;
  const std::vector<std::string> wild = {"step", "std", "Model", "line\nbreak \\", "int",
                                         "a.b",  "a-b", "\"; }", "Buffer"};
  const manifest::Shape rows{{manifest::Shape::tokensDimension, 3}}, fixed{{2, 3}}, scalar{{}};
  manifest::Manifest m;
  m.compiler = "test \\";
  m.model.name = "operator?\?/\n";
  m.model.vocabulary = 10;
  m.model.tokenizer = {"sentencepiece", "tok\"en.model"};
  m.control = {0, 64, 8, 12};
  m.buffers = {{"control", BufferKind::Control, 64, {}, {}}, {"weights", BufferKind::Weights, 2048, {}, {}}};
  m.weights.mode = manifest::WeightsMode::None;
  m.weights.buffer = 1;
  const ElementType types[] = {ElementType::F64,  ElementType::F32, ElementType::F16,
                               ElementType::BF16, ElementType::I64, ElementType::I32,
                               ElementType::I16,  ElementType::I8,  ElementType::U8};
  for (std::size_t i = 0; i < wild.size(); ++i) {
    m.buffers.push_back({wild[i], BufferKind::Input, 1024, types[i], rows});
    m.inputs.push_back({wild[i], types[i], i % 2 ? rows : fixed, m.buffers.size() - 1});
    m.buffers.push_back({wild[i] + " out", BufferKind::Output, 1024, {}, {}});
    m.outputs.push_back({wild[i], types[i], i % 2 ? rows : scalar, m.buffers.size() - 1});
  }
  m.buffers.push_back({"state\r", BufferKind::State, 64, {}, {}});
  m.weights.tensors = {{"given\n", ElementType::F32, fixed, 0, 24, {}},
                       {"scalar", ElementType::F32, scalar, 256, 4, {}},
                       {"half\\", ElementType::F32, fixed, 512, 24, {{"/some\\where", 10, ElementType::F16, ""}}},
                       {"same", ElementType::I8, fixed, 768, 6, {{"weights.safetensors", 0, ElementType::I8, ""}}}};
  for (std::string id : {"gfx90a:xnack-", "gfx942"}) {
    manifest::Target target{};
    target.id = id;
    target.codeObject = "kernels." + id;
    manifest::Kernel kernel{};
    kernel.symbol = "k\"0";
    kernel.block = {64, 2, 1};
    kernel.arguments = {{"x", 8, 8, ElementType::F32, rows, 4, manifest::Access::Read}};
    target.kernels = {kernel, kernel};
    target.kernels[1].symbol = "no arguments";
    target.kernels[1].arguments.clear();
    manifest::Step one{"first\\", 0, {1, 2, 3}, 0, 0, {}, {{1, 512}}}, two{"second\n", 1, {4, 1, 1}, 0, 0, {0}, {}};
    target.buckets = {{1, 1, {one, two}}, {4, 9, {one, two}}};
    if (id == "gfx942") // only kernels without arguments
      target.kernels.erase(target.kernels.begin()), target.buckets = {{1, 9, {two}}},
                                                    target.buckets[0].steps[0].kernel = 0;
    m.targets.push_back(target);
  }
  return m;
}

TEST(LauncherText, WildNames) {
  manifest::Manifest m = wildManifest();
  std::string header = launcherHeaderText(m), source = launcherSourceText(m, "0123");
  EXPECT_THAT(header, HasSubstr("namespace operator_model {"));
  EXPECT_THAT(header, HasSubstr("const std::uint16_t *line_break, "));
  EXPECT_THAT(header, HasSubstr("  std::vector<double> step_2() const;"));
  EXPECT_THAT(header, HasSubstr("constexpr const char *tokenizer = \"tok\\\"en.model\""));
  EXPECT_THAT(source, HasSubstr("{\"half\\\\\", 512, 12, \"/some\\\\where\", 10, Stored::f16},"));
  EXPECT_THAT(source, HasSubstr("    {0, {1, 2, 3}, 0}, // first."));
  EXPECT_THAT(source, HasSubstr("digest[] = \"0123\""));
  EXPECT_EQ(source, launcherSourceText(m, "0123"));
  if (const char *folder = std::getenv("NSTF_TEST_FOLDER")) {
    std::filesystem::create_directories(folder);
    std::ofstream(std::filesystem::path(folder) / "model.h") << header;
    std::ofstream(std::filesystem::path(folder) / "model.cpp") << source;
  }
}

TEST(LauncherText, EqualArgumentListsAreOneTable) {
  std::string source = launcherSourceText(wildManifest(), "");
  source.erase(source.find("namespace target1"));
  EXPECT_THAT(source, HasSubstr("{4, 9, arguments1.data(), launches9.data(), launches9.size()}"));
  EXPECT_THAT(source, HasSubstr("> arguments1 "));
  EXPECT_THAT(source, Not(HasSubstr("> arguments9 ")));
}

TEST(LauncherText, HoldsNoCodeWithoutUse) {
  manifest::Manifest m = wildManifest();
  EXPECT_THAT(launcherSourceText(m, ""), HasSubstr("halfBits"));
  EXPECT_THAT(launcherSourceText(m, ""), Not(HasSubstr("position += tokens"))); // no context
  m.weights.tensors.pop_back();
  m.weights.tensors.pop_back();
  EXPECT_THAT(launcherSourceText(m, ""), Not(HasSubstr("ifstream file;")));
  EXPECT_THAT(launcherHeaderText(m), HasSubstr("WeightFunction"));
  m.weights.tensors.clear();
  EXPECT_THAT(launcherHeaderText(m), Not(HasSubstr("WeightFunction")));
  m.model.context = 9;
  EXPECT_THAT(launcherSourceText(m, ""), HasSubstr("position += tokens"));
}

TEST(LauncherText, LooksAtTheLogitsOfAToken) {
  manifest::Manifest m = wildManifest();
  EXPECT_THAT(launcherSourceText(m, ""), Not(HasSubstr("checkLogits")));
  m.outputs[1] = {"logits", ElementType::F32, {{1, 10}}, m.outputs[1].buffer};
  EXPECT_THAT(launcherSourceText(m, ""), Not(HasSubstr("checkLogits")));
  m.outputs[2] = {"next", ElementType::I32, {{1}}, m.outputs[2].buffer};
  EXPECT_THAT(launcherSourceText(m, ""), HasSubstr("Model::next() const {\n  impl->checkLogits(logits());\n"));
  m.outputs[2].type = ElementType::I64; // the name means something else here
  EXPECT_THAT(launcherSourceText(m, ""), Not(HasSubstr("checkLogits")));
}

} // namespace
