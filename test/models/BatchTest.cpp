// Several requests in a step (--max-batch): each request gets the same bits as alone, whatever runs beside it, in steps
// of up to 16 rows, for every architecture with caches.
#include "test/models/EmulatedModel.h"
#include "test/models/Fixture.h"

#include "nstf/Batch.h"

#include <gmock/gmock.h>
#include <random>

using namespace nstf;
using namespace nstf::test;
using runtime::RequestRows;

namespace {

constexpr int64_t maxRequests = 3, maxRows = 16;

class BatchTest : public EmulatedModel, public ::testing::WithParamInterface<std::string> {
protected:
  void compileFixture(const std::string &name) {
    Fixture fixture(name);
    fixture.write(folder / "model");
    options.architectures = fixture.architectures();
    if (fixture.context())
      options.context = fixture.context();
    options.maxBatch = maxRequests;
    compileModel(folder / "model");
  }

  int64_t getVocabulary() { return *session->manifest().model.vocabulary; }

  std::vector<int32_t> makeIds(std::mt19937 &random, int64_t count) {
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < count; ++i)
      ids.push_back(random() % getVocabulary());
    return ids;
  }

  /// The logits of request number `request` of the last step.
  std::vector<float> getLogits(size_t request) {
    runtime::HostTensor logits = session->output("logits");
    EXPECT_EQ(logits.shape, (std::vector<int64_t>{maxRequests, getVocabulary()}));
    const float *row = logits.as<float>() + request * getVocabulary();
    return {row, row + getVocabulary()};
  }

  /// The logits after each id, run one by one and alone in some slot.
  std::vector<std::vector<float>> runAlone(const std::vector<int32_t> &ids, int64_t slot) {
    std::vector<std::vector<float>> logits;
    for (size_t i = 0; i < ids.size(); ++i) {
      setIds("ids", {ids[i]});
      const RequestRows request{slot, int64_t(i), 1};
      session->run({&request, 1});
      logits.push_back(getLogits(0));
    }
    return logits;
  }

  struct Text {
    std::vector<int32_t> ids;
    std::vector<std::vector<float>> alone;
    int64_t done = 0, slot = -1;
  };

  /// Texts are added to free slots, advance by some rows in any order, and are removed, some before their end.
  void runSchedule(std::mt19937 &random, std::vector<Text> &texts) {
    for (Text &text : texts)
      text.done = 0, text.slot = -1;
    std::vector<int64_t> free = {0, 1, 2};
    std::vector<Text *> waiting, present;
    for (Text &text : texts)
      waiting.push_back(&text);
    while (!waiting.empty() || !present.empty()) {
      while (!waiting.empty() && !free.empty() && random() % 3) {
        const size_t place = random() % free.size();
        waiting.back()->slot = free[place];
        free.erase(free.begin() + place);
        present.push_back(waiting.back());
        waiting.pop_back();
      }
      std::shuffle(present.begin(), present.end(), random);
      std::vector<RequestRows> requests;
      std::vector<Text *> taking;
      std::vector<int32_t> ids;
      for (Text *text : present) {
        const int64_t left = std::min<int64_t>(text->ids.size() - text->done, maxRows - ids.size());
        if (left == 0 || random() % 4 == 0)
          continue;
        const int64_t rows = random() % 2 ? 1 : 1 + random() % left;
        requests.push_back({text->slot, text->done, rows});
        ids.insert(ids.end(), text->ids.begin() + text->done, text->ids.begin() + text->done + rows);
        text->done += rows;
        taking.push_back(text);
      }
      if (requests.empty())
        continue;
      setIds("ids", ids);
      session->run(requests);
      for (size_t i = 0; i < requests.size(); ++i)
        ASSERT_EQ(getLogits(i), taking[i]->alone[taking[i]->done - 1])
            << requests.size() << " requests of " << ids.size() << " rows, number " << i << " at position "
            << requests[i].position << ", " << requests[i].rows << " rows";
      std::erase_if(present, [&](Text *text) {
        const bool goes = text->done == int64_t(text->ids.size()) || random() % 16 == 0;
        if (goes)
          free.push_back(text->slot);
        return goes;
      });
    }
  }

