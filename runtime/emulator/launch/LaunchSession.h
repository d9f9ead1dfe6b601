// A launch file, made ready and run.
//
// Making a session loads the code objects, allocates and fills the buffers and lays out the arguments of all launches:
// what is wrong with the file is said before anything runs. Then each launch runs in turn, results are compared and
// written.
#pragma once

#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/launch/Comparison.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/Finding.h"
#include "runtime/emulator/run/KernelArguments.h"
#include "runtime/emulator/run/LaunchOptions.h"
#include "runtime/emulator/run/Statistics.h"

#include <map>
#include <memory>

namespace nstf::emulator {

struct SessionOptions {
  std::string target;                        ///< instead of the file's; empty: the file's
  MatrixChoice matrix = MatrixChoice::Unset; ///< instead of the file's
  std::optional<std::string> check;          ///< instead of the file's
  const support::ChipFile *chip = nullptr;   ///< instead of the target's default chip, where it is one of the target
};

/// A launch with everything it needs.
struct PreparedLaunch {
  const LaunchDescription *description;
  const Kernel *kernel;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  MatrixMode matrix;
};

struct LaunchResult {
  ExecutionStatistics statistics;
  double seconds = 0; ///< the emulator's own time
  std::vector<Finding> findings;
  std::optional<Finding> fault;
};

class LaunchSession {
public:
  /// Throws InputError, LoadError, std::runtime_error.
  LaunchSession(LaunchFile file, const SessionOptions &options);
  LaunchSession(const LaunchSession &) = delete;
  LaunchSession &operator=(const LaunchSession &) = delete;

  const LaunchFile &file() const { return launchFile; }
  const Target &target() const { return *chip; }
  const TargetId &device() const { return id; }
  const DeviceModel &model() const { return chipModel; }
  const std::vector<PreparedLaunch> &launches() const { return prepared; }
  bool checks() const { return checker != nullptr; }
  uint64_t droppedFindings() const { return checker ? checker->dropped() : 0; }

  /// Runs one, as often as the file says. A fault is part of the result. `options.monitor` watches it in place of the
  /// checks.
  LaunchResult run(const PreparedLaunch &launch, LaunchOptions options);

  /// What `launch` is for whoever runs it himself, on `deviceMemory`.
  LaunchArguments argumentsOf(const PreparedLaunch &launch) const;
  Memory &deviceMemory() { return *memory; }

  /// The device memory of a buffer or variable.
  std::span<std::byte> contents(const std::string &buffer) const;
  /// The buffer that holds an address, or nullptr.
  const BufferDescription *bufferAt(uint64_t address, uint64_t &offset) const;
  /// Where an address is, in the launch file's words: "c[17]", "4 bytes past the end of c"; empty where no buffer is
  /// near.
  std::string describeAddress(uint64_t address) const;
  /// What became of the expectations, in the file's order; `most`: how many elements that disagree are told of each.
  std::vector<Comparison> compare(size_t max = 1) const;
  /// Throws std::runtime_error.
  void writeOutputs() const;

private:
  void chooseTarget(const SessionOptions &options);
  checks::CheckSet chooseChecks(const SessionOptions &options) const;
  const Kernel &kernelOf(const LaunchDescription &launch);
  void allocate(const BufferDescription &buffer);
  void prepare(PreparedLaunch &launch, const SessionOptions &options);
  /// A finding in the launch file's words: where LDS is missing, it names the key.
  Finding explain(const PreparedLaunch &launch, Finding finding) const;
  uint64_t addressOf(const std::string &buffer) const;

  LaunchFile launchFile;
  const Target *chip = nullptr;
  DeviceModel chipModel;
  TargetId id;
  std::unique_ptr<Memory> memory;
  std::map<std::pair<std::string, size_t>, std::unique_ptr<Program>> programs; ///< by file, and where in it
  std::map<std::pair<std::string, std::string>, const Kernel *> kernels;       ///< by file, and as the launch calls it
  std::map<std::string, std::span<std::byte>> buffers;
  std::vector<Tensor> expected; ///< by expectation; empty for another buffer
  std::vector<PreparedLaunch> prepared;
  std::unique_ptr<checks::Checker> checker;
};

} // namespace nstf::emulator
