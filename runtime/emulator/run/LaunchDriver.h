// A launch, set up for somebody to drive.
//
// Checks the arguments, decodes the program and lays out the memory; who drives it says which workgroup begins when and
// where, runs its waves in an order of its own, and retires it. The Scheduler is one driver, timing's Recorder another.
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

/// Where a wave runs in a launch nobody times: workgroups go round the chip's dies, then round a die's compute units,
/// and a workgroup's waves round its SIMDs.
ChipPlace placeInTurn(const DeviceModel &model, uint64_t group, uint32_t wave);

class LaunchDriver {
public:
  /// Everything named must live as long as the driver. `residents`: workgroups that may be resident at a time; 0: what
  /// the chip holds. Throws std::runtime_error for a launch that the kernel can't take.
  LaunchDriver(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options,
               uint64_t residents = 0);
  ~LaunchDriver();

  const Launch &launch() const { return state; }
  const LaunchOptions &options() const { return how; }
  const DeviceModel &model() const { return chip; }
  CachedProgram &program() const { return *cached; }
  uint64_t groups() const { return gridGroups; }      ///< workgroups of the grid; 0: there is nothing to run
  uint64_t residents() const { return maxResidents; } ///< no more may be resident at a time

  /// The instructions that the launch may still execute, whoever runs its waves; null: any number.
  StepBudget *steps() const { return stepBudget.get(); }
  /// Why the launch has to end now: it was interrupted, or its time is over. Empty: it need not.
  std::string mustEnd() const;

  /// What waves read as time from now on, instead of readCounter().
  void setClock(ClockSource &clock) { state.clock = &clock; }
  /// Makes workgroup `index` (x fastest) ready to run, its waves at `places`; without places: placeInTurn. From any
  /// thread.
  std::unique_ptr<ResidentGroup> begin(uint64_t index, std::span<const ChipPlace> places = {});
  /// Gives back what begin gave. From any thread.
  void retire(std::unique_ptr<ResidentGroup> group);
  /// Gives back the scratch memory alone, of a group that is released already (ResidentGroup::release).
  void freeScratch(uint64_t scratch);

private:
  Launch state = {};
  const LaunchOptions &how;
  const DeviceModel &chip;
  std::shared_ptr<CachedProgram> cached;
  std::unique_ptr<GlobalWaveSync> waveSync;
  std::unique_ptr<LaunchMemory> launchMemory;
  std::unique_ptr<StepBudget> stepBudget;
  std::chrono::steady_clock::time_point deadline; ///< the clock's beginning: none
  uint64_t gridGroups = 0, maxResidents = 0, scratchPerGroup = 0;

  std::mutex mutex; ///< of all in this paragraph
  uint64_t firstUnusedSlot = 0;
  std::vector<uint64_t> freeSlots; ///< of scratch
};

} // namespace nstf::emulator
