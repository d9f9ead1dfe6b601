#include "runtime/model/Tok512Tokenizer.h"
#include "support/MappedFile.h"
#include "support/Utf8.h"

#include <cmath>
#include <cstring>
#include <queue>
#include <stdexcept>

namespace nstf::runtime {

namespace {
constexpr int32_t firstByteId = 3, byteCount = 256;
constexpr std::size_t maxBytes = 64 << 20; // millions of tokens

/// Reads little-endian words of a file, with bounds checks.
class Reader {
public:
  Reader(std::string_view bytes, const std::string &file) : bytes(bytes), file(file) {}
  bool atEnd() const { return position == bytes.size(); }
  template <typename T> T word(const std::string &what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }
  std::string_view take(std::size_t size, const std::string &what) {
    if (size > bytes.size() - position)
      throw std::runtime_error(file + ": expected " + what + " of " + std::to_string(size) + " bytes at offset " +
                               std::to_string(position) + " but the file ends at " + std::to_string(bytes.size()));
    position += size;
    return bytes.substr(position - size, size);
  }

private:
  std::string_view bytes;
  const std::string &file;
  std::size_t position = 0;
};
} // namespace

Tok512Tokenizer::Tok512Tokenizer(const std::filesystem::path &path) {
  support::MappedFile mapped(path);
  std::string file = path.string();
  if (mapped.size() > maxBytes)
    throw std::runtime_error(file + ": expected at most " + std::to_string(maxBytes) + " bytes of tokens but got " +
                             std::to_string(mapped.size()));
  Reader reader(mapped.text(), file);
  auto longest = reader.word<int32_t>("the longest token's length");
  while (!reader.atEnd()) {
    std::string which = "of token " + std::to_string(pieces.size());
    Piece piece;
    piece.score = reader.word<float>("the score " + which);
    auto length = reader.word<int32_t>("the length " + which);
    if (length < 0 || length > longest)
      throw std::runtime_error(file + ": expected a length " + which + " from 0 to " + std::to_string(longest) +
                               " but got " + std::to_string(length));
    if (std::isnan(piece.score))
      throw std::runtime_error(file + ": expected a number as score " + which + " but got NaN");
    piece.text = reader.take(static_cast<std::size_t>(length), "the text " + which);
    pieces.push_back(std::move(piece));
  }
  if (pieces.size() < firstByteId + byteCount)
    throw std::runtime_error(file + ": expected at least 259 tokens (3 special ones and 256 bytes) but got " +
                             std::to_string(pieces.size()));
  for (std::size_t id = 0; id < pieces.size(); ++id)
    idOf.emplace(pieces[id].text, static_cast<int32_t>(id));
}

std::optional<std::string> Tok512Tokenizer::nameOf(int32_t id) const {
  return id >= 0 && id < vocabularySize() ? std::optional(pieces[id].text) : std::nullopt;
}

std::string Tok512Tokenizer::getBytes(int32_t id) const {
  if (id < firstByteId)
    return ""; // unknown, BOS, EOS
  if (id < firstByteId + byteCount)
    return std::string(1, static_cast<char>(id - firstByteId));
  return pieces[id].text;
}

std::vector<int32_t> Tok512Tokenizer::split(std::string_view text) const {
  std::vector<int32_t> ids;
  while (!text.empty()) {
    std::string_view character = text.substr(0, support::utf8Prefix(text).length);
    auto known = idOf.find(character);
    if (known != idOf.end())
      ids.push_back(known->second);
    else
      for (char byte : character)
        ids.push_back(static_cast<unsigned char>(byte) + firstByteId);
    text.remove_prefix(character.size());
  }
  return ids;
}

void Tok512Tokenizer::merge(std::vector<int32_t> &ids) const {
  // A doubly linked list of tokens and a heap of mergeable pairs. A pair whose tokens changed after it was pushed is
  // stale and is skipped, so each merge costs O(log n) instead of a pass over the text.
  struct Pair {
    float score;
    std::size_t left, right;
    int32_t leftId, rightId, merged;
    bool operator<(const Pair &other) const { return score != other.score ? score < other.score : left > other.left; }
  };
  constexpr std::size_t none = SIZE_MAX;
  std::vector<std::size_t> previous(ids.size()), next(ids.size());
  std::priority_queue<Pair> pairs;
  auto push = [&](std::size_t left, std::size_t right) {
    if (left == none || right == none)
      return;
    auto it = idOf.find(pieces[ids[left]].text + pieces[ids[right]].text);
    if (it != idOf.end())
      pairs.push({pieces[it->second].score, left, right, ids[left], ids[right], it->second});
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    previous[i] = i == 0 ? none : i - 1;
    next[i] = i + 1 == ids.size() ? none : i + 1;
  }
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    push(i, i + 1);
  constexpr int32_t removed = -1;
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    if (ids[pair.left] != pair.leftId || ids[pair.right] != pair.rightId || next[pair.left] != pair.right)
      continue;
    ids[pair.left] = pair.merged;
    ids[pair.right] = removed;
    next[pair.left] = next[pair.right];
    if (next[pair.left] != none)
      previous[next[pair.left]] = pair.left;
    push(previous[pair.left], pair.left);
    push(pair.left, next[pair.left]);
  }
  std::erase(ids, removed);
}

std::vector<int32_t> Tok512Tokenizer::encode(std::string_view text) const {
  if (text.empty())
    return {};
  std::vector<int32_t> ids = split(" " + std::string(text));
  merge(ids);
  return ids;
}

} // namespace nstf::runtime
