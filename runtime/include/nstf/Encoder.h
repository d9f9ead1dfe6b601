// Hidden states and embeddings from a package.
//
//   #include <nstf/Encoder.h>
//
//   auto package = nstf::runtime::Package::open("minilm.nstf");
//   auto tokenizer = package.tokenizer();
//   nstf::runtime::Session session(std::move(package));
//   nstf::runtime::Encoder encoder(session);
//   encoder.run(tokenizer->encodePrompt("hello world", std::nullopt));
//   nstf::runtime::HostTensor embedding = encoder.embedding(); // [1, 384] f32
//
// An encoder takes a whole text: every row attends to every other one, and no state is kept for the next text. Failures
// throw std::runtime_error with a message for users.
#pragma once

#include "nstf/Session.h"
#include "nstf/Tokenizer.h"

namespace nstf::runtime {

/// A package with the input "ids" and optionally "token_types" (i32 [tokens]), the output "hidden" (f32 [tokens, H]) or
/// "embedding" (f32 [1, H]), and no state.
class Encoder {
public:
  /// Why the package is not an encoder; empty if it is one.
  static std::string reasonAgainst(const manifest::Manifest &manifest);
  static bool accepts(const manifest::Manifest &manifest) { return reasonAgainst(manifest).empty(); }

  /// Throws std::runtime_error when the package is not an encoder. The session outlives the encoder.
  explicit Encoder(Session &session);
  /// Throws std::runtime_error when run would refuse the text: it is empty or too long for one step, an id is outside
  /// the vocabulary, or the number of types differs from the number of ids.
  void check(const TokenSequence &text) const;
  /// Runs a text. Types may be left out; they are then 0.
  void run(const TokenSequence &text);

  /// The last hidden state of the last run, [tokens, H]. Throws std::runtime_error when the package does not give it.
  HostTensor hidden() const;
  /// The embedding of the last run, [1, H]: the package's output or, without one, the mean of the rows of the hidden
  /// state, normalised to length 1. Throws std::runtime_error where an element is not finite, with the launch that
  /// first produced such elements.
  HostTensor embedding() const;

private:
  Session &session;
  bool takesTypes;
  int64_t tokens = 0; // rows of the last run
};

/// The mean of the rows of [tokens, H], divided by its Euclidean norm (by 1e-12 where that is less), in float64.
HostTensor poolRows(const HostTensor &hidden);

/// Throws std::runtime_error with the index of the first element of an f32 tensor that is not finite, and whether it is
/// NaN or infinite.
void checkFinite(const HostTensor &tensor, const std::string &what);

} // namespace nstf::runtime
