// Runs a package on a device, step by step.
//
// A session holds a package's memory and kernels on one device. It has no knowledge of the model's operations: it
// writes inputs and the control block, launches the steps of the bucket that fits, and reads outputs. State such as the
// KV cache persists in the session between steps.
//
//   Session session = Session::open("mlp.nstf");
//   session.setInput("x", tensor);            // [7, 64] where the manifest says ["tokens", 64]
//   session.run(7);
//   HostTensor y = session.output("y");
//
// Failures throw std::runtime_error; those of the device throw nstf::Error, which is one.
#pragma once

#include "nstf/Npy.h"
#include "nstf/Package.h"
#include "nstf/Runtime.h"

#include <functional>
#include <optional>
#include <span>

namespace nstf::runtime {

struct SessionOptions {
  DeviceKind device = DeviceKind::Auto;
  /// The target of the package to use; empty: the device's. On an emulator, empty means the package's first one (unless
  /// NSTF_EMU_TARGET selects the emulated chip).
  std::string target;
  /// The chip whose time is predicted ("mi300x", or a file of constants); empty: NSTF_EMU_TIMING's, if set. With
  /// prediction, a package compiled with --weights=none may run without weights: they read as zeros and take no memory.
  std::string timing;
  /// Safetensors files for a package compiled with --weights=none.
  std::vector<std::filesystem::path> weights;
  /// Seed for a package compiled with --weights=random, instead of the compile-time seed.
  std::optional<uint64_t> seed;
  /// Compares weights with the hashes in the manifest. The code object's hash is always compared.
  bool checkHashes = true;
};

class Session;

/// A request's share of a step: `rows` rows from `position` of its text on, with its states in `slot`.
struct RequestRows {
  int64_t slot = 0, position = 0, rows = 1;
};

/// Passed to an observer of Session::runSteps: one launch that has just finished.
class LaunchView {
public:
  std::size_t index() const { return stepIndex; } ///< in the bucket's list of steps
  const manifest::Step &step() const;
  const manifest::Kernel &kernel() const;
  int64_t tokens() const { return rows; }
  int64_t position() const { return start; }
  /// The tensor to which argument `argument` of the kernel points now, in its shape at this number of tokens.
  HostTensor read(std::size_t argument) const;
  const Session &session() const { return owner; }

private:
  friend class Session;
  LaunchView(const Session &owner, const manifest::Bucket &bucket, std::size_t index, int64_t rows, int64_t start)
      : owner(owner), bucket(bucket), stepIndex(index), rows(rows), start(start) {}
  const Session &owner;
  const manifest::Bucket &bucket;
  std::size_t stepIndex;
  int64_t rows, start;
};

class Session {
public:
  using Observer = std::function<void(const LaunchView &)>;

  static Session open(const std::filesystem::path &package, const SessionOptions &options = {});
  /// Opens the device, loads the target's code object, allocates all memory and uploads the weights.
  explicit Session(Package package, const SessionOptions &options = {});
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  const Package &package() const;
  const manifest::Manifest &manifest() const { return package().manifest(); }
  const manifest::Target &target() const;
  const Backend &backend() const;

  /// Number of rows run since the start or reset(): the absolute position of the next step's first row.
  int64_t position() const;
  /// Starts a new sequence: position 0, states zero.
  void reset();
  /// Continues at `position` with the states as they are, for example after a sequence whose states setState set.
  /// Errors: a position outside the context, or a model without a context.
  void seek(int64_t position);
  /// Replaces the whole contents of a state's slot; type and shape must be the state's. Rows are positions, whatever
  /// the state's order in memory (Shape::order).
  void setState(std::string_view name, const HostTensor &value, int64_t slot = 0);
  /// The whole contents of a state's slot, in the same form.
  HostTensor getState(std::string_view name, int64_t slot = 0) const;

  /// Sets an input for the next run. The type must be the input's, and so must the shape, with the step's rows for
  /// "tokens". Token ids (the input "ids") must be in the vocabulary.
  void setInput(std::string_view name, const HostTensor &value);
  /// Runs one step of `tokens` rows at position() and advances position() by as many. Every input must be set to that
  /// number of rows. Errors: no bucket takes that many rows, or the context ends before.
  void run(int64_t tokens);
  /// Maximum number of requests with rows in one step, and number of slots of the states (nstfc --max-batch).
  int64_t maxRequests() const { return manifest().control.requests; }
  /// Runs one step of several requests, whose rows follow one another in the inputs; outputs of the last row have one
  /// row for each request, in the same order. position() does not change. A slot may be reused for another text at any
  /// time: rows of the state from a position on never affect rows before it. Errors in addition to those of
  /// run(tokens): no request, more than maxRequests(), a request without rows or beyond the context, a slot that does
  /// not exist or is used twice.
  void run(std::span<const RequestRows> requests);
  /// run(tokens), but launch by launch; calls the observer after each launch, which may read the device's memory.
  void runSteps(int64_t tokens, const Observer &observer);

  /// An output of the last run; "tokens" in its shape is the number of that run's rows.
  HostTensor output(std::string_view name) const;
  /// Bytes of any buffer, by index into Manifest::buffers or by name.
  void readBuffer(std::size_t buffer, uint64_t offset, std::span<std::byte> destination) const;
  void readBuffer(std::string_view buffer, uint64_t offset, std::span<std::byte> destination) const;

  /// Whether run() replays captured HIP graphs, and if not, why; known after the first run.
  std::string graphState() const;

private:
  struct State;
  friend class LaunchView;
  /// Checks the inputs and writes the control block; returns the number of rows of the step.
  int64_t begin(std::span<const RequestRows> requests);
  const manifest::Buffer &findSlot(std::string_view state, int64_t slot, std::size_t &index) const;
  HostTensor readTensor(std::size_t buffer, uint64_t offset, manifest::ElementType type, const manifest::Shape &shape,
                        int64_t rows) const;
  std::unique_ptr<State> state;
};

} // namespace nstf::runtime
