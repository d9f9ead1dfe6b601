// A launch that is set up for a caller to drive.
//
// Checks the arguments, decodes the program and sets up the memory. The caller decides when and where each workgroup
// begins, runs its waves in any order, and retires it. The Scheduler is one such caller, timing's Recorder another.
#pragma once

#include "runtime/emulator/instructions/PlaceAndTime.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/run/ResidentGroup.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

class CachedProgram;
class LaunchMemory;
struct DeviceModel;
struct LaunchOptions;
namespace services {
class LaunchServices;
}

/// The place of a wave in an untimed launch: workgroups are distributed round robin over the chip's XCDs, then over an
/// XCD's compute units, and a workgroup's waves over its SIMDs.
ChipPlace placeInTurn(const DeviceModel &model, uint64_t group, uint32_t wave);

class LaunchDriver {
public:
  /// All arguments must outlive the driver. `residents`: the maximum number of resident workgroups; 0: as many as
  /// the chip holds. Throws std::runtime_error for a launch that the kernel cannot take.
  LaunchDriver(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options,
               uint64_t residents = 0);
  ~LaunchDriver();

  const Launch &launch() const { return state; }
  const LaunchOptions &options() const { return how; }
  const DeviceModel &model() const { return chip; }
  CachedProgram &program() const { return *cached; }
  uint64_t groups() const { return gridGroups; }      ///< workgroups of the grid; 0: nothing to run
  uint64_t residents() const { return maxResidents; } ///< maximum number of resident workgroups

  /// The number of instructions that the launch may still execute, whoever runs its waves; null: no limit.
  StepBudget *steps() const { return stepBudget.get(); }
  /// Why the launch must end now: it was interrupted or has timed out. Empty if it may continue.
  std::string mustEnd() const;

  /// Sets the clock that waves read from now on, instead of readCounter().
  void setClock(ClockSource &clock) { state.clock = &clock; }
  /// Makes workgroup `index` (x fastest) ready to run, with its waves at `places`; without places, at placeInTurn. May
  /// be called from any thread.
  std::unique_ptr<ResidentGroup> begin(uint64_t index, std::span<const ChipPlace> places = {});
  /// Releases a workgroup that begin returned. May be called from any thread.
  void retire(std::unique_ptr<ResidentGroup> group);
  /// All workgroups have ended: writes the text that they have buffered. Throws Fault.
  void finish();
  /// Frees only the scratch memory of a group that was released already (ResidentGroup::release).
  void freeScratch(uint64_t scratch);

private:
  Launch state = {};
  const LaunchOptions &how;
  const DeviceModel &chip;
  std::shared_ptr<CachedProgram> cached;
  std::unique_ptr<GlobalWaveSync> waveSync;
  std::unique_ptr<services::LaunchServices> services;
  std::unique_ptr<LaunchMemory> launchMemory;
  std::unique_ptr<StepBudget> stepBudget;
  std::chrono::steady_clock::time_point deadline; ///< the clock's epoch: none
  uint64_t gridGroups = 0, maxResidents = 0, scratchPerGroup = 0;

  std::mutex mutex; ///< protects all fields of this group
  uint64_t firstUnusedSlot = 0;
  std::vector<uint64_t> freeSlots; ///< of scratch
};

} // namespace nstf::emulator
