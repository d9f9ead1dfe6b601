// Tokenizers: tok512 against the ids of real checkpoints and against llama2.c's own merge loop, SentencePiece against
// the library's decoder, streaming against whole texts.
#include "nstf/Tokenizer.h"
#include "test/runtime/model/TestFiles.h"

#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

using namespace nstf;
using namespace nstf::runtime;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Ids = std::vector<int32_t>;

namespace {

struct Entry {
  std::string text;
  float score;
};

/// The entries at the start of every tok512 file, and some merges.
std::vector<Entry> smallVocabulary() {
  std::vector<Entry> entries = {{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}};
  char name[8];
  for (int byte = 0; byte < 256; ++byte) {
    std::snprintf(name, sizeof(name), "<0x%02X>", byte);
    entries.push_back({name, 0});
  }
  for (const char *text : {" ", "a", "b", "c", "h", "e", "l", "o", "é"})
    entries.push_back({text, -10});
  entries.insert(entries.end(), {{"ab", -2},
                                 {"bc", -1},
                                 {"abc", -5},
                                 {" a", -3},
                                 {"ll", -2},
                                 {"he", -1},
                                 {"aa", -4},
                                 {"aaa", -4},
                                 {"lo", -2},
                                 {"hello", -6},
                                 {"hell", -3},
                                 {" hello", -7}});
  return entries;
}

std::string getFile(const std::vector<Entry> &entries, int32_t longest = 16) {
  std::string bytes = test::getBytes(longest);
  for (const Entry &entry : entries)
    bytes += test::getBytes(entry.score) + test::getBytes(int32_t(entry.text.size())) + entry.text;
  return bytes;
}

/// The algorithm of llama2.c's run.c, with one pass over the text for each merge.
Ids slowEncode(const std::vector<Entry> &entries, const std::string &text) {
  std::map<std::string, int32_t> idOf;
  for (std::size_t i = 0; i < entries.size(); ++i)
    idOf.emplace(entries[i].text, int32_t(i));
  Ids ids;
  std::string all = " " + text;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t length = 1;
    while (length < 4 && i + length < all.size() && (all[i + length] & 0xc0) == 0x80 && (all[i] & 0x80))
      ++length;
    auto it = idOf.find(all.substr(i, length));
    if (it != idOf.end())
      ids.push_back(it->second);
    else
      for (std::size_t k = 0; k < length; ++k)
        ids.push_back(static_cast<unsigned char>(all[i + k]) + 3);
    i += length;
  }
  while (true) {
    float bestScore = -1e10f;
    int32_t bestId = -1;
    std::size_t bestIndex = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      auto it = idOf.find(entries[ids[i]].text + entries[ids[i + 1]].text);
      if (it != idOf.end() && entries[it->second].score > bestScore) {
        bestScore = entries[it->second].score;
        bestId = it->second;
        bestIndex = i;
      }
    }
    if (bestId < 0)
      return ids;
    ids[bestIndex] = bestId;
    ids.erase(ids.begin() + bestIndex + 1);
  }
}

TEST(Tok512, MergesAsLlama2cDoes) {
  test::TemporaryFolder folder;
  std::vector<Entry> entries = smallVocabulary();
  auto tokenizer = Tokenizer::load("tok512", folder.write("t.bin", getFile(entries)));
  EXPECT_EQ(tokenizer->vocabularySize(), int32_t(entries.size()));
  uint64_t state = 5;
  const char *pieces[] = {"a", "a", "b", "c", " ", "he", "llo", "l", "é", "ü", "日", "\n", "hello"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int k = 0; k < i % 40; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += pieces[(state >> 33) % std::size(pieces)];
    }
    Ids ids = tokenizer->encode(text);
    if (!text.empty())
      ASSERT_EQ(ids, slowEncode(entries, text)) << text;
    ASSERT_EQ(tokenizer->decode(ids), text);
  }
}

