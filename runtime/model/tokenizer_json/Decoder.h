// The "decoder" of tokenizer.json.
//
// From tokens to text, token by token. The file describes a chain of functions from a list of strings to a list of
// strings; here each is a stage that passes on what is certain, so a text can be shown while it grows. What a chain
// returns, joined, is what the functions make of the whole list. One difference: where a run of byte tokens ("<0xE6>")
// is not UTF-8, Hugging Face replaces every byte of the run by U+FFFD, and this the ill-formed bytes alone, which are
// known before the run ends.
//
// Types: ByteLevel, WordPiece, Metaspace, BPEDecoder, Replace, ByteFallback, Fuse, Strip, Sequence.
#pragma once

#include "runtime/model/tokenizer_json/Growth.h"
#include "support/JsonCursor.h"

#include <functional>
#include <memory>

namespace nstf::runtime {

/// What the stages of a chain made of the tokens of one text.
struct DecoderGrowth {
  std::string place; ///< of the decoder, for messages
  std::size_t stages = 0, given = 0, made = 0;

  /// Bytes that may still come; throws std::runtime_error when there are none (Growth.h).
  std::size_t left() const {
    const std::size_t max = maxGrowth(given) * stages;
    checkGrowth(place, made, max);
    return max - made;
  }
  void add(std::size_t bytes) {
    made += bytes;
    left();
  }
};

/// One function of the chain, for one text.
class DecoderStage {
public:
  virtual ~DecoderStage() = default;
  /// A token, or the next part of it where `starts` is false.
  virtual void push(std::string text, bool starts) = 0;
  /// No more tokens come: passes on what was held back.
  virtual void finish() = 0;

protected:
  void emit(std::string text, bool starts) {
    growth->add(text.size());
    if (next)
      next->push(std::move(text), starts);
    else
      *out += text;
  }

private:
  friend class DecoderChain;
  DecoderStage *next = nullptr;
  std::string *out = nullptr;

protected:
  DecoderGrowth *growth = nullptr;
};

using StageMaker = std::function<std::unique_ptr<DecoderStage>()>;

/// The file's decoder: makers of its stages, in order.
struct Decoder {
  std::vector<StageMaker> stages;
  bool fused = false; // whether what leaves the last stage is one token
  std::string place;  // for messages
};

/// Reads one; throws std::runtime_error at the place that is wrong.
Decoder readDecoder(const support::JsonCursor &json);
/// Where a file has none, tokens are joined by spaces.
Decoder joinBySpaces();

/// The stages of one text, connected.
class DecoderChain {
public:
  explicit DecoderChain(const Decoder &decoder);
  /// The text that became certain with this token.
  std::string push(std::string token);
  std::string finish();

private:
  std::vector<std::unique_ptr<DecoderStage>> stages;
  std::unique_ptr<std::string> out = std::make_unique<std::string>();        // stages point to it
  std::unique_ptr<DecoderGrowth> growth = std::make_unique<DecoderGrowth>(); // and to it
};

} // namespace nstf::runtime
