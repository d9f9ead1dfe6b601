// The "model" of tokenizer.json.
//
// Turns a piece of text into ids. BPE: merges neighbours by rank, best first (Sennrich et al., 2016). WordPiece: takes
// the longest known prefix, repeatedly (Schuster and Nakajima, 2012). Unigram: the split of highest probability (Kudo,
// 2018). WordLevel: the whole piece, or unknown.
#pragma once

#include "support/JsonCursor.h"

#include <memory>
#include <unordered_map>

namespace nstf::runtime {

/// One-to-one mapping of names and ids.
class Vocabulary {
public:
  /// Returns false when the name or the id exists already.
  bool add(std::string name, int32_t id);
  std::optional<int32_t> getId(std::string_view name) const;
  /// nullptr if no piece has this id.
  const std::string *getName(int32_t id) const;
  /// The largest id + 1.
  int32_t size() const { return end; }
  /// Bytes of the longest name.
  std::size_t longest() const { return longestName; }

private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids;
  std::unordered_map<int32_t, const std::string *> names; // point into ids, whose entries do not move
  int32_t end = 0;
  std::size_t longestName = 0;
};

class WordModel {
public:
  /// Reads a model; throws std::runtime_error at the place of an error.
  static std::unique_ptr<WordModel> read(const support::JsonCursor &json);
  virtual ~WordModel() = default;
  /// Appends the ids of a piece. Throws std::runtime_error when the piece needs an unknown token and the model has
  /// none.
  virtual void encode(std::string_view piece, std::vector<int32_t> &ids) const = 0;
  const Vocabulary &vocabulary() const { return words; }

protected:
  /// The object of names and ids in "vocab".
  void readVocabulary(const support::JsonCursor &json);
  /// The id of the piece that the field `key` names; nothing if the field is absent. Throws if it names no piece.
  std::optional<int32_t> readName(const support::JsonCursor &json, const char *key) const;

  Vocabulary words;
};

std::unique_ptr<WordModel> readBytePairModel(const support::JsonCursor &json);
std::unique_ptr<WordModel> readWordPieceModel(const support::JsonCursor &json);
std::unique_ptr<WordModel> readUnigramModel(const support::JsonCursor &json);

/// The ids of a string's bytes by name, "<0x0A>"; nothing if one of them is not a piece.
std::optional<std::vector<int32_t>> bytePieces(const Vocabulary &vocabulary, std::string_view bytes);

} // namespace nstf::runtime
