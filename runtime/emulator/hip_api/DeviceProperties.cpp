// hipDeviceProp_t in both layouts. HIP 6 gave the structure a new layout and its function a new name
// (hipGetDevicePropertiesR0600, to which HIP 6's header maps the old name); the old name keeps the layout of HIP 5.
// Debian's header has the old layout, so both are written by offset, from one list of values.
#include "runtime/emulator/hip_api/Device.h"

#include <cstring>
#include <unordered_map>

namespace nstf::emulator {
namespace {
struct Field {
  const char *name;
  uint16_t offset, size;
};
constexpr Field r0000[] = {
#define R0000(name, offset, size) {#name, offset, size},
#include "runtime/emulator/hip_api/DeviceProperties.def"
#undef R0000
};
constexpr Field r0600[] = {
#define R0600(name, offset, size) {#name, offset, size},
#include "runtime/emulator/hip_api/DeviceProperties.def"
#undef R0600
};
constexpr size_t sizeR0000 = 792, sizeR0600 = 1472;

// Bits of hipDeviceArch_t: global, shared and float atomics, doubles, warp vote, ballot, shuffle (0-10); thread fence
// of the system (12); 3D grid (15). Not set: funnel shift, syncthreads ext, surface functions, dynamic parallelism.
constexpr int64_t archFeatures = 0x7ff | 1 << 12 | 1 << 15;

std::unordered_map<std::string, int64_t> integers(const Device &device) {
  const DeviceModel &m = device.model;
  const int64_t threadsPerCu = int64_t(m.maxWavesPerSimd) * m.simds * m.waveSize;
  const int64_t registers = int64_t(m.vgprsPerLane) * m.simds * m.waveSize;
  return {
      {"totalGlobalMem", int64_t(device.memory.limit())},
      {"sharedMemPerBlock", int64_t(m.ldsBytes)},
      {"regsPerBlock", registers},
      {"regsPerMultiprocessor", registers},
      {"warpSize", m.waveSize},
      {"memPitch", INT32_MAX},
      {"maxThreadsPerBlock", m.maxWorkgroupSize},
      {"clockRate", int64_t(m.peakClockMhz) * 1000},
      // Clock and width such that twice their product is the bandwidth, as tools compute it: a bus of 8192 bits.
      {"memoryClockRate", int64_t(m.memoryBandwidthGBs) * 1000000 / (8192 / 8) / 2},
      {"memoryBusWidth", 8192},
      {"totalConstMem", INT32_MAX},
      {"major", m.major},
      {"minor", m.minor},
      {"gcnArch", m.major * 100 + m.minor * 10 + m.stepping},
      {"multiProcessorCount", m.computeUnits},
      {"l2CacheSize", int64_t(m.l2Bytes)},
      {"maxThreadsPerMultiProcessor", threadsPerCu},
      {"maxSharedMemoryPerMultiProcessor", int64_t(m.ldsBytes)},
      {"sharedMemPerMultiprocessor", int64_t(m.ldsBytes)},
      {"sharedMemPerBlockOptin", int64_t(m.ldsBytes)},
      {"maxBlocksPerMultiProcessor", int64_t(m.maxWavesPerSimd) * m.simds},
      {"clockInstructionRate", 100000}, // s_memrealtime ticks at 100 MHz
      {"arch", archFeatures},
      {"concurrentKernels", 1},
      {"canMapHostMemory", 1},
      {"cooperativeLaunch", 1},
      {"managedMemory", 1},
      {"concurrentManagedAccess", 1},
      {"pageableMemoryAccess", 0},
      {"unifiedAddressing", 1},
      {"hostRegisterSupported", 1},
      {"hostNativeAtomicSupported", 1},
      {"streamPrioritiesSupported", 1},
      {"isLargeBar", 1},
      {"textureAlignment", 256},
      {"texturePitchAlignment", 256},
      {"pciBusID", 1},
  };
}

template <size_t N> void fill(const Device &device, char *out, size_t size, const Field (&fields)[N]) {
  std::memset(out, 0, size);
  const auto values = integers(device);
  const int64_t maxGrid = INT32_MAX;
  for (const Field &field : fields) {
    char *place = out + field.offset;
    const std::string name = field.name;
    if (name == "name" || name == "gcnArchName") {
      std::string text = name == "name" ? device.model.name : device.id.str();
      std::memcpy(place, text.data(), std::min<size_t>(text.size(), field.size - 1));
    } else if (name == "maxThreadsDim" || name == "maxGridSize") {
      const int32_t block = int32_t(device.model.maxWorkgroupSize);
      const int32_t grid[3] = {int32_t(maxGrid), 65535, 65535}, dim[3] = {block, block, block};
      std::memcpy(place, name == "maxGridSize" ? grid : dim, sizeof grid);
    } else if (auto it = values.find(name); it != values.end()) {
      std::memcpy(place, &it->second, field.size); // little endian
    }
  }
}
} // namespace
} // namespace nstf::emulator

