// A real encoder of 22M parameters, from text to embedding: the 20 sentences of ../shared/models/minilm give the same
// token ids and embeddings that transformers computed in float64. Skipped if that folder or PyPI is not available.
//
// A process emulates a single chip; NSTF_TEST_TARGET selects it (CMakeLists.txt runs both).
#include "nstf/Encoder.h"
#include "test/compiler/driver/KernelTest.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace nstf;
using namespace nstf::test;
using nlohmann::json;

namespace {

constexpr size_t maxTokens = 256; // the length at which the expected numbers were truncated

class MinilmTest : public KernelTest {
protected:
  void SetUp() override {
    std::filesystem::path file =
        std::filesystem::path(NSTF_SOURCE_DIR).parent_path() / "shared/models/minilm/expected.json";
    if (!std::filesystem::exists(file))
      GTEST_SKIP() << "no " << file << " beside this checkout";
    expected = json::parse(std::ifstream(file))["sentences"];
    std::array<char, 4096> line{};
    FILE *pipe = ::popen("python3 " NSTF_SOURCE_DIR "/test/models/fetch_minilm.py", "r");
    ASSERT_NE(pipe, nullptr);
    std::string answer = std::fgets(line.data(), line.size(), pipe) ? line.data() : "";
    int status = ::pclose(pipe);
    answer.erase(answer.find_last_not_of('\n') + 1);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
      GTEST_SKIP() << answer;
    ASSERT_EQ(status, 0) << "test/models/fetch_minilm.py failed";
    options.input = answer;
    const char *target = std::getenv("NSTF_TEST_TARGET");
    options.targets = {target ? target : "gfx942"};
    options.weights = manifest::WeightsMode::Pack;
    options.precision = Precision::F32;
    options.maxTokens = maxTokens;
  }

  void compileModel() {
    compilation = std::make_unique<Compilation>(*context, options, root);
    ASSERT_TRUE(succeeded(compilation->run(Stage::Package)));
    compilation->writePackage(package());
    expectNoSpills();
  }

  /// Runs every sentence through tokenizer and encoder. Embeddings may differ by `tolerance` per number, and in
  /// direction by 1 - `cosine`; the first numbers of the last hidden state by `hiddenTolerance`.
  void expectSentences(double tolerance, double cosine, double hiddenTolerance) {
    runtime::Package opened = runtime::Package::open(package());
    auto tokenizer = opened.tokenizer();
    ASSERT_TRUE(tokenizer);
    runtime::SessionOptions session;
    session.device = DeviceKind::Emulator;
    session.target = options.targets.front();
    runtime::Session device(std::move(opened), session);
    runtime::Encoder encoder(device);
    double worst = 0, worstCosine = 1, worstHidden = 0;
    for (const json &sentence : expected) {
      std::string text = sentence["text"];
      runtime::TokenSequence tokens = tokenizer->encodePrompt(text, std::nullopt, maxTokens);
      ASSERT_EQ(tokens.ids, sentence["ids"].get<std::vector<int32_t>>()) << text;
      encoder.run(tokens);
      runtime::HostTensor embedding = encoder.embedding();
      std::vector<double> wanted = sentence["embedding"];
      ASSERT_EQ(embedding.shape, (std::vector<int64_t>{1, int64_t(wanted.size())}));
      double dot = 0, squares = 0, wantedSquares = 0;
      for (size_t i = 0; i < wanted.size(); ++i) {
        double got = embedding.as<float>()[i];
        worst = std::max(worst, std::abs(got - wanted[i]));
        ASSERT_LE(std::abs(got - wanted[i]), tolerance) << text << ", number " << i;
        dot += got * wanted[i];
        squares += got * got;
        wantedSquares += wanted[i] * wanted[i];
      }
      double direction = dot / std::sqrt(squares * wantedSquares);
      ASSERT_GE(direction, cosine) << text;
      worstCosine = std::min(worstCosine, direction);
      runtime::HostTensor hidden = encoder.hidden();
      ASSERT_EQ(hidden.shape, (std::vector<int64_t>{int64_t(tokens.ids.size()), int64_t(wanted.size())}));
      std::vector<double> first = sentence["last_hidden_first4_of_token0"];
      for (size_t i = 0; i < first.size(); ++i)
        worstHidden = std::max(worstHidden, std::abs(hidden.as<float>()[i] - first[i]));
      ASSERT_LE(worstHidden, hiddenTolerance) << text;
      // The package's pooling equals the host's.
      runtime::HostTensor pooled = runtime::poolRows(hidden);
      for (size_t i = 0; i < wanted.size(); ++i)
        ASSERT_NEAR(pooled.as<float>()[i], embedding.as<float>()[i], 1e-6) << text;
    }
    EXPECT_EQ(expected.size(), 20u);
    std::cerr << "minilm " << options.targets.front() << " " << getName(*options.precision).str()
              << ": embeddings within " << worst << ", cosine at least 1 - " << 1 - worstCosine
              << ", hidden states within " << worstHidden << '\n';
  }

  json expected;
};

TEST_F(MinilmTest, F32) {
  ASSERT_NO_FATAL_FAILURE(compileModel());
  expectSentences(1e-5, 1 - 1e-9, 1e-4);
}

TEST_F(MinilmTest, F16) {
  options.precision = Precision::F16;
  ASSERT_NO_FATAL_FAILURE(compileModel());
  expectSentences(2e-3, 0.99999, 5e-2);
}

} // namespace