TEST(Tok512, UnknownCharactersFallBackToBytes) {
  test::TemporaryFolder folder;
  auto tokenizer = Tokenizer::load("tok512", folder.write("t.bin", getFile(smallVocabulary())));
  int32_t space = 259;
  EXPECT_EQ(tokenizer->encode("Ü"), (Ids{space, 0xc3 + 3, 0x9c + 3}));
  EXPECT_EQ(tokenizer->encode("\xff"), (Ids{space, 0xff + 3}));
  EXPECT_EQ(tokenizer->encode(""), Ids{});
  EXPECT_EQ(tokenizer->decode(Ids{1, space, 0xc3 + 3, 0x9c + 3, 2}), "Ü"); // BOS and EOS have no text
}

TEST(Tok512, StreamsWholeCharacters) {
  test::TemporaryFolder folder;
  auto tokenizer = Tokenizer::load("tok512", folder.write("t.bin", getFile(smallVocabulary())));
  StreamDecoder decoder(*tokenizer);
  auto push = [&](int byte) { return decoder.push(byte + 3); };
  EXPECT_EQ(push(0xe6), "");
  EXPECT_EQ(push(0x97), "");
  EXPECT_EQ(push(0xa5), "日");
  EXPECT_EQ(push(0xf0), "");
  EXPECT_EQ(push('a'), "\xef\xbf\xbd"
                       "a");             // an unfinished character
  EXPECT_EQ(push(0x80), "\xef\xbf\xbd"); // continues nothing
  EXPECT_EQ(push(0xed), "");
  EXPECT_EQ(push(0xa0), "\xef\xbf\xbd\xef\xbf\xbd"); // half a surrogate pair
  EXPECT_EQ(push(0xc3), "");
  EXPECT_EQ(decoder.finish(), "\xef\xbf\xbd");
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(decoder.push(100000), "\xef\xbf\xbd"); // padding of the model's vocabulary
  EXPECT_EQ(decoder.push(-1), "\xef\xbf\xbd");
}

TEST(Tok512, BrokenFiles) {
  test::TemporaryFolder folder;
  auto message = [&](const std::string &bytes) -> std::string {
    try {
      Tokenizer::load("tok512", folder.write("t.bin", bytes));
    } catch (const std::runtime_error &error) {
      EXPECT_THAT(error.what(), HasSubstr("t.bin: "));
      return error.what();
    }
    return "no error";
  };
  std::string good = getFile(smallVocabulary());
  EXPECT_EQ(message(good), "no error");
  EXPECT_THAT(message(""), HasSubstr("but the file ends at 0"));
  for (std::size_t length = 0; length < good.size(); length += 5)
    message(good.substr(0, length)); // an error or a shorter vocabulary, never a crash
  EXPECT_THAT(message(good.substr(0, good.size() - 1)), HasSubstr("the text of token 279"));
  EXPECT_THAT(message(good + "x"), HasSubstr("the score of token 280"));
  EXPECT_THAT(message(getFile({{"a", 0}})), HasSubstr("at least 259 tokens"));
  EXPECT_THAT(message(getFile(smallVocabulary(), 5)), HasSubstr("from 0 to 5 but got 6"));
  std::string negative = good;
  negative.replace(8, 4, test::getBytes(int32_t(-1)));
  EXPECT_THAT(message(negative), HasSubstr("but got -1"));
  EXPECT_THROW(Tokenizer::load("tok512", folder / "absent"), std::runtime_error);
  EXPECT_THROW(Tokenizer::load("words", folder / "t.bin"), std::runtime_error);
}

TEST(Tok512, RealCheckpoint) {
  NSTF_REQUIRE_SHARED_MODELS();
  std::filesystem::path folder = test::sharedModels() / "stories260K";
  auto tokenizer = Tokenizer::load("tok512", folder / "tok512.bin");
  EXPECT_EQ(tokenizer->vocabularySize(), 512);
  for (const char *name : {"expected.json", "expected_200.json", "expected_prompt.json"}) {
    nlohmann::json expected = nlohmann::json::parse(test::readFile(folder / name));
    Ids prompt = tokenizer->encode(expected["prompt"].get<std::string>());
    prompt.insert(prompt.begin(), 1);
    EXPECT_EQ(prompt, expected["prompt_ids"].get<Ids>()) << name;
    Ids all = expected["greedy_ids"].get<Ids>();
    EXPECT_EQ(tokenizer->decode(all), expected["text"].get<std::string>()) << name;
    // Encoding the model's text and decoding it gives the same text.
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(expected["text"].get<std::string>())),
              expected["text"].get<std::string>())
        << name;
  }
}

