// Unigram (WordModel.h): the Viterbi path over all pieces at all places, in float64 and in the order of Hugging Face's
// implementation, so that ties are broken in the same way.
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "runtime/model/tokenizer_json/WordModel.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::runtime {

namespace {

constexpr double unknownPenalty = 10.0; // below the least likely piece

class UnigramModel : public WordModel {
public:
  explicit UnigramModel(const support::JsonCursor &json);
  void encode(std::string_view piece, std::vector<int32_t> &ids) const override;

private:
  struct Node {
    int32_t piece = -1;
    std::vector<std::pair<unsigned char, int32_t>> next; // byte, node; sorted
  };
  /// The best path to a place in the text: its last step.
  struct Step {
    double score = 0;
    std::size_t from = SIZE_MAX;
    int32_t id = 0;
  };
  void insert(std::string_view name, int32_t id);
  int32_t follow(int32_t node, unsigned char byte) const;
  std::vector<Step> findPath(std::string_view text) const;
  void add(std::string_view part, std::vector<int32_t> &ids) const;

  std::vector<double> scores;
  std::vector<Node> nodes{1};
  std::optional<int32_t> unknown;
  bool byteFallback;
  double unknownScore = 0;
};

UnigramModel::UnigramModel(const support::JsonCursor &json) {
  support::JsonCursor vocab = json["vocab"];
  for (const support::JsonCursor &item : vocab.elements(1, maxTokenId)) {
    std::vector<support::JsonCursor> pair = item.elements(2, 2);
    int32_t id = static_cast<int32_t>(scores.size());
    std::string name = pair[0].string();
    insert(name, id);
    if (!words.add(std::move(name), id))
      pair[0].failExpected("a piece that stands once");
    scores.push_back(pair[1].number());
  }
  if (auto id = json.find("unk_id"); id && !id->isNull())
    unknown = static_cast<int32_t>(id->integer(0, scores.size() - 1));
  byteFallback = readFlag(json, "byte_fallback", false);
  unknownScore = *std::min_element(scores.begin(), scores.end()) - unknownPenalty;
}

void UnigramModel::insert(std::string_view name, int32_t id) {
  int32_t node = 0;
  for (unsigned char byte : name) {
    int32_t found = follow(node, byte);
    if (found < 0) {
      found = static_cast<int32_t>(nodes.size());
      auto &next = nodes[node].next;
      next.insert(std::lower_bound(next.begin(), next.end(), std::pair(byte, int32_t(0))), {byte, found});
      nodes.emplace_back();
    }
    node = found;
  }
  nodes[node].piece = id;
}

int32_t UnigramModel::follow(int32_t node, unsigned char byte) const {
  const auto &next = nodes[node].next;
  auto it = std::lower_bound(next.begin(), next.end(), std::pair(byte, int32_t(0)));
  return it != next.end() && it->first == byte ? it->second : -1;
}

std::vector<UnigramModel::Step> UnigramModel::findPath(std::string_view text) const {
  std::vector<Step> best(text.size() + 1);
  auto offer = [&](std::size_t from, std::size_t to, int32_t id, double score) {
    score += best[from].score;
    if (best[to].from == SIZE_MAX || score > best[to].score)
      best[to] = {score, from, id};
  };
  for (std::size_t start = 0; start < text.size();) {
    std::size_t nextStart = start;
    unicode::take(text, nextStart);
    bool single = false;
    int32_t node = 0;
    for (std::size_t end = start; end < text.size(); ++end) {
      node = follow(node, static_cast<unsigned char>(text[end]));
      if (node < 0)
        break;
      if (nodes[node].piece < 0)
        continue;
      offer(start, end + 1, nodes[node].piece, scores[nodes[node].piece]);
      single |= end + 1 == nextStart;
    }
    if (!single) {
      if (!unknown)
        throw std::runtime_error("cannot tokenize \"" + std::string(text.substr(start, nextStart - start)) +
                                 "\": the tokenizer has neither this character nor an unknown token");
      offer(start, nextStart, *unknown, unknownScore);
    }
    start = nextStart;
  }
  return best;
}

void UnigramModel::add(std::string_view part, std::vector<int32_t> &ids) const {
  std::optional<int32_t> id = words.getId(part);
  if (!id && byteFallback)
    if (auto bytes = bytePieces(words, part)) {
      ids.insert(ids.end(), bytes->begin(), bytes->end());
      return;
    }
  ids.push_back(id ? *id : *unknown);
}

void UnigramModel::encode(std::string_view piece, std::vector<int32_t> &ids) const {
  std::vector<Step> best = findPath(piece);
  std::vector<std::string_view> parts; // from the end of the text
  bool afterUnknown = false;
  for (std::size_t end = piece.size(); end > 0; end = best[end].from) {
    const Step &step = best[end];
    std::string_view part = piece.substr(step.from, end - step.from);
    bool isUnknown = unknown && step.id == *unknown;
    if (isUnknown && afterUnknown) // adjacent unknown parts are merged
      parts.back() = piece.substr(step.from, part.size() + parts.back().size());
    else
      parts.push_back(part);
    afterUnknown = isUnknown;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    add(*part, ids);
}

} // namespace

std::unique_ptr<WordModel> readUnigramModel(const support::JsonCursor &json) {
  return std::make_unique<UnigramModel>(json);
}

} // namespace nstf::runtime
