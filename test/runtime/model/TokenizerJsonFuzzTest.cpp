// Broken tokenizer.json files: every member of small good ones is deleted and replaced by odd values, bytes are
// flipped, the end is cut off. The result is either one error that names file and place, or a tokenizer that gives
// valid ids and never crashes.
#include "nstf/Tokenizer.h"
#include "test/runtime/model/ManifestEdits.h"
#include "test/runtime/model/TestFiles.h"

#include <gmock/gmock.h>

using namespace nstf;
using namespace nstf::runtime;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

json token(int id, const char *content, bool special) {
  return {{"id", id},        {"content", content},     {"single_word", true}, {"lstrip", true},
          {"rstrip", false}, {"normalized", !special}, {"special", special}};
}

json part(const char *type, json members = json::object()) {
  members["type"] = type;
  return members;
}

/// Each file has parts that the others lack; together they have all parts.
std::vector<json> goodFiles() {
  json bytePair = {
      {"version", "1.0"},
      {"added_tokens", {token(0, "<s>", true), token(7, " new", false)}},
      {"normalizer", part("Sequence", {{"normalizers",
                                        {part("Prepend", {{"prepend", "_"}}),
                                         part("Replace", {{"pattern", {{"String", " "}}}, {"content", "_"}}),
                                         part("Strip", {{"strip_left", true}, {"strip_right", true}})}}})},
      {"pre_tokenizer",
       part("Sequence",
            {{"pretokenizers",
              {part("Split", {{"pattern", {{"Regex", "\\p{L}+|x"}}}, {"behavior", "Isolated"}, {"invert", false}}),
               part("ByteLevel", {{"add_prefix_space", true}, {"use_regex", true}}),
               part("Digits", {{"individual_digits", true}})}}})},
      {"post_processor",
       part("TemplateProcessing",
            {{"single",
              {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 1}}}}}},
             {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {0}}, {"tokens", {"<s>"}}}}}}})},
      {"decoder", part("Sequence", {{"decoders",
                                     {part("ByteFallback"), part("Fuse"),
                                      part("Replace", {{"pattern", {{"String", "_"}}}, {"content", " "}}),
                                      part("Strip", {{"content", " "}, {"start", 1}, {"stop", 1}})}}})},
      {"model", part("BPE", {{"dropout", nullptr},
                             {"unk_token", "<s>"},
                             {"continuing_subword_prefix", ""},
                             {"end_of_word_suffix", ""},
                             {"fuse_unk", true},
                             {"byte_fallback", true},
                             {"ignore_merges", false},
                             {"vocab", {{"<s>", 0}, {"a", 1}, {"b", 2}, {"ab", 3}, {"aba", 4}, {"<0x41>", 5}}},
                             {"merges", {json("a b"), json({"ab", "a"})}}})}};
  json wordPiece = {
      {"added_tokens", {token(0, "[CLS]", true)}},
      {"normalizer",
       part("BertNormalizer",
            {{"clean_text", true}, {"handle_chinese_chars", true}, {"strip_accents", nullptr}, {"lowercase", true}})},
      {"pre_tokenizer", part("BertPreTokenizer")},
      {"post_processor", part("BertProcessing", {{"cls", {"[CLS]", 0}}, {"sep", {"x", 1}}})},
      {"decoder", part("WordPiece", {{"prefix", "##"}, {"cleanup", true}})},
      {"model", part("WordPiece", {{"unk_token", "[CLS]"},
                                   {"continuing_subword_prefix", "##"},
                                   {"max_input_chars_per_word", 10},
                                   {"vocab", {{"[CLS]", 0}, {"x", 1}, {"##a", 2}}}})}};
  json unigram = {
      {"normalizer", part("Precompiled", {{"precompiled_charsmap", "CAAAAAAEAAABBAAAYQBi"}})},
      {"pre_tokenizer", part("Metaspace", {{"replacement", "_"}, {"prepend_scheme", "first"}, {"split", true}})},
      {"decoder", part("Metaspace", {{"replacement", "_"}, {"prepend_scheme", "first"}})},
      {"model", part("Unigram", {{"unk_id", 0},
                                 {"byte_fallback", false},
                                 {"vocab", json::array({json::array({"<unk>", 0.0}), json::array({"_", -1.5}),
                                                        json::array({"a", -2}), json::array({"_a", -2.5})})}})}};
  return {bytePair, wordPiece, unigram};
}

/// What every tokenizer must do, whatever its file contains.
void expectSafe(const Tokenizer &tokenizer, const std::string &edit) {
  int32_t size = tokenizer.vocabularySize();
  EXPECT_GT(size, 0) << edit;
  for (const char *text : {"", " ", "abab new aba1<s> A\n\u00e9[CLS] xa \u65e5", "_a_a"}) {
    std::vector<int32_t> ids;
    try {
      ids = tokenizer.encodePrompt(text, 1).ids;
    } catch (const std::runtime_error &error) {
      EXPECT_THAT(error.what(), StartsWith("cannot ")) << edit;
      continue;
    }
    for (int32_t id : ids)
      EXPECT_TRUE(0 <= id && id < size) << edit << ": " << id;
    tokenizer.decode(ids);
  }
}

TEST(TokenizerJsonFuzz, EveryFieldDeletedAndAltered) {
  test::TemporaryFolder folder;
  int refused = 0, accepted = 0;
  for (const json &good : goodFiles()) {
    expectSafe(*Tokenizer::load(folder.write("t.json", good.dump())), "the good file");
    test::forEachEdit(good, [&](const json &document, const std::string &edit) {
      try {
        expectSafe(*Tokenizer::load(folder.write("t.json", document.dump())), edit);
        ++accepted;
      } catch (const std::runtime_error &error) {
        ++refused;
        EXPECT_THAT(error.what(), HasSubstr("t.json: $")) << edit;
        std::string message = error.what();
        EXPECT_EQ(message.find('\n'), std::string::npos) << edit << ": " << message;
        EXPECT_LT(message.size(), 3000u) << edit << ": " << message;
      }
    });
  }
  std::cerr << refused << " edits refused, " << accepted << " harmless\n";
  EXPECT_GT(refused, 2000);
  EXPECT_GT(accepted, 100);
}

