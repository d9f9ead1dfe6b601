#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/LaunchMemory.h"
#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/services/HostServices.h"
#include "support/Escape.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::emulator {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse(const Kernel &kernel, const std::string &why) {
  throw std::runtime_error(support::escape("kernel '" + kernel.name + "': " + why, support::longLimit));
}

uint64_t checkedItems(const Target &target, const DeviceModel &model, const LaunchArguments &arguments) {
  const Kernel &kernel = *arguments.kernel;
  uint64_t items = 1;
  for (uint32_t size : arguments.block) {
    if (!size || size > 1024)
      refuse(kernel, "expected block sizes from 1 to 1024 but got " + std::to_string(size));
    items *= size;
  }
  if (items > 1024)
    refuse(kernel, "expected at most 1024 work-items in a workgroup but got " + std::to_string(items));
  if (kernel.descriptor.wave32)
    refuse(kernel, "made for waves of 32 lanes, which " + target.name + " doesn't have");
  uint64_t ldsBytes = kernel.ldsSize + uint64_t(arguments.dynamicLds);
  if (ldsBytes > model.ldsBytes)
    refuse(kernel,
           "expected at most " + std::to_string(model.ldsBytes) + " bytes of LDS but got " + std::to_string(ldsBytes));
  if (arguments.kernargSize < kernel.kernargSize)
    refuse(kernel, "expected " + std::to_string(kernel.kernargSize) + " bytes of arguments but got " +
                       std::to_string(arguments.kernargSize));
  return items;
}

uint32_t scratchOf(const Kernel &kernel, size_t dynamicStack) {
  // For recursion and calls through pointers, the compiler does not know the size of the stack.
  return uint32_t((kernel.scratchSize + (kernel.descriptor.dynamicStack ? dynamicStack : 0) + 3) & ~size_t(3));
}

/// Workgroups that the chip holds at a time.
uint64_t residentsOf(const DeviceModel &model, const LaunchArguments &arguments, uint64_t items) {
  const int64_t workgroups = getOccupancy(model, *arguments.kernel, uint32_t(items), arguments.dynamicLds).workgroups;
  return uint64_t(std::max<int64_t>(workgroups, 1)) * model.computeUnits;
}

} // namespace

ChipPlace placeInTurn(const DeviceModel &model, uint64_t group, uint32_t wave) {
  const uint32_t dies = std::max(1u, model.xcds), units = std::max(1u, model.computeUnits / dies);
  return {.xcd = uint32_t(group % dies),
          .computeUnit = uint32_t(group / dies % units),
          .simd = wave % model.simds,
          .slot = wave / model.simds};
}

LaunchDriver::LaunchDriver(const Target &target, Memory &memory, const LaunchArguments &arguments,
                           const LaunchOptions &options, uint64_t residents)
    : how(options), chip(options.model ? *options.model : DeviceModel::of(target.name)) {
  const Kernel &kernel = *arguments.kernel;
  const uint64_t items = checkedItems(target, chip, arguments);
  gridGroups = uint64_t(arguments.grid[0]) * arguments.grid[1] * arguments.grid[2];
  if (!gridGroups)
    return;
  cached = CachedProgram::of(target, kernel, options.matrix);
  const MicroOp *entry = cached->decoded->at(CachedProgram::getEntry(kernel));
  if (!entry)
    refuse(kernel, "its entry is not in the code object's text");

  state.target = &target;
  state.kernel = &kernel;
  state.arguments = &arguments;
  state.program = cached->decoded.get();
  state.entry = entry;
  state.memory = &memory;
  // Rounded up to whole granules, the chip's unit of LDS allocation.
  const uint64_t granules = (kernel.ldsSize + arguments.dynamicLds + chip.ldsGranule - 1) / chip.ldsGranule;
  state.ldsBytes = uint32_t(granules * chip.ldsGranule);
  state.scratchBytes = scratchOf(kernel, options.dynamicStack);
  state.wavesPerGroup = uint32_t((items + Wave::width - 1) / Wave::width);
  waveSync = std::make_unique<GlobalWaveSync>(gridGroups);
  state.waveSync = waveSync.get();

  scratchPerGroup = uint64_t(state.scratchBytes) * Wave::width * state.wavesPerGroup;
  maxResidents = std::min(gridGroups, residents ? residents : residentsOf(chip, arguments, items));
  if (options.services)
    services = options.services->begin(kernel); // before the launch's table of regions
  launchMemory = std::make_unique<LaunchMemory>(state, memory, scratchPerGroup * maxResidents);
  if (services) {
    services->fillArguments({reinterpret_cast<std::byte *>(state.kernarg), arguments.kernargSize});
    state.interrupts = services.get();
  }
  if (options.stepLimit)
    stepBudget = std::make_unique<StepBudget>(options.stepLimit);
  if (options.timeout != options.timeout.zero())
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(options.timeout);
}

LaunchDriver::~LaunchDriver() = default;

std::string LaunchDriver::mustEnd() const {
  if (how.interrupt && *how.interrupt)
    return "the launch was interrupted";
  if (deadline != Clock::time_point() && Clock::now() > deadline)
    return "still running at the end of its time";
  return "";
}

std::unique_ptr<ResidentGroup> LaunchDriver::begin(uint64_t index, std::span<const ChipPlace> places) {
  uint64_t slot;
  {
    std::lock_guard lock(mutex);
    if (freeSlots.empty()) {
      slot = firstUnusedSlot++;
    } else {
      slot = freeSlots.back();
      freeSlots.pop_back();
    }
  }
  auto resident = ResidentGroup::start(state, index, launchMemory->scratch() + slot * scratchPerGroup);
  const std::vector<Wave *> &waves = resident->group.waves;
  for (uint32_t i = 0; i < waves.size(); ++i)
    waves[i]->place = places.empty() ? placeInTurn(chip, index, i) : places[i];
  return resident;
}

void LaunchDriver::retire(std::unique_ptr<ResidentGroup> resident) {
  freeScratch(resident->scratch);
  ResidentGroup::release(std::move(resident));
}

void LaunchDriver::finish() {
  if (!services)
    return;
  try {
    services->finish();
  } catch (const services::ServiceError &error) {
    Finding finding;
    finding.check = "fault";
    finding.what = error.what();
    finding.kernel = state.kernel->name;
    throw Fault(std::move(finding));
  }
}

void LaunchDriver::freeScratch(uint64_t scratch) {
  std::lock_guard lock(mutex);
  freeSlots.push_back(scratchPerGroup ? (scratch - launchMemory->scratch()) / scratchPerGroup : 0);
}

} // namespace nstf::emulator
