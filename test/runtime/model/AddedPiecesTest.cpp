// SentencePiece models with added-token files: the ids and texts of transformers' slow tokenizer
// (Inputs/make_pieces.py), and errors in such files.
#include "nstf/Tokenizer.h"
#include "test/runtime/model/TestFiles.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace nstf;
using namespace nstf::runtime;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Ids = std::vector<int32_t>;

namespace {

std::filesystem::path folderOf(const std::string &kind) {
  return std::filesystem::path(NSTF_SOURCE_DIR) / "test/runtime/model/Inputs/pieces" / kind;
}

json read(const std::filesystem::path &file) { return json::parse(test::readFile(file)); }

/// The texts of make_pieces.py.
std::vector<std::string> makeTexts() {
  json file = read(folderOf("texts.json"));
  std::vector<std::string> fragments = file["fragments"], texts(file["count"].get<std::size_t>());
  uint64_t state = 1;
  auto draw = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (uint64_t left = draw(2 + i % 12); left > 0; --left)
      texts[i] += fragments[draw(fragments.size())];
  return texts;
}

uint64_t hashOf(const Ids &ids) {
  uint64_t value = 0xcbf29ce484222325;
  for (int32_t id : ids)
    value = (value ^ static_cast<uint64_t>(id)) * 0x100000001b3;
  return value >> 32;
}

class AddedPieces : public testing::TestWithParam<const char *> {};

TEST_P(AddedPieces, AgreeWithTransformers) {
  std::filesystem::path folder = folderOf(GetParam());
  auto tokenizer = Tokenizer::load(folder / "tokenizer.model");
  json expected = read(folder / "expected.json");
  EXPECT_EQ(tokenizer->vocabularySize(), expected["size"]);
  for (const json &one : expected["shown"]) {
    auto text = one["text"].get<std::string>();
    EXPECT_EQ(tokenizer->encode(text), one["ids"].get<Ids>()) << one["text"];
    EXPECT_EQ(tokenizer->encodePrompt(text, 1).ids, one["prompt"].get<Ids>()) << one["text"];
    if (one.contains("decoded")) {
      EXPECT_EQ(tokenizer->decode(one["ids"].get<Ids>()), one["decoded"].get<std::string>()) << one["text"];
    }
  }
  std::vector<std::string> texts = makeTexts();
  ASSERT_EQ(texts.size(), 2000u);
  std::size_t different = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Ids ids = tokenizer->encodePrompt(texts[i], 1).ids;
    if (hashOf(ids) != expected["hashes"][i] && ++different <= 5)
      ADD_FAILURE() << "text " << i << " " << json(texts[i]) << " became " << json(ids)
                    << ", whose hash isn't that of transformers' ids";
  }
  EXPECT_EQ(different, 0u) << "of " << texts.size();
}

INSTANTIATE_TEST_SUITE_P(Kinds, AddedPieces,
                         testing::Values("vicuna", "phi3", "mistral", "unigram", "new", "alone", "split"),
                         [](const auto &kind) { return std::string(kind.param); });

