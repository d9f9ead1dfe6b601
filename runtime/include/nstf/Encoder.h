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
// An encoder takes a text whole: every row sees every other, and nothing is kept for the next text. Failures throw
// std::runtime_error with a message for people.
#pragma once

#include "nstf/Session.h"
#include "nstf/Tokenizer.h"

namespace nstf::runtime {

/// A package with the inputs "ids" and, perhaps, "token_types" (i32 [tokens]), the output "hidden" (f32 [tokens, H]) or
/// "embedding" (f32 [1, H]), and no state.
class Encoder {
public:
  /// Why the package is no encoder; empty where it is one.
  static std::string reasonAgainst(const manifest::Manifest &manifest);
  static bool accepts(const manifest::Manifest &manifest) { return reasonAgainst(manifest).empty(); }

  /// Throws std::runtime_error when the package is no encoder. The session outlives the encoder.
  explicit Encoder(Session &session);
  /// Throws std::runtime_error when run would refuse the text: it is empty or too long for one step, an id is outside
  /// the vocabulary, or it has not a type for each id.
  void check(const TokenSequence &text) const;
  /// Runs a text. Types may be left out; they are 0 then.
  void run(const TokenSequence &text);

  /// The last hidden state of the last run, [tokens, H]. Throws std::runtime_error when the package does not give it.
  HostTensor hidden() const;
  /// The embedding of the last run, [1, H]: the package's, or else the mean of the hidden state's rows, of length 1.
  /// Throws std::runtime_error where a number of it is not finite, with the launch that such numbers come from.
  HostTensor embedding() const;

private:
  Session &session;
  bool takesTypes;
  int64_t tokens = 0; // of the last run
};

/// The mean of the rows of [tokens, H], divided by its Euclidean norm (by 1e-12 where that is less), in float64.
HostTensor poolRows(const HostTensor &hidden);

/// Throws std::runtime_error that says which number of an f32 tensor is NaN or infinite, and which of the two.
void checkFinite(const HostTensor &tensor, const std::string &what);

} // namespace nstf::runtime
