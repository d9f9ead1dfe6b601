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

Device &Device::get() {
  static std::mutex mutex;
  static std::atomic<Device *> device = nullptr;
  if (Device *made = device.load(std::memory_order_acquire))
    return *made;
  std::lock_guard lock(mutex);
  if (Device *made = device.load(std::memory_order_acquire))
    return *made;
  const char *wanted = std::getenv("NSTF_EMU_TARGET");
  if (!wanted || !*wanted)
    wanted = defaultTarget;
  try {
    TargetId id = TargetId::parse(wanted);
    const Target *target = Target::find(id.processor);
    if (!target)
      throw std::runtime_error("the emulator knows no chip \"" + id.processor + "\"");
    // As these chips come up by default.
    if (id.sramecc == TargetId::Feature::Any)
      id.sramecc = TargetId::Feature::On;
    if (id.xnack == TargetId::Feature::Any)
      id.xnack = TargetId::Feature::Off;
    device.store(new Device(*target, id, DeviceModel::load(id.processor)), std::memory_order_release);
  } catch (const std::invalid_argument &error) { // NSTF_EMU_CHECK
    throw HipError(hipErrorNoDevice, error.what(), true);
  } catch (const std::exception &error) {
    std::string known;
    for (const Target &target : Target::all())
      known += (known.empty() ? "" : ", ") + target.name;
    throw HipError(hipErrorNoDevice,
                   "NSTF_EMU_TARGET=" + std::string(wanted) + ": " + error.what() + " (there are " + known + ")", true);
  }
  return *device;
}

Device &Device::get(int ordinal) {
  if (ordinal != 0)
    throw HipError(hipErrorInvalidDevice, "expected device 0 but got " + std::to_string(ordinal));
  return get();
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
