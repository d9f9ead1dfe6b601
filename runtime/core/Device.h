// State that Backend, Buffer, Stream and Module share: the library, the device's number and its properties.
#pragma once

#include "nstf/Runtime.h"
#include "runtime/core/HIPLibrary.h"

#include <memory>

namespace nstf::detail {

class Device {
public:
  /// Reads the properties of device `index`. Throws Error.
  Device(std::shared_ptr<HIPLibrary> library, DeviceKind kind, int index);

  const HIPLibrary &hip() const { return *hipLibrary; }
  DeviceKind kind() const { return deviceKind; }
  const DeviceProperties &properties() const { return deviceProperties; }
  /// Makes the device current for this host thread, which HIP requires before most calls.
  void activate() const;

private:
  std::shared_ptr<HIPLibrary> hipLibrary;
  DeviceKind deviceKind;
  int ordinal;
  DeviceProperties deviceProperties;
};

/// Submits one launch. Precondition: the device is current.
void submit(const Device &device, Stream &stream, const Launch &launch);

struct ModuleState {
  std::shared_ptr<Device> device;
  void *module = nullptr; // hipModule_t
  std::string name;
  std::vector<unsigned char> bytes; // must stay valid: hipModuleLoadData may read them as long as the module lives
  ~ModuleState();
};

} // namespace nstf::detail