  void checkSchedules(int count) {
    std::mt19937 random(11);
    std::vector<Text> texts;
    for (int64_t length : {1, 23, 7, 16, 12}) {
      std::vector<int32_t> ids = makeIds(random, std::min(length, *session->manifest().model.context));
      std::vector<std::vector<float>> alone = runAlone(ids, int64_t(texts.size()) % maxRequests);
      texts.push_back({std::move(ids), std::move(alone)});
    }
    for (int i = 0; i < count && !HasFatalFailure(); ++i)
      runSchedule(random, texts);
  }
};

TEST_P(BatchTest, ARequestGetsItsBitsWhateverStandsBesideIt) {
  compileFixture(GetParam());
  if (!HasFatalFailure())
    checkSchedules(4);
}

/// Models with caches.
std::vector<std::string> decoderNames() {
  std::vector<std::string> names = fixtureNames();
  std::erase_if(names, [](const std::string &name) { return Fixture(name).isEncoder(); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, BatchTest, ::testing::ValuesIn(decoderNames()), fixtureTestName);

struct Case {
  const char *name;
  void (*apply)(CompileOptions &options);
};

class BatchOptionsTest : public BatchTest {};

TEST_F(BatchOptionsTest, TwoHundredSchedules) {
  compileFixture("llama-llama3");
  checkSchedules(200);
}

TEST_F(BatchOptionsTest, Formats) {
  const Case cases[] = {
      {"bf16", [](CompileOptions &options) { options.precision = Precision::BF16; }},
      {"caches by rows",
       [](CompileOptions &options) {
         options.precision = Precision::F16;
         options.kvOrder = "rows";
       }},
      {"caches of codes", [](CompileOptions &options) { options.kvCache = "i8"; }},
      {"codes of weights and rows",
       [](CompileOptions &options) {
         options.quantize = "int8";
         options.activations = "i8";
       }},
      {"no fusions", [](CompileOptions &options) { options.fusions = {"none"}; }},
  };
  const CompileOptions plain = options;
  for (const Case &one : cases) {
    SCOPED_TRACE(one.name);
    options = plain;
    one.apply(options);
    compileFixture("qwen3");
    if (HasFatalFailure())
      return;
    checkSchedules(4);
    session.reset();
  }
}

/// Batch: more texts than slots, one removed before its end, one continued from a cache that was filled earlier.
TEST_F(BatchOptionsTest, TextsComeAndGo) {
  compileFixture("llama-llama3");
  std::mt19937 random(7);
  runtime::GenerateOptions options;
  options.tokens = 9;
  options.stopAtEos = false;
  options.chunk = 2;
  std::vector<std::vector<int32_t>> prompts, alone;
  for (int64_t length : {3, 5, 1, 4, 2}) {
    prompts.push_back(makeIds(random, length));
    session->reset();
    alone.push_back(runtime::Generator(*session).generate(prompts.back(), options).ids);
  }
  runtime::Batch batch(*session);
  EXPECT_TRUE(batch.isIdle());
  EXPECT_TRUE(batch.step().empty());
  for (int64_t i = 0; i < maxRequests; ++i)
    EXPECT_EQ(batch.add(prompts[i], options), i);
  EXPECT_EQ(batch.freeSlots(), 0);
  EXPECT_THAT([&] { batch.add(prompts[3], options); },
              testing::ThrowsMessage<std::runtime_error>(
                  testing::StrEq("expected a free slot but all 3 have a text (nstfc --max-batch)")));
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(batch.step().empty());
  runtime::Generation taken = batch.take(1);
  EXPECT_LT(taken.ids.size(), alone[1].size());
  EXPECT_TRUE(std::equal(taken.ids.begin(), taken.ids.end(), alone[1].begin()));
  EXPECT_THAT([&] { batch.take(1); },
              testing::ThrowsMessage<std::runtime_error>(testing::StrEq("expected a slot with a text but got 1")));
  EXPECT_EQ(batch.add(prompts[3], options), 1);
  std::map<int64_t, size_t> textOf = {{0, 0}, {1, 3}, {2, 2}};
  while (!batch.isIdle())
    for (int64_t slot : batch.step()) {
      EXPECT_EQ(batch.take(slot).ids, alone[textOf.at(slot)]) << slot;
      textOf.erase(slot);
    }
  EXPECT_TRUE(textOf.empty());
  // Slot 0 holds the first text except its last token.
  EXPECT_EQ(batch.add(alone[0], options, alone[0].size() - 1), 0);
  runtime::GenerateOptions longer = options;
  longer.tokens = 18;
  while (!batch.isIdle())
    batch.step();
  session->reset();
  EXPECT_EQ(batch.take(0).ids, runtime::Generator(*session).generate(prompts[0], longer).ids);
  EXPECT_THAT([&] { batch.add({}, options); }, testing::ThrowsMessage<std::runtime_error>(testing::StrEq(
                                                   "expected a prompt of at least one token but got none")));
  EXPECT_THAT([&] { runtime::Batch(*session, {.maxRows = 2}); },
              testing::ThrowsMessage<std::runtime_error>(
                  testing::StrEq("expected steps of at least a row for each of 3 requests but got 2 rows")));
}

/// Rows of many requests in larger steps: prompts of some beside tokens of others, within the tolerance between
/// buckets.
TEST_F(BatchOptionsTest, PromptsBesideTokens) {
  compileFixture("mistral");
  std::mt19937 random(3);
  const std::vector<int32_t> first = makeIds(random, 40), second = makeIds(random, 9);
  const std::vector<std::vector<float>> alone[] = {runAlone(first, 1), runAlone(second, 2)};
  std::vector<int32_t> ids = first;
  setIds("ids", {second.begin(), second.begin() + 8});
  const RequestRows before{2, 0, 8};
  session->run({&before, 1});
  ids.push_back(second[8]);
  setIds("ids", ids);
  const RequestRows requests[] = {{0, 0, 40}, {2, 8, 1}};
  session->run(requests);
  for (size_t request : {0, 1}) {
    const std::vector<float> logits = getLogits(request);
    for (size_t i = 0; i < logits.size(); ++i)
      ASSERT_NEAR(logits[i], alone[request].back()[i], fixtureTolerance) << request;
  }
}

TEST_F(BatchOptionsTest, BadRequests) {
  compileFixture("llama-linear");
  setIds("ids", {1, 2});
  auto expectError = [&](std::vector<RequestRows> requests, const std::string &wanted) {
    try {
      session->run(requests);
      ADD_FAILURE() << "expected an error: " << wanted;
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(std::string(error.what()), wanted);
    }
  };
  const std::string context = std::to_string(*session->manifest().model.context);
  expectError({}, "expected 1 to 3 requests in a step (nstfc --max-batch) but got 0");
  expectError({{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}},
              "expected 1 to 3 requests in a step (nstfc --max-batch) but got 4");
  expectError({{0, 0, 1}, {3, 0, 1}}, "expected a slot from 0 to 2 for each request but got 3");
  expectError({{1, 0, 1}, {1, 0, 1}}, "expected a slot from 0 to 2 for each request but got 1 twice");
  expectError({{0, 0, 2}, {1, 0, 0}}, "expected at least 1 row of a request but got 0");
  expectError({{0, *session->manifest().model.context - 1, 2}},
              "expected at most " + context + " positions, the model's context, but " +
                  std::to_string(*session->manifest().model.context - 1) + " and 2 more are needed");
  expectError({{0, 0, 2}, {1, 0, 1}}, "expected input \"ids\" to have the step's 3 rows but got 2");
}

} // namespace
