// Whole models: a prompt in one step, in chunks and token by token gives the same logits and caches.
//
// A process emulates a single chip; NSTF_TEST_TARGET selects it (CMakeLists.txt runs both).
#include "compiler/reference/ReferenceModel.h"
#include "nstf/Session.h"
#include "test/compiler/driver/KernelTest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace nstf;
using namespace nstf::reference;
using namespace nstf::test;

namespace {

/// Between logits of one model that were computed in two ways.
constexpr double logitTolerance = 1e-4;

const std::filesystem::path stories = std::filesystem::path(NSTF_SOURCE_DIR) / "../shared/models/stories260K/hf";

class LlamaTest : public KernelTest {
protected:
  LlamaTest() {
    const char *target = std::getenv("NSTF_TEST_TARGET");
    options.targets = {target ? target : "gfx942"};
  }

  void compileModel(const std::filesystem::path &model, manifest::WeightsMode weights) {
    options.input = model.string();
    options.weights = weights;
    options.precision = Precision::F32;
    compilation = std::make_unique<Compilation>(*context, options, root);
    ASSERT_TRUE(succeeded(compilation->run(Stage::Package)));
    compilation->writePackage(package());
    openSession();
    std::mt19937 random(5);
    ids.clear();
    for (int i = 0; i < 200; ++i)
      ids.push_back(random() % *session->manifest().model.vocabulary);
  }

  void openSession() {
    runtime::SessionOptions session;
    session.device = DeviceKind::Emulator;
    session.target = options.targets.front();
    this->session.emplace(runtime::Session::open(package(), session));
  }

  /// Runs one step from an empty context: the rows of input "x" give the rows of output "out0".
  std::vector<float> runRows(const std::vector<float> &x, int64_t features) {
    int64_t rows = x.size() / features;
    session->reset();
    runtime::HostTensor tensor{manifest::ElementType::F32, {rows, features}, std::vector<std::byte>(x.size() * 4)};
    std::memcpy(tensor.data.data(), x.data(), x.size() * 4);
    session->setInput("x", tensor);
    session->run(rows);
    runtime::HostTensor y = session->output("out0");
    return {y.as<float>(), y.as<float>() + y.elements()};
  }

  /// Runs the first `count` ids from an empty context, at most `chunk` per step.
  std::vector<float> getLogits(int64_t count, int64_t chunk) {
    session->reset();
    for (int64_t start = 0; start < count; start += chunk) {
      int64_t rows = std::min(chunk, count - start);
      runtime::HostTensor tensor{manifest::ElementType::I32, {rows}, std::vector<std::byte>(rows * 4)};
      std::memcpy(tensor.data.data(), ids.data() + start, rows * 4);
      session->setInput("ids", tensor);
      session->run(rows);
    }
    runtime::HostTensor logits = session->output("logits");
    return {logits.as<float>(), logits.as<float>() + logits.elements()};
  }

  std::vector<float> getState(const manifest::Buffer &buffer) {
    runtime::HostTensor value = session->getState(buffer.name);
    return {value.as<float>(), value.as<float>() + value.elements()};
  }

  std::map<std::string, std::vector<float>> getStates() {
    std::map<std::string, std::vector<float>> states;
    for (const manifest::Buffer &buffer : session->manifest().buffers)
      if (buffer.kind == manifest::BufferKind::State)
        states[buffer.name] = getState(buffer);
    return states;
  }

  static double distance(const std::vector<float> &left, const std::vector<float> &right) {
    EXPECT_EQ(left.size(), right.size());
    double largest = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      double error = std::abs(double(left[i]) - double(right[i]));
      largest = std::isnan(error) ? INFINITY : std::max(largest, error);
    }
    return largest;
  }

  double referenceDistance(int64_t count, const std::vector<float> &logits) {
    ReferenceOptions reference;
    if (options.weights == manifest::WeightsMode::Random)
      reference.randomSeed = options.seed;
    std::vector<double> wanted =
        ReferenceModel(compilation->getModel(), reference).runIds({ids.begin(), ids.begin() + count}, 0);
    return distance(logits, {wanted.begin(), wanted.end()});
  }

  void expectSameLogits() {
    for (int64_t count : {1, 2, 7, 64, 200}) {
      std::vector<float> whole = getLogits(count, count);
      auto states = getStates();
      EXPECT_LT(referenceDistance(count, whole), logitTolerance) << "prompt of " << count;
      for (int64_t chunk : {1, 5, 64}) {
        if (chunk > count)
          continue;
        EXPECT_LT(distance(whole, getLogits(count, chunk)), logitTolerance) << count << " in steps of " << chunk;
        for (const auto &[name, values] : getStates())
          EXPECT_LT(distance(states[name], values), logitTolerance) << name << ", " << count << " by " << chunk;
      }
    }
  }