using namespace nstf::emulator;

static_assert(sizeof(hipDeviceProp_t) == sizeR0000);

NSTF_HIP_API hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  return guarded("hipGetDeviceProperties", [&] {
    require(properties != nullptr, "properties is null");
    fill(Device::get(device), reinterpret_cast<char *>(properties), sizeR0000, r0000);
  });
}
NSTF_HIP_API hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *properties, int device) {
  return hipGetDeviceProperties(properties, device);
}
NSTF_HIP_API hipError_t hipGetDevicePropertiesR0600(void *properties, int device) {
  return guarded("hipGetDevicePropertiesR0600", [&] {
    require(properties != nullptr, "properties is null");
    fill(Device::get(device), static_cast<char *>(properties), sizeR0600, r0600);
  });
}

NSTF_HIP_API hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int ordinal) {
  return guarded("hipDeviceGetAttribute", [&] {
    require(value != nullptr, "value is null");
    Device &device = Device::get(ordinal);
    const char *name = nullptr;
    int64_t constant = -1;
    switch (int(attribute)) {
#define ATTRIBUTE(attribute, property)                                                                                 \
  case hipDeviceAttribute##attribute:                                                                                  \
    name = #property;                                                                                                  \
    break;
#define CONSTANT(attribute, number)                                                                                    \
  case hipDeviceAttribute##attribute:                                                                                  \
    constant = number;                                                                                                 \
    break;
#include "runtime/emulator/hip_api/DeviceAttributes.def"
#undef ATTRIBUTE
#undef CONSTANT
    case 10017: // hipDeviceAttributeWallClockRate (HIP 6), kHz
      constant = 100000;
      break;
    }
    if (!name && constant < 0)
      throw HipError(hipErrorInvalidValue, "no answer to attribute " + std::to_string(int(attribute)));
    if (name) {
      const auto values = integers(device);
      auto it = values.find(name);
      constant = it == values.end() ? 0 : it->second;
    }
    *value = int(std::min<int64_t>(constant, INT32_MAX));
  });
}

NSTF_HIP_API hipError_t hipGetDeviceCount(int *count) {
  return guarded("hipGetDeviceCount", [&] {
    require(count != nullptr, "count is null");
    *count = 0;
    Device::get();
    *count = 1;
  });
}
NSTF_HIP_API hipError_t hipInit(unsigned flags) {
  return guarded("hipInit", [&] {
    require(flags == 0, "flags must be 0");
    Device::get();
  });
}
NSTF_HIP_API hipError_t hipDriverGetVersion(int *version) {
  return guarded("hipDriverGetVersion", [&] {
    require(version != nullptr, "version is null");
    *version = hipMajorVersion() == 5 ? 50221153 : 60300000;
  });
}
NSTF_HIP_API hipError_t hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }
NSTF_HIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  return guarded("hipDeviceGet", [&] {
    require(device != nullptr, "device is null");
    Device::get(ordinal);
    *device = ordinal;
  });
}
NSTF_HIP_API hipError_t hipDeviceGetName(char *name, int length, hipDevice_t ordinal) {
  return guarded("hipDeviceGetName", [&] {
    require(name && length > 0, "name is null or has no room");
    std::string text = Device::get(ordinal).model.name;
    text.resize(std::min<size_t>(text.size(), length - 1));
    std::memcpy(name, text.c_str(), text.size() + 1);
  });
}
NSTF_HIP_API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t ordinal) {
  return guarded("hipDeviceComputeCapability", [&] {
    require(major && minor, "major or minor is null");
    *major = Device::get(ordinal).model.major;
    *minor = Device::get(ordinal).model.minor;
  });
}
NSTF_HIP_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t ordinal) {
  return guarded("hipDeviceTotalMem", [&] {
    require(bytes != nullptr, "bytes is null");
    *bytes = Device::get(ordinal).memory.limit();
  });
}
NSTF_HIP_API hipError_t hipDeviceGetPCIBusId(char *text, int length, int ordinal) {
  return guarded("hipDeviceGetPCIBusId", [&] {
    require(text && length >= 13, "the ID needs room for 13 characters");
    Device::get(ordinal);
    std::memcpy(text, "0000:01:00.0", 13);
  });
}
NSTF_HIP_API hipError_t hipDeviceGetByPCIBusId(int *device, const char *text) {
  return guarded("hipDeviceGetByPCIBusId", [&] {
    require(device && text, "device or ID is null");
    if (std::string(text) != "0000:01:00.0")
      throw HipError(hipErrorInvalidValue, "no device has PCI bus ID " + std::string(text));
    *device = 0;
  });
}
