// Tokenizer.json against Hugging Face's library, whose answers Inputs/make_tokenizers.py stored with the files of
// Inputs/tokenizers: equal ids and bytes. Also special tokens around prompts, long texts and broken files.
#include "nstf/Generate.h"
#include "nstf/Tokenizer.h"
#include "runtime/model/tokenizer_json/Pattern.h"
#include "test/runtime/model/TestFiles.h"

#include <chrono>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace nstf;
using namespace nstf::runtime;
using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Ids = std::vector<int32_t>;

namespace {

std::filesystem::path getFile(const std::string &kind) {
  return std::filesystem::path(NSTF_SOURCE_DIR) / "test/runtime/model/Inputs/tokenizers" / (kind + ".json");
}

std::string streamed(const Tokenizer &tokenizer, const Ids &ids) {
  StreamDecoder decoder(tokenizer);
  std::string text;
  for (int32_t id : ids)
    text += decoder.push(id);
  return text + decoder.finish();
}

class TokenizerJsonKind : public testing::TestWithParam<const char *> {};

TEST_P(TokenizerJsonKind, AgreesWithTheLibrary) {
  auto tokenizer = Tokenizer::load(getFile(GetParam()));
  json expected = json::parse(test::readFile(getFile(std::string(GetParam()) + ".expected")));
  EXPECT_EQ(tokenizer->vocabularySize(), expected["size"].get<int>());
  for (const json &one : expected["texts"]) {
    std::string text = one["text"];
    EXPECT_EQ(tokenizer->encode(text), one["ids"].get<Ids>()) << text;
    EXPECT_EQ(tokenizer->encode(text), one["ids"].get<Ids>()) << "with known words: " << text;
    // The model's own BOS does not matter: the file says what stands before a text.
    TokenSequence prompt = tokenizer->encodePrompt(text, 7);
    EXPECT_EQ(prompt.ids, one["prompt"].get<Ids>()) << text;
    EXPECT_EQ(prompt.types, one["types"].get<Ids>()) << text;
    EXPECT_EQ(tokenizer->decode(one["ids"].get<Ids>()), one["decoded"].get<std::string>());
    EXPECT_EQ(streamed(*tokenizer, one["ids"].get<Ids>()), one["decoded"].get<std::string>());
  }
  for (const json &one : expected["decodes"])
    EXPECT_EQ(streamed(*tokenizer, one["ids"].get<Ids>()), one["decoded"].get<std::string>()) << one["ids"];
  EXPECT_GE(expected["texts"].size(), 30u);
  EXPECT_GE(expected["decodes"].size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TokenizerJsonKind,
                         testing::Values("gpt2", "llama3", "qwen2", "neox", "deepseek", "clip", "llama2", "mistral",
                                         "gemma", "bert", "bert-cased", "unigram", "words", "splits"));

// Invalid UTF-8 becomes U+FFFD, as in Python with errors="replace".
TEST(TokenizerJson, IllFormedText) {
  auto tokenizer = Tokenizer::load(getFile("gpt2"));
  auto same = [&](std::string_view bytes, std::string_view text) {
    EXPECT_EQ(tokenizer->encode(bytes), tokenizer->encode(text));
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(bytes)), text);
  };
  same("a\xff\xfez", "a\uFFFD\uFFFDz");
  same("a\xe6\x97", "a\uFFFD");
  same("\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"); // half a surrogate pair
  same("\xc0\xaf", "\uFFFD\uFFFD");           // not the shortest form
}

TEST(TokenizerJson, StreamsWholeCharacters) {
  auto bytes = Tokenizer::load(getFile("llama2"));
  auto getId = [](int byte) { return byte + 3; };
  StreamDecoder decoder(*bytes);
  EXPECT_EQ(decoder.push(getId(0xe6)), "");
  EXPECT_EQ(decoder.push(getId(0x97)), "");
  EXPECT_EQ(decoder.push(getId(0xa5)), "日");
  EXPECT_EQ(decoder.push(getId(0xf0)), "");
  EXPECT_EQ(decoder.push(getId('a')), "\uFFFDa"); // an unfinished character
  EXPECT_EQ(decoder.push(getId(0xc3)), "");
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(decoder.push(100000), "\uFFFD"); // padding of the model's vocabulary
  EXPECT_EQ(decoder.push(-1), "\uFFFD");

  auto visible = Tokenizer::load(getFile("gpt2"));
  Ids ids = visible->encode("\U0001F9D1");
  ASSERT_GE(ids.size(), 2u);
  StreamDecoder second(*visible);
  std::vector<std::string> parts;
  for (int32_t id : ids)
    parts.push_back(second.push(id));
  EXPECT_EQ(parts.front(), "");
  EXPECT_EQ(parts.back(), "\U0001F9D1");
}

