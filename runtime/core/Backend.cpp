// Finds a library and a device. Only this file distinguishes a GPU's driver from the emulator.
#include "runtime/core/Device.h"
#include "support/Escape.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <unistd.h>

namespace nstf {

Error::Error(std::string cause, std::string fix)
    : std::runtime_error(fix.empty() ? cause : cause + " (" + fix + ")"), causeText(std::move(cause)),
      fixText(std::move(fix)) {}

DeviceKind parseDeviceKind(std::string_view text) {
  for (DeviceKind kind : {DeviceKind::Auto, DeviceKind::HIP, DeviceKind::Emulator})
    if (text == toString(kind))
      return kind;
  throw Error("expected device auto, hip or emulator but got \"" + support::escape(text) + "\"");
}

const char *toString(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::Auto:
    return "auto";
  case DeviceKind::HIP:
    return "hip";
  case DeviceKind::Emulator:
    return "emulator";
  }
  return "?";
}

bool targetRunsOn(std::string_view code, std::string_view device) {
  auto processor = [](std::string_view id) { return id.substr(0, id.find(':')); };
  if (processor(code) != processor(device))
    return false;
  // No feature that the code fixes ("xnack-") may have another setting on the device.
  while (code.find(':') != std::string_view::npos) {
    code.remove_prefix(code.find(':') + 1);
    std::string_view feature = code.substr(0, code.find(':'));
    if (feature.empty())
      continue;
    std::string other = ":" + std::string(feature);
    other.back() = feature.back() == '+' ? '-' : '+';
    if (device.find(other) != std::string_view::npos)
      return false;
  }
  return true;
}