  void expectRowsAlone(std::initializer_list<int64_t> counts);

  std::optional<runtime::Session> session;
  std::vector<int32_t> ids;
};

/// No size is a multiple of a tile: hidden 36, head size 6, six heads over three, inner 50, vocabulary 54.
constexpr const char *oddConfig = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 36,
  "intermediate_size": 50, "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 3,
  "vocab_size": 54, "max_position_embeddings": 210, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
  "tie_word_embeddings": false, "bos_token_id": 1, "eos_token_id": 2})";

TEST_F(LlamaTest, PromptOfNIsNSingleStepsInAnOddModel) {
  std::ofstream(folder / "config.json") << oddConfig;
  compileModel(folder, manifest::WeightsMode::Random);
  expectSameLogits();
}

TEST_F(LlamaTest, PromptOfNIsNSingleStepsInStories260K) {
  if (!std::filesystem::exists(stories))
    GTEST_SKIP() << "SKIPPED: no ../shared/models/stories260K beside this checkout";
  compileModel(stories, manifest::WeightsMode::Pack);
  expectSameLogits();
}

/// A layer on rows of floats with all ops that look beyond a row: products, caches, attention.
std::string makeLayer(int64_t features, int64_t context) {
  constexpr int64_t tokens = GraphText::tokens;
  GraphText graph(context);
  TextValue x = graph.input({tokens, features}, "f32", "x");
  auto linear = [&](TextValue value) {
    return graph.op("linear", {value, graph.weight({features, features})}, x.type);
  };
  TextValue normalized = graph.op("rms_norm", {x, graph.weight({features})}, x.type, "{eps = 1.0e-5 : f64}");
  std::string rope = "{head_size = 10 : i64, inv_freq = array<f64: 1.0, 0.1, 0.01, 0.001, 0.0001>}";
  TextValue q = graph.op("rope", {linear(normalized)}, x.type, rope);
  TextValue k = graph.op("rope", {linear(normalized)}, x.type, rope), v = linear(normalized);
  TextValue keys = graph.state({context, features}), values = graph.state({context, features});
  keys = graph.op("kv_append", {k, keys}, keys.type);
  values = graph.op("kv_append", {v, values}, values.type);
  TextValue seen = graph.op("attention", {q, keys, values}, x.type,
                            "{heads = 4 : i64, kv_heads = 4 : i64, causal, scale = 0.3 : f64}");
  TextValue sum = graph.op("add", {x, linear(seen)}, x.type);
  TextValue inner = graph.op("swiglu", {linear(sum), linear(sum)}, x.type);
  graph.output(graph.op("softmax", {graph.op("add", {sum, linear(inner)}, x.type)}, x.type));
  return graph.text();
}

/// Later rows do not change a bit of earlier rows, and a NaN does not change a bit of later sequences.
void LlamaTest::expectRowsAlone(std::initializer_list<int64_t> counts) {
  constexpr int64_t features = 40, context = 100;
  compile(makeLayer(features, context));
  openSession();
  std::mt19937 random(6);
  for (int64_t rows : counts) {
    std::vector<float> x(rows * features);
    for (float &number : x)
      number = float(int(random() % 2001) - 1000) / 1000;
    std::vector<float> first = runRows(x, features);
    EXPECT_EQ(std::count_if(first.begin(), first.end(), [](float number) { return std::isfinite(number); }),
              rows * features);

    std::vector<float> poison(context * features, NAN);
    EXPECT_TRUE(std::isnan(runRows(poison, features).front()));
    EXPECT_EQ(runRows(x, features), first) << rows << " rows after 100 of NaN";

    // Later rows get large numbers rather than NaN, because attention multiplies the values of keys that a row does not
    // see by 0 (templates/kernels/attention.mlir).
    int64_t kept = rows / 2;
    for (auto number = x.begin() + kept * features; number != x.end(); ++number)
      *number = -1e4f * *number;
    std::vector<float> half = runRows(x, features);
    half.resize(kept * features);
    first.resize(kept * features);
    EXPECT_EQ(half, first) << kept << " rows before " << rows - kept << " others";
  }
}

TEST_F(LlamaTest, RowsDependOnNothingButTheirPast) { expectRowsAlone({1, 2, 7, 16, 17, 64, 65, 100}); }

TEST_F(LlamaTest, RowsOfCachesOfCodesDependOnNothingButTheirPast) {
  options.kvCache = "i8";
  options.precision = Precision::F16;
  expectRowsAlone({2, 17, 65});
}

} // namespace
