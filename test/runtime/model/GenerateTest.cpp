// Text generation on the emulator: greedy and sampled, chunks against single steps, the ends of a text, and logits from
// which no token can be chosen.
#include "test/runtime/model/SessionTest.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace nstf;
using namespace nstf::test;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace {

class GenerateTest : public SessionTest {
protected:
  /// The toy model with a tokenizer.
  TextModel openTextModel() {
    addToyTokenizer(folder.path(), manifest);
    open(manifest);
    SessionOptions session;
    session.device = DeviceKind::Emulator;
    return TextModel::load(folder.path(), session);
  }
};

TEST_F(GenerateTest, GeneratesGreedily) {
  Session session = open();
  Generator generator(session);
  GenerateOptions options;
  options.tokens = 6;
  options.stopAtEos = false;
  Ids streamed;
  options.onToken = [&](int32_t id) { streamed.push_back(id); };
  Generation result = generator.generate(Ids{1, 5, 9, 30, 7}, options);
  EXPECT_EQ(result.ids, expectedTokens({1, 5, 9, 30, 7}, 6));
  EXPECT_EQ(streamed, Ids(result.ids.begin() + 5, result.ids.end()));
  EXPECT_EQ(result.promptSteps, 2u); // 4 + 1: the largest bucket takes 4
  EXPECT_EQ(result.decodeSteps, 5u); // the last token does not run
  EXPECT_EQ(result.stop, StopReason::Tokens);
  EXPECT_EQ(session.position(), 10);
}

TEST_F(GenerateTest, ChunksAndSingleStepsAgree) {
  Session session = open();
  Ids prompt = {1, 4, 4, 17, 31, 2, 8};
  std::vector<std::vector<float>> last;
  for (int64_t chunk : {0, 1, 2, 3}) {
    session.reset();
    GenerateOptions options;
    options.tokens = 0;
    options.chunk = chunk;
    std::vector<std::vector<float>> rows;
    options.onLogits = [&](std::span<const float> row) { rows.emplace_back(row.begin(), row.end()); };
    Generation result = Generator(session).generate(prompt, options);
    EXPECT_EQ(result.ids, prompt);
    EXPECT_EQ(rows.size(), result.promptSteps);
    EXPECT_EQ(rows.size(), chunk == 1 ? 7u : chunk == 2 ? 4u : chunk == 3 ? 3u : 2u);
    last.push_back(rows.back());
  }
  for (const auto &row : last)
    EXPECT_EQ(row, last.front());
}

TEST_F(GenerateTest, StopsAtEndOfTextAndAtTheContext) {
  Session session = open();
  // The sum after token 11 is 3 * 11 + 1 = 34, which is 2, the end of text, modulo 32.
  GenerateOptions options;
  Generation result = Generator(session).generate(Ids{11}, options);
  EXPECT_EQ(result.stop, StopReason::EndOfText);
  EXPECT_EQ(result.ids, (Ids{11, 2}));
  session.reset();
  options.stopAtEos = false;
  result = Generator(session).generate(Ids{11}, options);
  EXPECT_EQ(result.stop, StopReason::Context);
  EXPECT_EQ(result.ids.size(), 17u); // 16 positions, and the token after the last
  EXPECT_EQ(result.ids, expectedTokens({11}, 16));
  EXPECT_EQ(session.position(), 16);
}

TEST_F(GenerateTest, ContinuesASequence) {
  Session session = open();
  Generator generator(session);
  GenerateOptions options;
  options.tokens = 1;
  options.stopAtEos = false;
  generator.generate(Ids{3, 4}, options);
  EXPECT_EQ(generator.generate(Ids{5}, options).ids.back(), expectedTokens({3, 4, 5}, 1).back());
  session.reset();
  EXPECT_EQ(generator.generate(Ids{5}, options).ids, expectedTokens({5}, 1));
}

TEST_F(GenerateTest, SamplingRepeatsWithItsSeed) {
  Session session = open();
  auto sample = [&](uint64_t seed) {
    session.reset();
    GenerateOptions options;
    options.tokens = 12;
    options.stopAtEos = false;
    options.sampling = {50.0f, 0.9f, seed};
    return Generator(session).generate(Ids{1}, options).ids;
  };
  EXPECT_EQ(sample(1), sample(1));
  EXPECT_NE(sample(1), sample(2));
}

TEST_F(GenerateTest, WithoutNextTheHostChooses) {
  json changed = manifest;
  changed["outputs"].erase(1);
  Session session = open(changed);
  GenerateOptions options;
  options.tokens = 6;
  options.stopAtEos = false;
  EXPECT_EQ(Generator(session).generate(Ids{9}, options).ids, expectedTokens({9}, 6));
}

TEST_F(GenerateTest, RefusesPrompts) {
  Session session = open();
  Generator generator(session);
  auto message = [&](const Ids &prompt, GenerateOptions options = {}) -> std::string {
    try {
      generator.generate(prompt, options);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({}), "expected a prompt of at least one token but got none");
  EXPECT_EQ(message({1, 32}), "expected token ids from 0 to 31 but got 32");
  EXPECT_EQ(message({-1}), "expected token ids from 0 to 31 but got -1");
  EXPECT_EQ(message(Ids(17, 1)), "expected a prompt of at most 16 tokens, the model's context, but got 17");
  GenerateOptions options;
  options.sampling.temperature = -1;
  EXPECT_THAT(message({1}, options), HasSubstr("temperature"));
  EXPECT_EQ(session.position(), 0);
}

TEST_F(GenerateTest, TextModel) {
  TextModel model = openTextModel();
  GenerateOptions options;
  options.tokens = 8;
  options.stopAtEos = false;
  std::string text;
  Generation result = model.generate("fox", options, [&](std::string_view piece) { text += piece; });
  Ids prompt = model.encode("fox");
  ASSERT_EQ(prompt.size(), 5u); // BOS, the space before the text, three letters
  EXPECT_EQ(prompt.front(), 1);
  EXPECT_EQ(result.ids, expectedTokens(prompt, 8));
  EXPECT_EQ("fox" + text, model.tokenizer().decode(result.ids));
  EXPECT_EQ(model.generate("fox", options).ids, result.ids); // starts from the beginning again
}

// Logits from which no token can be chosen are an error for greedy and for sampled text. The message has the step, the
// token's position and the launch that made the logits, here a step of the prompt whose logits were not used.
TEST_F(GenerateTest, BadLogitsEndTheText) {
  float value = 0;
  auto message = [&](const json &manifest, bool samples) -> std::string {
    std::string weights = toyWeights();
    std::memcpy(weights.data() + 9 * sizeof(float), &value, sizeof(float)); // for token 9
    folder.write("weights.bin", weights);
    SessionOptions trusting;
    trusting.checkHashes = false;
    Session session = open(manifest, trusting);
    GenerateOptions options;
    options.tokens = 6;
    options.sampling.temperature = samples ? 1.0f : 0.0f;
    try {
      Generator(session).generate(Ids{1, 2, 9, 4, 5}, options);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error";
  };
  json hostChooses = manifest;
  hostChooses["outputs"].erase(1);
  const std::string place = "step 2, for the token at position 5: expected ",
                    launch = ": the results of 'score' are the first that aren't finite";
  for (const json &manifest : {manifest, hostChooses})
    for (bool samples : {false, true}) {
      value = 0x1p24f;
      EXPECT_EQ(message(manifest, samples),
                place + "logits to be finite or -inf but the one of token 7 is NaN" + launch);
      value = 0x1p25f;
      EXPECT_EQ(message(manifest, samples),
                place + "logits to be finite or -inf but the one of token 7 is +inf" + launch);
      value = 0x1p26f;
      EXPECT_EQ(message(manifest, samples), place + "a finite logit but all 32 are -inf" + launch);
    }
  json half = manifest;
  half["model"]["precision"] = "f16";
  value = 0x1p24f;
  EXPECT_THAT(message(half, false),
              HasSubstr("NaN: activations leave the range of f16 in 'score' (compile with --precision=bf16)"));
}

TEST_F(GenerateTest, NeedsLogits) {
  json changed = manifest;
  changed["outputs"].erase(0);
  Session session = open(changed);
  EXPECT_THAT([&] { Generator{session}; },
              ThrowsMessage<std::runtime_error>(HasSubstr("an output \"logits\", f32 [1, 32]")));
}

TEST_F(GenerateTest, LogprobsAreOfTheModelsLogits) {
  Session session = open();
  GenerateOptions options;
  options.tokens = 3;
  options.stopAtEos = false;
  options.logprobs = 2;
  options.sampling.logitBias = {{30, 1e6}};
  std::vector<float> row;
  options.onLogits = [&](std::span<const float> logits) { row.assign(logits.begin(), logits.end()); };
  Generation result = Generator(session).generate(Ids{1, 5}, options);
  EXPECT_EQ(result.ids, (Ids{1, 5, 30, 30, 30}));
  ASSERT_EQ(result.logprobs.size(), 3u);
  const TokenLogprobs &last = result.logprobs.back();
  int best = std::max_element(row.begin(), row.end()) - row.begin();
  double sum = 0;
  for (float logit : row)
    sum += std::exp(double(logit));
  EXPECT_EQ(last.token.id, 30);
  EXPECT_NEAR(last.token.logprob, row[30] - std::log(sum), 1e-12);
  ASSERT_EQ(last.likeliest.size(), 2u);
  EXPECT_EQ(last.likeliest[0].id, best);
  EXPECT_NEAR(last.likeliest[0].logprob, row[best] - std::log(sum), 1e-12);
  EXPECT_GE(last.likeliest[0].logprob, last.likeliest[1].logprob);
}

TEST_F(GenerateTest, PenaltiesSeeThePromptAndTheText) {
  Session session = open();
  GenerateOptions options;
  options.tokens = 14;
  options.stopAtEos = false;
  options.sampling.presencePenalty = 1e9; // no token repeats
  Generation result = Generator(session).generate(Ids{1, 5}, options);
  std::set<int32_t> different(result.ids.begin() + 2, result.ids.end());
  EXPECT_EQ(different.size(), 14u);
  options.sampling.presencePenalty = 0;
  options.sampling.repetitionPenalty = 1e9; // nor does one of the prompt
  for (int id = 0; id < 32; ++id)
    options.sampling.logitBias[id] = -1; // the largest logit is 0, which a factor would not change
  session.reset();
  result = Generator(session).generate(Ids{20, 17}, options);
  different = std::set<int32_t>(result.ids.begin(), result.ids.end());
  EXPECT_EQ(different.size(), 16u);
}

TEST_F(GenerateTest, StopStringsAndTheCaller) {
  TextModel model = openTextModel();
  GenerateOptions options;
  options.tokens = 11;
  options.stopAtEos = false;
  auto getText = [&] {
    std::string text;
    Generation result = model.generate("fox", options, [&](std::string_view piece) { text += piece; });
    return std::pair(text, result.stop);
  };
  std::string whole = getText().first;
  ASSERT_GT(whole.size(), 6u);
  // Each token is a character, so the stop string spans three tokens.
  options.stop = {"nothing of it", whole.substr(3, 3)};
  std::size_t place = whole.find(whole.substr(3, 3));
  EXPECT_EQ(getText(), std::pair(whole.substr(0, place), StopReason::Asked));
  options.stop = {whole + "?"};
  EXPECT_EQ(getText(), std::pair(whole, StopReason::Tokens));
  options.stop = {""};
  EXPECT_THROW(getText(), std::runtime_error);
  options.stop.clear();
  int asked = 0;
  options.stopAfter = [&](int32_t) { return ++asked == 4; };
  EXPECT_EQ(getText().second, StopReason::Asked);
  EXPECT_EQ(asked, 4);
}

} // namespace
