#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/checks/Checker.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

namespace nstf::emulator {
namespace {
constexpr const char *defaultTarget = "gfx942";

std::unique_ptr<checks::Checker> wantedChecks(const Target &target, Memory &memory) {
  const char *names = std::getenv("NSTF_EMU_CHECK");
  auto set = checks::CheckSet::parse(names ? names : "", "NSTF_EMU_CHECK");
  return set.any() ? checks::makeChecker(set, target, memory) : nullptr;
}

uint64_t hostMemory() { return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE)); }
} // namespace

Device::Device(const Target &target, TargetId id, DeviceModel model)
    : target(target), id(std::move(id)), model(model), memory(std::min(model.memoryBytes, hostMemory())),
      checker(wantedChecks(target, memory)) {}
Device::~Device() = default;

Device &Device::get() { return getOrMake(nullptr); }
void Device::make(const char *target) { getOrMake(target); }

Device &Device::getOrMake(const char *target) {
  static std::mutex mutex;
  static std::atomic<Device *> device = nullptr;
  if (Device *made = device.load(std::memory_order_acquire))
    return *made;
  std::lock_guard lock(mutex);
  if (Device *made = device.load(std::memory_order_acquire))
    return *made;
  const char *variable = std::getenv("NSTF_EMU_TARGET");
  const std::string wanted = target ? target : variable && *variable ? variable : defaultTarget;
  try {
    TargetId id = TargetId::parse(wanted);
    const Target *chip = Target::find(id.processor);
    if (!chip)
      throw std::runtime_error("the emulator knows no chip \"" + id.processor + "\"");
    // As these chips come up by default.
    if (id.sramecc == TargetId::Feature::Any)
      id.sramecc = TargetId::Feature::On;
    if (id.xnack == TargetId::Feature::Any)
      id.xnack = TargetId::Feature::Off;
    device.store(new Device(*chip, id, DeviceModel::load(id.processor)), std::memory_order_release);
  } catch (const std::invalid_argument &error) { // NSTF_EMU_CHECK
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

Device &Device::get(int ordinal) {
  if (ordinal != 0)
    throw HipError(hipErrorInvalidDevice, "expected device 0 but got " + std::to_string(ordinal));
  return get();
}

/// Extension: makes the device that chip ("gfx90a", "gfx942:xnack+"), whatever NSTF_EMU_TARGET says. To be called
/// before anything that needs a device: where there is one it stays what it is.
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
