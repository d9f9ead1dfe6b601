#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/hip_api/Checks.h"
#include "runtime/emulator/hip_api/Timing.h"
#include "runtime/emulator/run/LaunchOptions.h"
#include "support/Escape.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

namespace nstf::emulator {
namespace {
constexpr const char *defaultTarget = "gfx942";

std::mutex makingDevice;
std::atomic<Device *> device = nullptr;

std::unique_ptr<checks::Checker> wantedChecks(const Target &target, Memory &memory) {
  const char *names = std::getenv("NSTF_EMU_CHECK");
  auto set = checks::CheckSet::parse(names ? names : "", "NSTF_EMU_CHECK");
  return set.any() ? checks::makeChecker(set, target, memory) : nullptr;
}

/// The chip that nstfEmulatorSetTiming named.
std::string &wantedTiming() {
  static auto *name = new std::string;
  return *name;
}

std::unique_ptr<DeviceTiming> makeTiming() {
  const char *variable = std::getenv("NSTF_EMU_TIMING");
  const std::string chip = !wantedTiming().empty() ? wantedTiming() : variable ? variable : "";
  if (chip.empty())
    return nullptr;
  const char *checks = std::getenv("NSTF_EMU_CHECK");
  if (checks && *checks)
    throw std::invalid_argument("timing (" + chip + ") and NSTF_EMU_CHECK exclude each other");
  try {
    return std::make_unique<DeviceTiming>(timing::ChipTiming::choose(chip));
  } catch (const std::runtime_error &error) {
    throw std::invalid_argument(std::string("NSTF_EMU_TIMING: ") + error.what());
  }
}

/// Checks the variables that launches read, so that an invalid value is not reported as an error of a launch.
void checkLaunchVariables() {
  try {
    LaunchOptions::fromEnvironment();
    DeviceFault::stays();
    exitsWithFindings();
  } catch (const std::runtime_error &error) {
    throw std::invalid_argument(error.what());
  }
}

uint64_t hostMemory() { return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE)); }
} // namespace

bool DeviceFault::stays() {
  const char *variable = std::getenv("NSTF_EMU_AFTER_FAULT");
  const std::string_view value = variable ? variable : "";
  if (value != "" && value != "continue")
    throw std::runtime_error("NSTF_EMU_AFTER_FAULT: expected continue but got \"" + support::escape(value) + "\"");
  return value.empty();
}

void DeviceFault::set(const HipError &error) {
  std::lock_guard lock(mutex);
  if (is)
    return;
  code = error.code;
  text = error.what();
  is = true;
}

void DeviceFault::rethrow() const {
  std::lock_guard lock(mutex);
  throw HipError(code, "an earlier launch failed: " + text);
}

// Programs whose time is predicted may leave memory untouched that the host has not touched.
Device::Device(const Target &target, TargetId id, DeviceModel model, std::unique_ptr<DeviceTiming> timed)
    : target(target), id(std::move(id)), model(model),
      memory(timed ? model.memoryBytes : std::min(model.memoryBytes, hostMemory())), services(memory, this->model),
      checker(wantedChecks(target, memory)), timing(std::move(timed)) {}
Device::~Device() = default;

Device &Device::get() { return getOrMake(nullptr); }
Device *Device::getIfMade() { return device.load(std::memory_order_acquire); }
void Device::make(const char *target) { getOrMake(target); }

Device &Device::getOrMake(const char *target) {
  if (Device *made = device.load(std::memory_order_acquire))
    return *made;
  std::lock_guard lock(makingDevice);
  if (Device *made = device.load(std::memory_order_acquire))
    return *made;
  const char *variable = std::getenv("NSTF_EMU_TARGET");
  std::string wanted = target ? target : variable ? variable : "";
  try {
    checkLaunchVariables();
    std::unique_ptr<DeviceTiming> timing = makeTiming();
    if (wanted.empty())
      wanted = timing ? timing->chip.target : defaultTarget;
    TargetId id = TargetId::parse(wanted);
    const Target *chip = Target::find(id.processor);
    if (!chip)
      throw std::runtime_error("the emulator knows no chip \"" + id.processor + "\"");
    if (timing && timing->chip.target != id.processor)
      throw std::invalid_argument("NSTF_EMU_TIMING: " + timing->chip.name + " is a " + timing->chip.target +
                                  " but the device is to be a " + id.processor);
    // The default of these chips.
    if (id.sramecc == TargetId::Feature::Any)
      id.sramecc = TargetId::Feature::On;
    if (id.xnack == TargetId::Feature::Any)
      id.xnack = TargetId::Feature::Off;
    const DeviceModel model = timing ? DeviceModel::load(timing->chip.file) : DeviceModel::load(id.processor);
    device.store(new Device(*chip, id, model, std::move(timing)), std::memory_order_release);
  } catch (const std::invalid_argument &error) { // a variable other than NSTF_EMU_TARGET
    throw HipError(hipErrorNoDevice, error.what(), true);
  } catch (const std::exception &error) {
    std::string known;
    for (const Target &one : Target::all())
      known += (known.empty() ? "" : ", ") + one.name;
    throw HipError(hipErrorNoDevice,
                   (target ? "" : "NSTF_EMU_TARGET=") + wanted + ": " + error.what() + " (there are " + known + ")",
                   true);
  }
  return *device;
}

void Device::setTiming(const std::string &chip) {
  std::lock_guard lock(makingDevice);
  if (const Device *made = device.load(std::memory_order_acquire)) {
    if (!made->timing || (wantedTiming() != chip && made->timing->chip.name != chip))
      throw HipError(hipErrorInvalidValue,
                     "the device is there already, " +
                         (made->timing ? "timed as " + made->timing->chip.name : std::string("without timing")),
                     true);
    return;
  }
  wantedTiming() = chip;
}

Device &Device::get(int ordinal) {
  if (ordinal != 0)
    throw HipError(hipErrorInvalidDevice, "expected device 0 but got " + std::to_string(ordinal));
  return get();
}

/// Extension: makes the device with this chip ("gfx90a", "gfx942:xnack+"), overriding NSTF_EMU_TARGET. Must be called
/// before anything that needs a device; an existing device does not change.
NSTF_HIP_API hipError_t nstfEmulatorSetTarget(const char *target) {
  return guarded("nstfEmulatorSetTarget", [&] {
    require(target && *target, "target is empty");
    Device::make(target);
  });
}

int hipMajorVersion() {
  static const int version = [] {
    Dl_info info{};
    bool known = dladdr(reinterpret_cast<void *>(&hipMajorVersion), &info) && info.dli_fname;
    return known && std::string_view(info.dli_fname).ends_with(".so.5") ? 5 : 6;
  }();
  return version;
}

} // namespace nstf::emulator
