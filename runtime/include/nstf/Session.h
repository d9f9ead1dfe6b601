// A package on a device, step by step.
//
// A session holds a package's memory and kernels on one device. It knows no operation: it writes inputs and the control
// block, launches the steps of the bucket that fits, and reads outputs. State such as the KV cache lives in it from
// step to step.
//
//   Session session = Session::open("mlp.nstf");
//   session.setInput("x", tensor);            // [7, 64] where the manifest says ["tokens", 64]
//   session.run(7);
//   HostTensor y = session.output("y");
//
// Failures throw std::runtime_error (nstf::Error, which is one, where the device has its say).
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
  /// Which of the package's targets; empty: the device's, on an emulator the package's first (unless NSTF_EMU_TARGET
  /// says which chip that is).
  std::string target;
  /// The chip whose time is predicted ("mi300x", or a file of constants); empty: NSTF_EMU_TIMING's, if any. A package
  /// compiled with --weights=none may then go without them: they read as zeros that take no memory.
  std::string timing;
  /// Safetensors files for a package compiled with --weights=none.
  std::vector<std::filesystem::path> weights;
  /// Seed for a package compiled with --weights=random, instead of the one it was compiled with.
  std::optional<uint64_t> seed;
  /// Compare weights with the hashes in the manifest. The code object's hash is always compared.
  bool checkHashes = true;
};

class Session;

/// What a request has of a step: so many rows, from `position` of its text on, and the part `slot` of the states.
struct RequestRows {
  int64_t slot = 0, position = 0, rows = 1;
};

/// What an observer of Session::runSteps sees: one launch that has just finished.
class LaunchView {
public:
  std::size_t index() const { return stepIndex; } ///< in the bucket's list of steps
  const manifest::Step &step() const;
  const manifest::Kernel &kernel() const;
  int64_t tokens() const { return rows; }
  int64_t position() const { return start; }
  /// What argument `argument` of the kernel points to now, as a tensor of its shape at this many tokens.
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

  /// Rows that have been run since the start or reset(): the absolute position of the next step's first row.
  int64_t position() const;
  /// Starts a new sequence: position 0, states zero.
  void reset();
  /// Goes on at `position` with the states as they are: behind a sequence whose states were given by setState. Errors:
  /// a position outside the context, or a model without one.
  void seek(int64_t position);
  /// Replaces all that a slot of a state holds: type and shape must be the state's. Positions are rows, however the
  /// state lies in memory (Shape::order).
  void setState(std::string_view name, const HostTensor &value, int64_t slot = 0);
  /// All that a slot of a state holds, in the same way.
  HostTensor getState(std::string_view name, int64_t slot = 0) const;

  /// Sets an input for the next run. The type must be the input's, the shape too, with the step's rows for "tokens".
  /// Token ids (the input "ids") must be in the vocabulary.
  void setInput(std::string_view name, const HostTensor &value);
  /// Runs one step of `tokens` rows at position() and moves position() on. Every input must have been set, to that
  /// many rows. Errors: no bucket takes that many, or the context ends before.
  void run(int64_t tokens);
  /// Requests that a step may have rows of, and slots of the states (nstfc --max-batch).
  int64_t maxRequests() const { return manifest().control.requests; }
  /// Runs one step of several requests, whose rows stand in the inputs one request behind the other; outputs of the
  /// last row have a row for each, in the same order. position() stays. A slot may be taken for another text at any
  /// time: what it holds from a position on reaches no row before it. Errors beside those of run(tokens): no request,
  /// more than maxRequests(), a request without rows or past the context, a slot that is none or taken twice.
  void run(std::span<const RequestRows> requests);
  /// run(tokens), launch by launch, with a look at the device's memory after each one.
  void runSteps(int64_t tokens, const Observer &observer);

  /// An output of the last run; "tokens" in its shape is that run's rows.
  HostTensor output(std::string_view name) const;
  /// Bytes of any buffer, by index into Manifest::buffers or by name.
  void readBuffer(std::size_t buffer, uint64_t offset, std::span<std::byte> destination) const;
  void readBuffer(std::string_view buffer, uint64_t offset, std::span<std::byte> destination) const;

  /// Whether run() replays captured HIP graphs, and why not where it doesn't; known after the first run.
  std::string graphState() const;

private:
  struct State;
  friend class LaunchView;
  /// Checks the inputs and writes the control block; returns the rows of the step.
  int64_t begin(std::span<const RequestRows> requests);
  const manifest::Buffer &findSlot(std::string_view state, int64_t slot, std::size_t &index) const;
  HostTensor readTensor(std::size_t buffer, uint64_t offset, manifest::ElementType type, const manifest::Shape &shape,
                        int64_t rows) const;
  std::unique_ptr<State> state;
};

} // namespace nstf::runtime