namespace detail {
namespace {
// hipDeviceProp_t: offsets of the fields that the runtime reads, in both layouts (HIP's headers of 5.2 and of 6).
struct PropertyLayout {
  size_t bytes, name, memory, lds, waveSize, maxThreads, computeUnits, targetId;
};
constexpr PropertyLayout propertiesR0000 = {792, 0, 256, 264, 276, 280, 336, 396};
constexpr PropertyLayout propertiesR0600 = {1472, 0, 288, 296, 308, 320, 388, 1160};

template <typename T> T read(const std::vector<char> &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

DeviceProperties readProperties(const HIPLibrary &hip, int index) {
  const bool newer = hip.hipGetDevicePropertiesR0600 != nullptr;
  if (!newer && !hip.hipGetDeviceProperties)
    throw Error(hip.path() + " has no hipGetDeviceProperties");
  const PropertyLayout &layout = newer ? propertiesR0600 : propertiesR0000;
  // Later releases may append fields.
  std::vector<char> bytes(layout.bytes + 4096);
  hip.check((newer ? hip.hipGetDevicePropertiesR0600 : hip.hipGetDeviceProperties)(bytes.data(), index),
            "cannot read the properties of device " + std::to_string(index));
  auto text = [&](size_t offset) { return std::string(&bytes[offset], strnlen(&bytes[offset], 256)); };
  DeviceProperties properties;
  properties.name = text(layout.name);
  properties.targetId = text(layout.targetId);
  properties.memory = read<uint64_t>(bytes, layout.memory);
  properties.ldsPerWorkgroup = read<uint64_t>(bytes, layout.lds);
  properties.waveSize = uint32_t(read<int32_t>(bytes, layout.waveSize));
  properties.maxThreadsPerWorkgroup = uint32_t(read<int32_t>(bytes, layout.maxThreads));
  properties.computeUnits = uint32_t(read<int32_t>(bytes, layout.computeUnits));
  return properties;
}

std::vector<std::string> hipCandidates() {
  std::vector<std::string> names;
  for (const char *name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"})
    names.push_back(name);
  const char *rocm = std::getenv("ROCM_PATH");
  names.push_back(std::string(rocm && *rocm ? rocm : "/opt/rocm") + "/lib/libamdhip64.so");
  return names;
}

std::vector<std::string> emulatorCandidates() {
  if (const char *path = std::getenv("NSTF_EMULATOR_LIBRARY"); path && *path)
    return {path};
  std::error_code error;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> paths;
  auto add = [&](const std::filesystem::path &folder, const char *relative) {
    paths.push_back((folder / relative / "libamdhip64.so").lexically_normal().string());
  };
  for (const char *folder : {"../lib/emulator", "../../lib/emulator", NSTF_EMULATOR_FROM_BIN})
    add(executable.parent_path(), folder);
  // An installed runtime is in libnstf-runtime.so, and the program may be in any folder. dladdr gives a program's own
  // name as it was called, which may be relative.
  if (Dl_info self{}; dladdr(reinterpret_cast<void *>(&emulatorCandidates), &self) && self.dli_fname)
    if (const std::filesystem::path file = self.dli_fname; file.is_absolute())
      add(file.parent_path(), "nstf/emulator");
  return paths;
}

std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// The library with a GPU that responds, or nullptr with the reason: no library, or no GPU.
std::shared_ptr<HIPLibrary> openGPU(int index, std::string_view target, std::string &reason, std::string &fix) {
  std::vector<std::string> tried;
  std::shared_ptr<HIPLibrary> library = HIPLibrary::load(hipCandidates(), tried);
  if (!library) {
    reason = "no HIP library was found (" + joined(tried) + ")";
    fix = "install ROCm or Debian's libamdhip64-5, or use --device=emulator";
    return nullptr;
  }
  // A library that LD_LIBRARY_PATH put in the place of libamdhip64 may be the emulator.
  int count = 0;
  const HIPError code = library->start(target, "", count);
  if (code || count <= index) {
    reason = "HIP library " + library->path() + " found, but no GPU answers" +
             (index ? " as device " + std::to_string(index) : std::string()) + ": " +
             (code ? library->describe(code) : std::to_string(count) + " devices");
    fix = "check that the amdgpu driver is loaded and /dev/kfd may be opened, or use --device=emulator";
    return nullptr;
  }
  return library;
}

/// Whether the kernel offers a GPU for compute at all: loading ROCm takes long, so `auto` checks this first.
bool mayHaveGPU() { return access("/dev/kfd", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; }

std::shared_ptr<HIPLibrary> openEmulator(std::string_view target, std::string_view timing) {
  // The library stays loaded, since a process can emulate only one chip.
  static std::mutex mutex;
  static std::shared_ptr<HIPLibrary> loaded;
  std::lock_guard lock(mutex);
  if (loaded)
    return loaded;
  std::vector<std::string> tried;
  std::shared_ptr<HIPLibrary> library = HIPLibrary::load(emulatorCandidates(), tried);
  if (!library)
    throw Error("the emulator's library was not found (" + joined(tried) + ")",
                "set NSTF_EMULATOR_LIBRARY to libamdhip64.so of NSTF's lib/emulator folder");
  if (!library->isEmulator())
    throw Error(library->path() + " is not NSTF's emulator", "check NSTF_EMULATOR_LIBRARY");
  library->nstfEmulatorPrintFaults(0); // faults are thrown as Error
  int count = 0;
  if (const HIPError code = library->start(target, timing, count))
    throw Error("the emulator does not start: " + library->describe(code));
  return loaded = library;
}
} // namespace

Device::Device(std::shared_ptr<HIPLibrary> library, DeviceKind kind, int index)
    : hipLibrary(std::move(library)), deviceKind(kind), ordinal(index),
      deviceProperties(readProperties(*hipLibrary, index)) {
  activate();
}

void Device::activate() const {
  hipLibrary->check(hipLibrary->hipSetDevice(ordinal), "cannot use device " + std::to_string(ordinal));
}
} // namespace detail

Backend Backend::open(DeviceKind kind, std::string_view target, int index, std::string_view timing) {
  using namespace detail;
  if (!timing.empty() && kind == DeviceKind::HIP)
    throw Error("time is predicted on the emulator, not on a GPU", "use --device=emulator");
  if (!timing.empty())
    kind = DeviceKind::Emulator;
  std::shared_ptr<HIPLibrary> library;
  if (kind == DeviceKind::HIP || (kind == DeviceKind::Auto && mayHaveGPU())) {
    std::string reason, fix;
    library = openGPU(index, target, reason, fix);
    if (!library && kind == DeviceKind::HIP)
      throw Error(reason, fix);
  }
  if (!library)
    library = openEmulator(target, timing);
  const DeviceKind found = library->isEmulator() ? DeviceKind::Emulator : DeviceKind::HIP;
  Backend backend(std::make_shared<Device>(library, found, index));
  if (found == DeviceKind::Emulator && !target.empty() && !targetRunsOn(target, backend.targetId()))
    throw Error("the emulator of this process is a " + backend.targetId() + ", so it can't be a " +
                    std::string(target) + " as well",
                "run the two targets in two processes");
  return backend;
}

DeviceKind Backend::kind() const { return sharedDevice->kind(); }
const DeviceProperties &Backend::properties() const { return sharedDevice->properties(); }
const std::string &Backend::targetId() const { return sharedDevice->properties().targetId; }
const std::string &Backend::libraryPath() const { return sharedDevice->hip().path(); }

std::string Backend::requireTarget(const std::vector<std::string> &codeTargets, std::string_view what) const {
  std::string all;
  for (const std::string &target : codeTargets) {
    if (targetRunsOn(target, targetId()))
      return target;
    all += (all.empty() ? "" : ", ") + target;
  }
  throw Error(std::string(what) + " holds code for " + (all.empty() ? "no target" : all) + ", but the device is a " +
                  targetId() + " (" + properties().name + ")",
              "compile it with --target=" + targetId().substr(0, targetId().find(':')) +
                  (kind() == DeviceKind::HIP ? ", or run it with --device=emulator" : ""));
}

std::optional<PredictedTime> Backend::predictedTime() const {
  const detail::HIPLibrary &hip = sharedDevice->hip();
  PredictedTime time;
  const char *chip = nullptr;
  if (!hip.nstfEmulatorPredictedTime || hip.nstfEmulatorPredictedTime(&time.nanoseconds, &chip))
    return std::nullopt;
  time.chip = chip;
  return time;
}

void Backend::synchronize() const {
  sharedDevice->activate();
  sharedDevice->hip().check(sharedDevice->hip().hipDeviceSynchronize(), "the device reports a failure");
}

} // namespace nstf