TEST(TokenizerJson, PromptsAreCutToALimit) {
  auto tokenizer = Tokenizer::load(getFile("bert"));
  Ids all = tokenizer->encodePrompt("the cat sat on the mat", std::nullopt).ids;
  ASSERT_GE(all.size(), 8u);
  Ids cut = tokenizer->encodePrompt("the cat sat on the mat", std::nullopt, 5).ids;
  EXPECT_EQ(cut, (Ids{all[0], all[1], all[2], all[3], all.back()})); // [CLS] and [SEP] stay
  EXPECT_EQ(tokenizer->encodePrompt("the cat", std::nullopt, 1).ids, (Ids{all.front(), all.back()}));
  EXPECT_EQ(tokenizer->encodePrompt("the cat sat on the mat", std::nullopt, 100).ids, all);
}

// tokenizer_config.json beside the file decides whether a text begins with BOS.
TEST(TokenizerJson, ConfigDecidesBos) {
  test::TemporaryFolder folder;
  auto prompt = [&](const std::string &kind, const std::string &config) {
    std::filesystem::path file = folder.write("tokenizer.json", test::readFile(getFile(kind)));
    std::filesystem::remove(folder / "tokenizer_config.json");
    if (!config.empty())
      folder.write("tokenizer_config.json", config);
    return Tokenizer::load(file)->encodePrompt("the", std::nullopt).ids;
  };
  Ids plain = prompt("gpt2", "");
  Ids withBos = plain;
  withBos.insert(withBos.begin(), 0);
  EXPECT_EQ(prompt("gpt2", R"({"add_bos_token": true, "bos_token": "<|endoftext|>"})"), withBos);
  EXPECT_EQ(prompt("gpt2", R"({"add_bos_token": true, "bos_token": {"content": "<|endoftext|>"}})"), withBos);
  EXPECT_EQ(prompt("gpt2", R"({"add_bos_token": false, "bos_token": "<|endoftext|>"})"), plain);
  EXPECT_EQ(prompt("gpt2", R"({"bos_token": "<|endoftext|>"})"), plain);
  // If the file already adds BOS, the config does not add it twice, but can remove it.
  Ids llama = prompt("llama2", "");
  EXPECT_EQ(llama.front(), 1);
  EXPECT_EQ(prompt("llama2", R"({"add_bos_token": true, "bos_token": "<s>"})"), llama);
  EXPECT_EQ(prompt("llama2", R"({"add_bos_token": false, "bos_token": "<s>"})"), Ids(llama.begin() + 1, llama.end()));
  EXPECT_THAT([&] { prompt("gpt2", R"({"add_bos_token": true, "bos_token": "<s>"})"); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("tokenizer_config.json: $.bos_token: expected a token of the tokenizer beside")));
  EXPECT_THAT([&] { prompt("gpt2", R"({"add_bos_token": 1, "bos_token": "<s>"})"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("$.add_bos_token: expected true or false but got 1")));
  EXPECT_THAT([&] { prompt("gpt2", "{"); }, ThrowsMessage<std::runtime_error>(HasSubstr("expected JSON")));
}

// Very long words, runs of spaces and many short words: time must grow with the length, not its square.
TEST(TokenizerJson, LongTexts) {
  auto seconds = [](const Tokenizer &tokenizer, const std::string &text) {
    auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(tokenizer.encode(text).empty());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::string word(300000, 'a'), spaces(300000, ' '), many, marks;
  for (int i = 0; i < 50000; ++i)
    many += "the cat ";
  for (int i = 0; i < 100000; ++i)
    marks += "a\u0301";
  for (const char *kind : {"gpt2", "llama3", "llama2", "mistral", "bert", "unigram", "deepseek", "qwen2"}) {
    auto tokenizer = Tokenizer::load(getFile(kind));
    for (const std::string &text : {word, spaces + "x", many, marks})
      EXPECT_LT(seconds(*tokenizer, text), 20) << kind << " " << text.substr(0, 8);
  }
}

/// The model of words.json with a rule repeated `count` times under `key`, in a sequence.
std::unique_ptr<Tokenizer> withRules(const test::TemporaryFolder &folder, const std::string &key,
                                     const std::string &list, const json &rule, int count) {
  json file = {{"version", "1.0"},
               {"model", {{"type", "WordLevel"}, {"vocab", {{"a", 0}, {"[UNK]", 1}}}, {"unk_token", "[UNK]"}}}};
  file[key] = {{"type", "Sequence"}, {list, json(count, rule)}};
  return Tokenizer::load(folder.write("tokenizer.json", file.dump()));
}

// Rules that keep doubling the text give an error before they exhaust memory.
TEST(TokenizerJson, RulesThatMultiplyTheText) {
  test::TemporaryFolder folder;
  auto grows = [](const std::string &place) {
    return ThrowsMessage<std::runtime_error>(
        HasSubstr("tokenizer.json: " + place + ": expected rules that make at most "));
  };
  json doubling = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  auto normalizer = withRules(folder, "normalizer", "normalizers", doubling, 40);
  EXPECT_THAT([&] { normalizer->encode("a"); }, grows("$.normalizer"));
  json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}};
  EXPECT_THAT([&] { withRules(folder, "normalizer", "normalizers", bytes, 40)->encode("é"); }, grows("$.normalizer"));
  EXPECT_THAT([&] { withRules(folder, "pre_tokenizer", "pretokenizers", bytes, 40)->encode("é"); },
              grows("$.pre_tokenizer"));
  auto decoder = withRules(folder, "decoder", "decoders", doubling, 40);
  EXPECT_THAT([&] { decoder->decode(Ids{0, 0}); }, grows("$.decoder"));
  json twice = {{"type", "TemplateProcessing"},
                {"single", json(2, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}})},
                {"special_tokens", json::object()}};
  EXPECT_THAT([&] { withRules(folder, "post_processor", "processors", twice, 40)->encodePrompt("a", std::nullopt); },
              grows("$.post_processor"));
  // A single rule can do it, too.
  doubling["content"] = std::string(1 << 20, 'a');
  auto one = withRules(folder, "normalizer", "normalizers", doubling, 1);
  EXPECT_THAT([&] { one->encode(std::string(1000, 'a')); }, grows("$.normalizer"));
  auto last = withRules(folder, "decoder", "decoders", doubling, 1);
  EXPECT_THAT([&] { last->decode(Ids{0}); }, grows("$.decoder"));
  // Rules of real files stay far below the limit.
  doubling["content"] = "b";
  EXPECT_EQ(withRules(folder, "normalizer", "normalizers", doubling, 40)->encode("a"), Ids{1});
}