/// Trains a model on a few sentences with the library's trainer.
std::filesystem::path trainSentencePiece(const test::TemporaryFolder &folder, const std::string &options) {
  std::string corpus;
  for (int i = 0; i < 50; ++i)
    corpus += "the cat sat on the mat\nOnce upon a time there was a dog\nthe dog and the cat play, " +
              std::to_string(i) + " times\n";
  std::string prefix = (folder / "sp").string();
  auto status = sentencepiece::SentencePieceTrainer::Train("--input=" + folder.write("corpus.txt", corpus).string() +
                                                           " --model_prefix=" + prefix +
                                                           " --minloglevel=2 --num_threads=1 " + options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return prefix + ".model";
}

class SentencePiece : public testing::TestWithParam<const char *> {};

TEST_P(SentencePiece, AgreesWithTheLibrary) {
  test::TemporaryFolder folder;
  std::filesystem::path file = trainSentencePiece(folder, GetParam());
  auto tokenizer = Tokenizer::load("sentencepiece", file);
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.Load(file.string()).ok());
  EXPECT_EQ(tokenizer->vocabularySize(), library.GetPieceSize());
  for (const char *text : {"the cat", "  two  spaces ", "Once upon a time", "日本語 and é", "", " ", "a\nb", "dog"}) {
    std::vector<int> expected = library.EncodeAsIds(text);
    Ids ids = tokenizer->encode(text);
    EXPECT_EQ(ids, Ids(expected.begin(), expected.end())) << text;
    EXPECT_EQ(tokenizer->decode(ids), library.DecodeIds(expected)) << "\"" << text << "\"";
  }
  Ids ids = tokenizer->encode("the dog");
  ids.insert(ids.begin(), library.bos_id());
  ids.push_back(library.eos_id());
  EXPECT_EQ(tokenizer->decode(ids), "the dog");
}

INSTANTIATE_TEST_SUITE_P(Kinds, SentencePiece,
                         testing::Values("--vocab_size=300 --model_type=bpe --byte_fallback=true "
                                         "--add_dummy_prefix=true --remove_extra_whitespaces=false "
                                         "--normalization_rule_name=identity", // like Llama's
                                         "--vocab_size=300 --model_type=unigram --byte_fallback=true "
                                         "--hard_vocab_limit=false",
                                         "--vocab_size=60 --model_type=bpe --hard_vocab_limit=false "
                                         "--add_dummy_prefix=false --remove_extra_whitespaces=false"));

TEST(SentencePiece, ByteFallbackStreams) {
  test::TemporaryFolder folder;
  auto tokenizer = Tokenizer::load("sentencepiece", trainSentencePiece(folder, "--vocab_size=300 --model_type=bpe "
                                                                               "--byte_fallback=true"));
  Ids ids = tokenizer->encode("cat日");
  StreamDecoder decoder(*tokenizer);
  std::vector<std::string> parts;
  for (int32_t id : ids)
    parts.push_back(decoder.push(id));
  ASSERT_GE(parts.size(), 4u);
  EXPECT_EQ(parts.back(), "日");
  EXPECT_EQ(parts[parts.size() - 2], "");
  EXPECT_EQ(parts[parts.size() - 3], "");
}

TEST(SentencePiece, BrokenFiles) {
  test::TemporaryFolder folder;
  for (const char *bytes : {"", "no model", "\x0a\xff\xff\xff\xff\x0f"})
    EXPECT_THAT([&] { Tokenizer::load("sentencepiece", folder.write("t.model", bytes)); },
                ThrowsMessage<std::runtime_error>(HasSubstr("t.model: expected a SentencePiece model")));
  EXPECT_THROW(Tokenizer::load("sentencepiece", folder / "absent"), std::runtime_error);
}

} // namespace