/// A model with files beside it: 420 pieces, where <unk>, <s> and </s> are 0, 1 and 2.
class Beside {
public:
  Beside() { folder.write("tokenizer.model", test::readFile(folderOf("alone") / "tokenizer.model")); }
  std::unique_ptr<Tokenizer> load(const std::map<std::string, std::string> &files) const {
    for (const char *name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"})
      std::filesystem::remove(folder / name);
    for (const auto &[name, text] : files)
      folder.write(name, text);
    return Tokenizer::load(folder / "tokenizer.model");
  }
  std::string getError(const std::string &name, const std::string &text) const {
    try {
      load({{name, text}});
    } catch (const std::runtime_error &error) {
      std::string message = error.what(), start = (folder / name).string() + ":";
      EXPECT_TRUE(message.starts_with(start)) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
      return message.substr(std::min(start.size(), message.size()));
    }
    return "no error";
  }

private:
  test::TemporaryFolder folder;
};

TEST(AddedPieces, WrongFiles) {
  Beside beside;
  auto added = [&](const std::string &text) { return beside.getError("added_tokens.json", text); };
  EXPECT_EQ(added(R"({"<|user|>": 420})"), "no error");
  EXPECT_THAT(added("[]"), HasSubstr("$: expected an object but got an array of 0"));
  EXPECT_THAT(added("{"), HasSubstr("expected JSON"));
  EXPECT_THAT(added(R"({"<|user|>": "420"})"), HasSubstr("$.<|user|>: expected an integer from 0 to 16777215 but got"));
  EXPECT_THAT(added(R"({"<|user|>": -1})"), HasSubstr("$.<|user|>: expected an integer from 0"));
  EXPECT_THAT(added(R"({"<|user|>": 1.5})"), HasSubstr("$.<|user|>: expected an integer from 0"));
  EXPECT_THAT(added(R"({"": 420})"), HasSubstr("expected a token as key but got an empty one"));
  EXPECT_THAT(
      added(R"({"<|user|>": 70})"),
      HasSubstr("$.<|user|>: expected an id of its own for \"<|user|>\" but got 70, which is that of \"<0x43>\""));
  EXPECT_THAT(added(R"({"<|user|>": 2})"), HasSubstr("but got 2, which is that of \"</s>\""));
  EXPECT_THAT(added(R"({"<|b|>": 420, "<|a|>": 420})"),
              HasSubstr("$.<|b|>: expected an id of its own for \"<|b|>\", not that of \"<|a|>\", but got 420"));

  auto config = [&](const std::string &text) { return beside.getError("tokenizer_config.json", text); };
  EXPECT_EQ(config(R"({"added_tokens_decoder": {"1": {"content": "<s>"}}, "bos_token": "<s>"})"), "no error");
  EXPECT_THAT(config(R"("text")"), HasSubstr("$: expected an object but got \"text\""));
  for (const char *flag : {"legacy", "add_bos_token", "add_eos_token", "add_prefix_space", "split_special_tokens"})
    EXPECT_THAT(config("{\"" + std::string(flag) + "\": \"no\"}"),
                HasSubstr("$." + std::string(flag) + ": expected true or false but got \"no\""));
  EXPECT_THAT(config(R"({"bos_token": 1})"), HasSubstr("$.bos_token: expected an object but got 1"));
  EXPECT_THAT(config(R"({"bos_token": {"lstrip": true}})"), HasSubstr("$.bos_token: expected a member \"content\""));
  EXPECT_THAT(config(R"({"bos_token": null, "add_bos_token": true})"),
              HasSubstr("$.add_bos_token: expected a bos_token to add but there is none"));
  EXPECT_THAT(config(R"({"additional_special_tokens": "<|a|>"})"),
              HasSubstr("$.additional_special_tokens: expected an array but got \"<|a|>\""));
  auto decoder = [&](const std::string &text) { return config("{\"added_tokens_decoder\": " + text + "}"); };
  EXPECT_THAT(decoder("[]"), HasSubstr("$.added_tokens_decoder: expected an object but got an array of 0"));
  EXPECT_THAT(decoder(R"({"x": {"content": "<a>"}})"), HasSubstr("$.added_tokens_decoder.x: expected an id of 0 to"));
  EXPECT_THAT(decoder(R"({"-1": {"content": "<a>"}})"), HasSubstr("as key but got \"-1\""));
  EXPECT_THAT(decoder(R"({"420": "<a>"})"), HasSubstr("$.added_tokens_decoder.420: expected an object but got"));
  EXPECT_THAT(decoder(R"({"420": {"content": "<a>", "lstrip": 1}})"),
              HasSubstr("$.added_tokens_decoder.420.lstrip: expected true or false but got 1"));
  EXPECT_THAT(decoder(R"({"65": {"content": "<a>"}})"), HasSubstr("which is that of \"<0x3E>\""));
  EXPECT_THAT(decoder(R"({"7": {"content": "<0x04>"}, "07": {"content": "<0x04>"}})"),
              HasSubstr("once but got it twice"));
  EXPECT_THAT(beside.getError("special_tokens_map.json", R"({"eos_token": {"content": ""}})"),
              HasSubstr("$.eos_token.content: expected a string that is not empty"));
}

TEST(AddedPieces, FitAModel) {
  Beside beside;
  auto tokenizer = beside.load({{"added_tokens.json", R"({"<|user|>": 421})"}});
  EXPECT_EQ(tokenizer->vocabularySize(), 422);
  EXPECT_EQ(tokenizer->decode(Ids{420}), "\uFFFD"); // no token has this id
  EXPECT_NO_THROW(tokenizer->fitTo(422, "t.model"));
  EXPECT_THAT(
      [&] { tokenizer->fitTo(421, "t.model"); },
      ThrowsMessage<std::runtime_error>(HasSubstr(
          "added_tokens.json: $.<|user|>: expected an id of the model's 421 tokens for \"<|user|>\" but got 421")));
  // A token to which no file gives an id is dropped if the model has no room for it.
  tokenizer = beside.load({{"special_tokens_map.json", R"({"pad_token": "[PAD]"})"}});
  EXPECT_EQ(tokenizer->encode("[PAD]"), Ids{420});
  tokenizer->fitTo(420, "t.model");
  EXPECT_EQ(tokenizer->vocabularySize(), 420);
  EXPECT_GT(tokenizer->encode("[PAD]").size(), 1u);
  EXPECT_THAT(
      [&] { beside.load({{"special_tokens_map.json", R"({"bos_token": "<b>"})"}})->fitTo(420, "t.model"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("$.bos_token: expected an id of the model's 420 tokens for")));
  EXPECT_THAT(
      [&] { tokenizer->fitTo(419, "t.model"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("t.model: expected at most the model's 419 tokens but got 420")));
}

TEST(AddedPieces, NotesNameTheKey) {
  Beside beside;
  auto notes = [&](const std::string &config, const std::string &added = "{}") {
    return beside.load({{"tokenizer_config.json", config}, {"added_tokens.json", added}})->notes();
  };
  EXPECT_THAT(
      notes(R"({"tokenizer_class": "LlamaTokenizer", "clean_up_tokenization_spaces": false, "sp_model_kwargs": {},
                        "model_max_length": 2048, "chat_template": "x", "spaces_between_special_tokens": true})"),
      IsEmpty());
  EXPECT_THAT(notes(R"({"tokenizer_class": "GemmaTokenizer"})"),
              ElementsAre(HasSubstr("tokenizer_config.json: $.tokenizer_class: \"GemmaTokenizer\" is taken for")));
  EXPECT_THAT(notes(R"({"clean_up_tokenization_spaces": true, "sp_model_kwargs": {"enable_sampling": true}})"),
              ElementsAre(HasSubstr("$.sp_model_kwargs: isn't followed"),
                          HasSubstr("$.clean_up_tokenization_spaces: isn't followed")));
  EXPECT_THAT(notes(R"({"added_tokens_decoder": {"420": {"content": "<a>"}}})", R"({"<a>": 420, "<b>": 421})"),
              ElementsAre(HasSubstr("added_tokens.json: $.<b>: isn't followed, as tokenizer_config.json has an")));
  EXPECT_THAT(notes(R"({"pad_token": "<b>"})", R"({"<a>": 421})"), // its id, the number of tokens, is taken
              ElementsAre(HasSubstr("$.pad_token: \"<b>\" gets the id 421, which is that of \"<a>\"")));
}

TEST(AddedPieces, PromptsAreCutToALimit) {
  auto tokenizer = Tokenizer::load(folderOf("unigram") / "tokenizer.model"); // adds BOS and EOS
  Ids all = tokenizer->encodePrompt("the cat sat on the mat", std::nullopt).ids;
  ASSERT_GE(all.size(), 8u);
  TokenSequence cut = tokenizer->encodePrompt("the cat sat on the mat", std::nullopt, 5);
  EXPECT_EQ(cut.ids, (Ids{all[0], all[1], all[2], all[3], all.back()}));
  EXPECT_EQ(cut.types.size(), 5u);
  EXPECT_EQ(tokenizer->encodePrompt("the", std::nullopt, 0).ids, Ids{});
}

TEST(AddedPieces, WhatBeginsAPrompt) {
  Beside beside;
  auto prompt = [&](const std::string &config) {
    auto tokenizer =
        beside.load(config.empty() ? std::map<std::string, std::string>()
                                   : std::map<std::string, std::string>{{"tokenizer_config.json", config}});
    TokenSequence sequence = tokenizer->encodePrompt("</s>", 7);
    EXPECT_EQ(tokenizer->encode("</s>"), Ids{2});
    return sequence.ids;
  };
  EXPECT_EQ(prompt(""), (Ids{7, 2})); // the model's own BOS
  EXPECT_EQ(prompt("{}"), (Ids{1, 2}));
  EXPECT_EQ(prompt(R"({"add_bos_token": true})"), (Ids{1, 2}));
  EXPECT_EQ(prompt(R"({"add_bos_token": false})"), Ids{2});
  EXPECT_EQ(prompt(R"({"bos_token": null})"), Ids{2});
  EXPECT_EQ(prompt(R"({"bos_token": "</s>", "add_eos_token": true})"), (Ids{2, 2, 2}));
  EXPECT_EQ(prompt(R"({"bos_token": "<|begin|>"})"), (Ids{420, 2}));
}

// Added tokens of the user are set apart by spaces; special tokens have no text.
TEST(AddedPieces, Stream) {
  Beside beside;
  auto tokenizer = beside.load({{"added_tokens.json", R"({"<call>": 420, "<|end|>": 421})"},
                                {"special_tokens_map.json", R"({"eos_token": "<|end|>"})"}});
  Ids cat = tokenizer->encode("cat"), e = tokenizer->encode("\u8a9e"); // the second one is encoded as bytes
  ASSERT_EQ(e.size(), 4u);
  StreamDecoder decoder(*tokenizer);
  std::string text;
  for (int32_t id : cat)
    text += decoder.push(id);
  EXPECT_EQ(text, "cat");
  EXPECT_EQ(decoder.push(421), "");
  EXPECT_EQ(decoder.push(e[1]), "");
  EXPECT_EQ(decoder.push(420), "\uFFFD <call>"); // an unfinished character
  EXPECT_EQ(decoder.push(420), " <call>");
  EXPECT_EQ(decoder.push(cat[0]), " " + tokenizer->decode(Ids{cat[0]}));
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(decoder.push(420), "<call>"); // a new text
}

} // namespace
