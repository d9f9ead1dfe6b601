// The perplexity of trained models in f32 agrees with the float64 reference, on the checkpoint in the repository and on
// a text beside another checkpoint.
#include "nstf/Perplexity.h"
#include "compiler/import/Import.h"
#include "compiler/reference/ReferenceModel.h"
#include "test/models/EmulatedModel.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

using namespace nstf;
using namespace nstf::import;
using namespace nstf::reference;
using namespace nstf::test;

namespace {

const std::filesystem::path source = NSTF_SOURCE_DIR;

class PerplexityTest : public EmulatedModel {
protected:
  /// The loop of transformers' documentation in float64, in which every predicted token counts once.
  double referenceMean(const std::vector<int32_t> &ids, int64_t window, int64_t stride) {
    mlir::OwningOpRef<mlir::ModuleOp> module = importModel(options.input, context.get());
    ReferenceModel model(*module);
    double sum = 0;
    size_t count = 0;
    int64_t size = ids.size(), before = 0;
    for (int64_t begin = 0, end = 0; end < size; begin += stride, before = end) {
      end = std::min(begin + window, size);
      int64_t target = std::max(begin + 1, before);
      model.reset();
      std::vector<double> logits = model.runIds({ids.begin() + begin, ids.begin() + target}, 0);
      for (; target < end; ++target, ++count) {
        double max = *std::max_element(logits.begin(), logits.end()), total = 0;
        for (double logit : logits)
          total += std::exp(logit - max);
        sum += max + std::log(total) - logits[ids[target]];
        if (target + 1 < end)
          logits = model.runIds({ids[target]}, target - begin);
      }
    }
    return sum / double(count);
  }

  void expectAgreement(const std::vector<int32_t> &ids, int64_t window, int64_t stride) {
    runtime::Perplexity got = runtime::measurePerplexity(*session, ids, {.window = window, .stride = stride});
    double expected = std::exp(referenceMean(ids, window, stride));
    std::printf("%s, %zu tokens, windows of %lld by %lld: perplexity %.9f, in float64 %.9f, apart by %.2g\n",
                options.input.c_str(), ids.size(), (long long)window, (long long)stride, got.value(), expected,
                std::abs(got.value() / expected - 1));
    EXPECT_LT(std::abs(got.value() / expected - 1), 1e-5);
    EXPECT_GT(got.value(), 1.0);
  }
};

TEST_F(PerplexityTest, TinyLlama) {
  std::ifstream file(source / "examples/01-tiny-llama/expected_prompt.json");
  std::vector<int32_t> ids = nlohmann::json::parse(file)["greedy_ids"];
  // Half a story by the model itself, and words in an order that it has not seen.
  ids.resize(40);
  for (int32_t i = 0; i < 24; ++i)
    ids.push_back(7 + (ids[i] * 31 + i) % 440);
  compileModel(source / "examples/01-tiny-llama");
  if (HasFatalFailure())
    return;
  expectAgreement(ids, 320, 160);
  expectAgreement(ids, 24, 16);
}

TEST_F(PerplexityTest, TextOfSlm4096) {
  const std::filesystem::path model = source / "../shared/models/slm4096_gpt";
  if (!std::filesystem::exists(model))
    GTEST_SKIP() << "SKIPPED: no ../shared/models/slm4096_gpt beside this checkout";
  std::ifstream config(model / "config.json"), corpus(model / "corpus.txt");
  std::string characters = nlohmann::json::parse(config)["chars"];
  std::vector<int32_t> ids;
  for (char c; corpus.get(c) && ids.size() < 300;)
    ids.push_back(static_cast<int32_t>(characters.find(c)));
  std::filesystem::copy(source / "test/models/slm4096_gpt.yaml", folder / "slm.yaml");
  std::filesystem::create_symlink(std::filesystem::canonical(model / "model.safetensors"),
                                  folder / "model.safetensors");
  compileModel(folder / "slm.yaml");
  if (HasFatalFailure())
    return;
  expectAgreement(ids, 128, 64);
}

} // namespace
