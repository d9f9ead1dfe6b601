#include "runtime/model/tokenizer_json/WordModel.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "support/Escape.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace nstf::runtime {

bool Vocabulary::add(std::string name, int32_t id) {
  if (names.count(id))
    return false;
  auto [entry, isNew] = ids.emplace(std::move(name), id);
  if (!isNew)
    return false;
  names.emplace(id, &entry->first);
  end = std::max(end, id + 1);
  longestName = std::max(longestName, entry->first.size());
  return true;
}

std::optional<int32_t> Vocabulary::getId(std::string_view name) const {
  auto it = ids.find(name);
  return it == ids.end() ? std::nullopt : std::optional(it->second);
}

const std::string *Vocabulary::getName(int32_t id) const {
  auto it = names.find(id);
  return it == names.end() ? nullptr : it->second;
}

std::optional<std::vector<int32_t>> bytePieces(const Vocabulary &vocabulary, std::string_view bytes) {
  std::vector<int32_t> ids;
  for (char byte : bytes) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", static_cast<unsigned char>(byte));
    std::optional<int32_t> id = vocabulary.getId(name);
    if (!id)
      return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

void WordModel::readVocabulary(const support::JsonCursor &json) {
  support::JsonCursor vocab = json["vocab"];
  for (const auto &[name, value] : vocab.members())
    if (!words.add(name, readId(value)))
      value.failExpected("an id no other piece has");
  if (words.size() == 0)
    vocab.failExpected("at least one piece");
}

std::optional<int32_t> WordModel::readName(const support::JsonCursor &json, const char *key) const {
  std::optional<support::JsonCursor> value = json.find(key);
  if (!value || value->isNull())
    return std::nullopt;
  std::optional<int32_t> id = words.getId(value->string());
  if (!id)
    value->failExpected("a piece of the vocabulary");
  return id;
}

namespace {

class WordLevelModel : public WordModel {
public:
  explicit WordLevelModel(const support::JsonCursor &json) {
    readVocabulary(json);
    unknown = words.getId(json["unk_token"].string());
  }
  void encode(std::string_view piece, std::vector<int32_t> &ids) const override {
    std::optional<int32_t> id = words.getId(piece);
    if (!id && !unknown)
      throw std::runtime_error("cannot tokenize \"" + support::escape(piece) +
                               "\": the tokenizer has neither this word nor an unknown token");
    ids.push_back(id ? *id : *unknown);
  }

private:
  std::optional<int32_t> unknown;
};

} // namespace

std::unique_ptr<WordModel> WordModel::read(const support::JsonCursor &json) {
  // Old files omit the type of their BPE model.
  std::optional<support::JsonCursor> type = json.find("type");
  if (!type && json.find("merges"))
    return readBytePairModel(json);
  switch (json["type"].getChoice({"BPE", "WordPiece", "Unigram", "WordLevel"})) {
  case 0:
    return readBytePairModel(json);
  case 1:
    return readWordPieceModel(json);
  case 2:
    return readUnigramModel(json);
  default:
    return std::make_unique<WordLevelModel>(json);
  }
}

} // namespace nstf::runtime
