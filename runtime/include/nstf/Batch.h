// Several texts at once on one session (a package of nstfc --max-batch):
//
//   Session session = Session::open("model.nstf");
//   Batch batch(session);
//   for (const std::vector<int32_t> &prompt : prompts)   // at most batch.freeSlots() of them
//     batch.add(prompt, options);
//   while (!batch.isIdle())
//     for (int64_t slot : batch.step())                  // those that ended
//       Generation text = batch.take(slot);
//
// A step takes a row of each text that generates, and the prompts of others as far as there is room. Requests may come
// and go between any two steps. In steps of up to 16 rows what a text gets doesn't depend on what stands beside it.
#pragma once

#include "nstf/Generate.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::runtime {

struct BatchOptions {
  int64_t maxRows = 0; ///< of a step; 0: what the package's largest bucket takes
};

class Batch {
public:
  /// Throws std::runtime_error when the package is no language model, or a step takes fewer rows than there are
  /// requests. The session outlives the batch, which is alone with it.
  explicit Batch(Session &session, const BatchOptions &options = {});
  ~Batch();

  int64_t freeSlots() const;
  /// Starts a text in a slot that is free, and returns that. The first `held` ids the slot's states hold from before
  /// (Session::setState). Throws std::runtime_error: no slot is free, and where Generator::check does.
  int64_t add(std::span<const int32_t> sequence, const GenerateOptions &options = {}, std::size_t held = 0);
  /// Runs a step, and returns the slots of the texts that ended with it. A text that no token can be chosen for fails
  /// (StopReason::Failed), and the others go on.
  std::vector<int64_t> step();
  /// Whether no text is in progress.
  bool isIdle() const;
  /// Takes a text out of its slot, ended or not. Throws std::runtime_error where there is none.
  Generation take(int64_t slot);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nstf::runtime
