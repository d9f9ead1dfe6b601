// Generates several texts at once on one session (a package of nstfc --max-batch):
//
//   Session session = Session::open("model.nstf");
//   Batch batch(session);
//   for (const std::vector<int32_t> &prompt : prompts)   // at most batch.freeSlots() of them
//     batch.add(prompt, options);
//   while (!batch.isIdle())
//     for (int64_t slot : batch.step())                  // those that ended
//       Generation text = batch.take(slot);
//
// A step runs one row of each text that is generating, and rows of the other texts' prompts while the step has room.
// Requests may be added and taken between any two steps. In steps of up to 16 rows, a text's result does not depend on
// the other texts in the step.
#pragma once

#include "nstf/Generate.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::runtime {

struct BatchOptions {
  int64_t maxRows = 0; ///< rows of a step; 0: the largest number that the package's buckets take
};

class Batch {
public:
  /// Throws std::runtime_error when the package is not a language model, or when a step takes fewer rows than there are
  /// requests. The session outlives the batch; nothing else may use the session meanwhile.
  explicit Batch(Session &session, const BatchOptions &options = {});
  ~Batch();

  int64_t freeSlots() const;
  /// Starts a text in a free slot and returns the slot. The slot's states already hold the first `held` ids
  /// (Session::setState). Throws std::runtime_error when no slot is free, and where Generator::check does.
  int64_t add(std::span<const int32_t> sequence, const GenerateOptions &options = {}, std::size_t held = 0);
  /// Runs a step and returns the slots of the texts that ended with it. If no token can be chosen for a text, that text
  /// fails (StopReason::Failed) and the others go on.
  std::vector<int64_t> step();
  /// Whether no text is in progress.
  bool isIdle() const;
  /// Removes a text from its slot, ended or not. Throws std::runtime_error when the slot has no text.
  Generation take(int64_t slot);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nstf::runtime
