// Prepares and runs a launch file.
//
// The constructor loads the code objects, allocates and fills the buffers and lays out the arguments of all launches,
// so that errors of the file are reported before anything runs. Then the launches run in turn, and results are compared
// and written.
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
#include "runtime/emulator/services/HostServices.h"

#include <map>
#include <memory>

namespace nstf::emulator {

struct SessionOptions {
  std::string target;                        ///< overrides the file's; empty: the file's
  MatrixChoice matrix = MatrixChoice::Unset; ///< overrides the file's
  std::optional<std::string> check;          ///< overrides the file's
  bool allPlaces = false;                    ///< CheckSet::allPlaces
  const support::ChipFile *chip = nullptr;   ///< overrides the target's default chip, if it is of that target
};

/// A launch with everything that it needs.
struct PreparedLaunch {
  const LaunchDescription *description;
  const Kernel *kernel;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  MatrixMode matrix;
};

struct LaunchResult {
  ExecutionStatistics statistics;
  double seconds = 0; ///< time on this host
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
  /// The first of what each rule advises, of all launches so far.
  const std::vector<Finding> &advice() const {
    static const std::vector<Finding> none;
    return checker ? checker->advice() : none;
  }
  uint64_t droppedFindings() const { return checker ? checker->dropped() : 0; }

  /// Runs a launch as many times as the file says. A fault is part of the result. `options.monitor` replaces the
  /// checks.
  LaunchResult run(const PreparedLaunch &launch, LaunchOptions options);

  /// The arguments of `launch` for a caller that runs it itself, on `deviceMemory`.
  LaunchArguments getArguments(const PreparedLaunch &launch) const;
  Memory &deviceMemory() { return *memory; }
  /// printf and malloc of kernels. `isRepeated`: of a launch whose text is written already.
  services::HostServices &hostServices(bool isRepeated) { return isRepeated ? *silent : *services; }

  /// The device memory of a buffer or variable.
  std::span<std::byte> contents(const std::string &buffer) const;
  /// The buffer that holds an address, or nullptr.
  const BufferDescription *bufferAt(uint64_t address, uint64_t &offset) const;
  /// The place of an address in the launch file's terms: "c[17]", "4 bytes past the end of c"; empty if no buffer is
  /// near.
  std::string describeAddress(uint64_t address) const;
  /// The results of the expectations, in the file's order; each keeps the first `max` elements that disagree.
  std::vector<Comparison> compare(size_t max = 1) const;
  /// Throws std::runtime_error.
  void writeOutputs() const;

private:
  void chooseTarget(const SessionOptions &options);
  checks::CheckSet chooseChecks(const SessionOptions &options) const;
  const Kernel &getKernel(const LaunchDescription &launch);
  void allocate(const BufferDescription &buffer);
  void prepare(PreparedLaunch &launch, const SessionOptions &options);
  /// Restates a finding in the launch file's terms: if LDS is missing, it names the key.
  Finding explain(const PreparedLaunch &launch, Finding finding) const;
  uint64_t getAddress(const std::string &buffer) const;

  LaunchFile launchFile;
  const Target *chip = nullptr;
  DeviceModel chipModel;
  TargetId id;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<services::HostServices> services, silent;
  std::map<std::pair<std::string, size_t>, std::unique_ptr<Program>> programs; ///< by file, and offset in it
  std::map<std::pair<std::string, std::string>, const Kernel *> kernels;       ///< by file, and name in the launch
  std::map<std::string, std::span<std::byte>> buffers;
  std::vector<Tensor> expected; ///< by expectation; empty if it names another buffer
  std::vector<PreparedLaunch> prepared;
  std::unique_ptr<checks::Checker> checker;
};

} // namespace nstf::emulator
