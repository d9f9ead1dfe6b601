// BPE (WordModel.h). Merging uses a doubly linked list of tokens and a heap of mergeable pairs, O(n log n); words that
// occurred before come from a table.
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "runtime/model/tokenizer_json/WordModel.h"
#include "support/Escape.h"

#include <mutex>
#include <queue>
#include <stdexcept>

namespace nstf::runtime {

namespace {

struct Merge {
  int32_t rank, id; // rank: earlier in the list is better; id: of the merged token
};

class BytePairModel : public WordModel {
public:
  explicit BytePairModel(const support::JsonCursor &json);
  void encode(std::string_view piece, std::vector<int32_t> &ids) const override;

private:
  void readMerges(const support::JsonCursor &list);
  std::vector<int32_t> split(std::string_view word) const;
  void merge(std::vector<int32_t> &ids) const;
  const Merge *mergeOf(int32_t left, int32_t right) const {
    auto it = merges.find(pairKey(left, right));
    return it == merges.end() ? nullptr : &it->second;
  }
  static uint64_t pairKey(int32_t left, int32_t right) { return uint64_t(uint32_t(left)) << 32 | uint32_t(right); }

  std::unordered_map<uint64_t, Merge> merges;
  std::optional<int32_t> unknown;
  std::string continuing, wordEnd; // in the names of pieces that do not begin a word; that end one
  std::string unknownName;
  bool hasUnknown, fuseUnknown, byteFallback, wholeFirst;

  // Most words of a text have occurred and been merged before.
  static constexpr std::size_t maxWords = 10000, maxWordSize = 256;
  mutable std::mutex mutex;
  mutable std::unordered_map<std::string, std::vector<int32_t>> known;
};

BytePairModel::BytePairModel(const support::JsonCursor &json) {
  readVocabulary(json);
  if (auto dropout = json.find("dropout"); dropout && !dropout->isNull() && dropout->number() != 0)
    dropout->failExpected("null (dropout is for training)");
  unknownName = readText(json, "unk_token"); // "" if absent; a name that is not a piece is reported only on use
  unknown = words.getId(unknownName);
  hasUnknown = json.find("unk_token") && !json["unk_token"].isNull();
  continuing = readText(json, "continuing_subword_prefix");
  wordEnd = readText(json, "end_of_word_suffix");
  fuseUnknown = readFlag(json, "fuse_unk", false);
  byteFallback = readFlag(json, "byte_fallback", false);
  wholeFirst = readFlag(json, "ignore_merges", false);
  readMerges(json["merges"]);
}

/// "a b", or ["a", "b"] if pieces may contain spaces.
void BytePairModel::readMerges(const support::JsonCursor &list) {
  int32_t rank = 0;
  for (const support::JsonCursor &item : list.elements(0, maxTokenId)) {
    std::string left, right;
    if (item.isString()) {
      std::string text = item.string();
      std::size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
        item.failExpected("two pieces with a space between them");
      left = text.substr(0, space);
      right = text.substr(space + 1);
    } else {
      std::vector<support::JsonCursor> pair = item.elements(2, 2);
      left = pair[0].string();
      right = pair[1].string();
    }
    std::string merged = left;
    merged += right.starts_with(continuing) ? std::string_view(right).substr(continuing.size()) : right;
    auto getId = [&](const std::string &name) {
      std::optional<int32_t> id = words.getId(name);
      if (!id)
        item.failExpected("pieces of the vocabulary, which has no \"" + support::escape(name) + "\",");
      return *id;
    };
    int32_t leftId = getId(left), rightId = getId(right);
    merges.insert_or_assign(pairKey(leftId, rightId), Merge{rank++, getId(merged)});
  }
}

void BytePairModel::encode(std::string_view piece, std::vector<int32_t> &ids) const {
  if (piece.empty())
    return;
  if (wholeFirst)
    if (std::optional<int32_t> id = words.getId(piece)) {
      ids.push_back(*id);
      return;
    }
  std::string word(piece);
  bool keep = word.size() <= maxWordSize;
  if (keep) {
    std::lock_guard lock(mutex);
    if (auto it = known.find(word); it != known.end()) {
      ids.insert(ids.end(), it->second.begin(), it->second.end());
      return;
    }
  }
  std::vector<int32_t> tokens = split(word);
  merge(tokens);
  ids.insert(ids.end(), tokens.begin(), tokens.end());
  if (keep) {
    std::lock_guard lock(mutex);
    if (known.size() < maxWords)
      known.emplace(std::move(word), std::move(tokens));
  }
}

/// Each character's token; a character without one becomes bytes, or unknown, or nothing.
std::vector<int32_t> BytePairModel::split(std::string_view word) const {
  std::vector<int32_t> ids;
  bool pendingUnknown = false;
  auto flush = [&] {
    if (pendingUnknown)
      ids.push_back(*unknown);
    pendingUnknown = false;
  };
  std::string name;
  for (std::size_t position = 0; position < word.size();) {
    std::size_t begin = position;
    unicode::take(word, position);
    name = begin == 0 ? "" : continuing;
    name += word.substr(begin, position - begin);
    if (position == word.size())
      name += wordEnd;
    if (std::optional<int32_t> id = words.getId(name)) {
      flush();
      ids.push_back(*id);
      continue;
    }
    if (byteFallback)
      if (auto bytes = bytePieces(words, name)) {
        ids.insert(ids.end(), bytes->begin(), bytes->end());
        continue;
      }
    if (!hasUnknown)
      continue;
    if (!unknown)
      throw std::runtime_error("cannot tokenize \"" + support::escape(name) +
                               "\": the tokenizer has neither this character nor its \"" +
                               support::escape(unknownName) + "\" for what is unknown");
    if (!fuseUnknown)
      flush();
    pendingUnknown = true;
  }
  flush();
  return ids;
}

void BytePairModel::merge(std::vector<int32_t> &ids) const {
  struct Pair {
    int32_t rank;
    std::size_t left;
    int32_t merged;
    bool operator<(const Pair &other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  constexpr std::size_t none = SIZE_MAX;
  constexpr int32_t removed = -1;
  std::vector<std::size_t> previous(ids.size()), next(ids.size());
  std::priority_queue<Pair> pairs;
  auto push = [&](std::size_t left, std::size_t right) {
    if (left == none || right == none)
      return;
    if (const Merge *merge = mergeOf(ids[left], ids[right]))
      pairs.push({merge->rank, left, merge->id});
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    previous[i] = i == 0 ? none : i - 1;
    next[i] = i + 1 == ids.size() ? none : i + 1;
  }
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    push(i, i + 1);
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    // A pair whose tokens have been merged with others is stale.
    std::size_t right = ids[pair.left] == removed ? none : next[pair.left];
    const Merge *merge = right == none ? nullptr : mergeOf(ids[pair.left], ids[right]);
    if (!merge || merge->id != pair.merged)
      continue;
    ids[pair.left] = pair.merged;
    ids[right] = removed;
    next[pair.left] = next[right];
    if (next[right] != none)
      previous[next[right]] = pair.left;
    push(previous[pair.left], pair.left);
    push(pair.left, next[pair.left]);
  }
  std::erase(ids, removed);
}

} // namespace

std::unique_ptr<WordModel> readBytePairModel(const support::JsonCursor &json) {
  return std::make_unique<BytePairModel>(json);
}

} // namespace nstf::runtime