TEST(TokenizerJson, ManyRules) {
  test::TemporaryFolder folder;
  auto start = std::chrono::steady_clock::now();
  auto tokenizer =
      withRules(folder, "normalizer", "normalizers", {{"type", "Prepend"}, {"prepend", "abcdefgh"}}, 10000);
  EXPECT_EQ(tokenizer->encode("a"), Ids{1});
  EXPECT_EQ(tokenizer->encode(""), Ids());
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 10);
  EXPECT_THAT([&] { withRules(folder, "normalizer", "normalizers", {{"type", "NFC"}}, (1 << 14) + 1); },
              ThrowsMessage<std::runtime_error>(HasSubstr("expected at most 16384 normalizers")));
  // The last rule runs last, so its text comes first.
  json file = {{"model", {{"type", "WordLevel"}, {"vocab", {{"yxa", 0}, {"u", 1}}}, {"unk_token", "u"}}},
               {"normalizer",
                {{"type", "Sequence"},
                 {"normalizers", {{{"type", "Prepend"}, {"prepend", "x"}}, {{"type", "Prepend"}, {"prepend", "y"}}}}}}};
  EXPECT_EQ(Tokenizer::load(folder.write("tokenizer.json", file.dump()))->encode("a"), Ids{0});
}

TEST(TokenizerJson, Patterns) {
  auto split = [](const char *expression, std::string_view text) {
    std::vector<std::string> parts;
    for (const Span &span : Pattern::compile(expression).split(text))
      parts.push_back((span.isMatch ? "+" : "-") + std::string(text.substr(span.begin, span.end - span.begin)));
    return parts;
  };
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split("\\s+", "a \u180eb"), (Parts{"-a", "+ ", "-\u180eb"})); // not white space since Unicode 6.3
  EXPECT_EQ(split("[^\\s\\h]", "a z"), (Parts{"-a ", "+z"}));
  EXPECT_EQ(split("\\u0041|\\p{Letter}", "A1"), (Parts{"+A", "-1"}));
  EXPECT_EQ(split("(?m:a.b)", "a\nb"), (Parts{"+a\nb"}));
  EXPECT_EQ(split("a.b", "a\nb"), (Parts{"-a\nb"}));
  EXPECT_EQ(split("^b", "a\nb"), (Parts{"-a\n", "+b"}));
  EXPECT_EQ(split("(?=b)", "abb"), (Parts{"-a", "+", "-b", "+", "-b"}));
  EXPECT_EQ(split("b*", "abé"), (Parts{"+", "-a", "+b", "-é", "+"}));
  EXPECT_EQ(split("[]a]", "]b"), (Parts{"+]", "-b"}));
  for (const char *bad : {"[a[b]]", "[a&&b]", "a{1,2}+", "[\\W]", "(", "[", "\\", "a{5,1}", "(?<", "\\p{Nowhere}"})
    EXPECT_THROW(Pattern::compile(bad), std::runtime_error) << bad;
  // A pattern with exponential backtracking on a text made for it.
  EXPECT_THAT([&] { split("(a+)+$|(a*)*b(?<!b)", std::string(64, 'a') + "!"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot split the text by the tokenizer's pattern")));
}

} // namespace