TEST(TokenizerJsonFuzz, FlippedBytesAndCutOff) {
  test::TemporaryFolder folder;
  uint64_t state = 1;
  for (const json &file : goodFiles()) {
    std::string good = file.dump();
    auto load = [&](const std::string &text) {
      try {
        expectSafe(*Tokenizer::load(folder.write("t.json", text)), text);
        return true;
      } catch (const std::runtime_error &error) {
        EXPECT_THAT(error.what(), HasSubstr("t.json:"));
        return false;
      }
    };
    for (std::size_t length = 0; length < good.size(); length += 3)
      EXPECT_FALSE(load(good.substr(0, length)));
    for (int i = 0; i < 2000; ++i) {
      std::string text = good;
      for (int flips = 0; flips < 2; ++flips) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text[(state >> 33) % text.size()] = static_cast<char>(state >> 56);
      }
      load(text);
    }
  }
}

TEST(TokenizerJsonFuzz, WhatIsWrongIsSaid) {
  test::TemporaryFolder folder;
  auto message = [&](json patch, int file = 0) -> std::string {
    try {
      Tokenizer::load(folder.write("t.json", goodFiles()[file].patch(patch).dump()));
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error";
  };
  auto set = [](const char *path, json value) -> json {
    return json::array({{{"op", "add"}, {"path", path}, {"value", std::move(value)}}});
  };
  EXPECT_EQ(message(json::array()), "no error");
  EXPECT_THAT(message(set("/version", "2.0")), HasSubstr("$.version: expected one of 1.0 but got \"2.0\""));
  EXPECT_THAT(message(set("/model/type", "GPT")), HasSubstr("$.model.type: expected one of BPE, WordPiece, Unigram"));
  EXPECT_THAT(message(set("/model/merges/0", "a c")),
              HasSubstr("$.model.merges[0]: expected pieces of the vocabulary, which has no \"c\", but got \"a c\""));
  EXPECT_THAT(message(set("/model/merges/0", "b a")), HasSubstr("which has no \"ba\""));
  EXPECT_THAT(message(set("/model/merges/0", "ab")), HasSubstr("expected two pieces with a space between them"));
  EXPECT_THAT(message(set("/model/vocab/c", 3)), HasSubstr("$.model.vocab.c: expected an id no other piece has"));
  EXPECT_THAT(message(set("/model/vocab/c", 1 << 24)), HasSubstr("an integer from 0 to 16777215 but got 16777216"));
  EXPECT_THAT(message(set("/model/dropout", 0.1)), HasSubstr("$.model.dropout: expected null"));
  EXPECT_THAT(message(set("/added_tokens/0/id", 1)),
              HasSubstr("$.added_tokens[0].id: expected 0, which the vocabulary"));
  EXPECT_THAT(message(set("/added_tokens/1/id", 2)), HasSubstr("an id of its own for \" new\", not that of \"b\""));
  EXPECT_THAT(message(set("/post_processor/special_tokens/<s>/ids/0", 8)),
              HasSubstr("$.post_processor.special_tokens.<s>.ids[0]: expected an integer from 0 to 7 but got 8"));
  EXPECT_THAT(message(set("/post_processor/single/0/SpecialToken/id", "<e>")),
              HasSubstr("expected one of the \"special_tokens\" but got \"<e>\""));
  EXPECT_THAT(message(set("/pre_tokenizer/pretokenizers/0/pattern/Regex", "a(")),
              HasSubstr("pretokenizers[0].pattern.Regex: expected a regular expression (missing closing parenthesis"));
  EXPECT_THAT(message(set("/pre_tokenizer/type", "UnicodeScripts")),
              HasSubstr("$.pre_tokenizer.type: expected one of Sequence, ByteLevel"));
  EXPECT_THAT(message(set("/model/unk_token", "[UNK]"), 1),
              HasSubstr("$.model.unk_token: expected a piece of the vocab"));
  EXPECT_THAT(message(set("/model/unk_token", nullptr), 1),
              HasSubstr("$.model.unk_token: expected a piece of the vocabulary but got null"));
  EXPECT_THAT(message(set("/normalizer/precompiled_charsmap", "AAAA"), 2),
              HasSubstr("expected a table of replacements"));
  EXPECT_THAT(message(set("/model/unk_id", 4), 2),
              HasSubstr("$.model.unk_id: expected an integer from 0 to 3 but got 4"));

  // A deeply nested sequence.
  json nested = {{"type", "Fuse"}};
  for (int i = 0; i < 100; ++i)
    nested = {{"type", "Sequence"}, {"decoders", {nested}}};
  EXPECT_THAT(message(set("/decoder", nested)), HasSubstr("expected sequences at most 8 deep"));

  // Files of other kinds.
  for (const char *bytes :
       {"", "{}", "[]", "\x0a\x0b\x0c model", "{\"model\": 5}", "{\"architectures\": [\"Llama\"]}"}) {
    folder.write("other.json", bytes);
    EXPECT_THAT([&] { Tokenizer::load(folder / "other.json"); },
                testing::ThrowsMessage<std::runtime_error>(HasSubstr("other.json:")))
        << bytes;
  }
  EXPECT_THROW(Tokenizer::load(folder / "absent.json"), std::runtime_error);
}

} // namespace
