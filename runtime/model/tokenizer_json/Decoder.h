// The "decoder" of tokenizer.json.
//
// Turns tokens into text, token by token. The file describes a chain of functions from a list of strings to a list of
// strings. Here each function is a stage that passes on the text that is certain, so that a text can be shown while it
// grows. The results of a chain, concatenated, are the result of the functions on the whole list, with one difference:
// where a run of byte tokens ("<0xE6>") is not UTF-8, Hugging Face replaces every byte of the run by U+FFFD. This
// decoder replaces only the ill-formed bytes, which are known before the run ends.
//
// Types: ByteLevel, WordPiece, Metaspace, BPEDecoder, Replace, ByteFallback, Fuse, Strip, Sequence.
#pragma once

#include "runtime/model/tokenizer_json/Growth.h"
#include "support/JsonCursor.h"

#include <functional>
#include <memory>

namespace nstf::runtime {

/// Bytes that the stages of a chain have read and made for one text.
struct DecoderGrowth {
  std::string place; ///< of the decoder, for messages
  std::size_t stages = 0, given = 0, made = 0;

  /// Bytes that may still be made; throws std::runtime_error when the limit is exceeded (Growth.h).
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

/// One function of the chain, decoding one text.
class DecoderStage {
public:
  virtual ~DecoderStage() = default;
  /// A token, or its next part if `starts` is false.
  virtual void push(std::string text, bool starts) = 0;
  /// Called when no more tokens come: passes on the text that was held back.
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

/// The file's decoder: factories of its stages, in order.
struct Decoder {
  std::vector<StageMaker> stages;
  bool fused = false; // whether the output of the last stage is one token
  std::string place;  // for messages
};

/// Reads a decoder; throws std::runtime_error at the place of an error.
Decoder readDecoder(const support::JsonCursor &json);
/// The decoder of a file that has none: joins tokens by spaces.
Decoder joinBySpaces();

/// The stages for one text, connected.
class DecoderChain {
public:
  explicit DecoderChain(const Decoder &decoder);
  /// The text that became certain with this token.
  std::string push(std::string token);
  std::string finish();

private:
  std::vector<std::unique_ptr<DecoderStage>> stages;
  std::unique_ptr<std::string> out = std::make_unique<std::string>();        // stages point to it
  std::unique_ptr<DecoderGrowth> growth = std::make_unique<DecoderGrowth>(); // stages point to it
};

} // namespace nstf::runtime
