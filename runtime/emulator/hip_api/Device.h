// The single device of the process: chip, memory, and the handles that programs hold.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/hip_api/Errors.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/memory/TargetId.h"
#include "runtime/emulator/run/LaunchOptions.h"
#include "runtime/emulator/services/HostServices.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

namespace nstf::emulator {

namespace checks {
class Checker;
}
class DeviceTiming;

/// The live objects behind one kind of handle. A handle is dereferenced only if it is found here.
template <typename T> class Handles {
public:
  template <typename Handle> Handle add(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex);
    T *pointer = object.release();
    live.insert(pointer);
    return reinterpret_cast<Handle>(pointer);
  }
  /// The object, or HipError(`code`).
  template <typename Handle> T &get(Handle handle, hipError_t code = hipErrorInvalidHandle) {
    std::lock_guard lock(mutex);
    T *pointer = reinterpret_cast<T *>(handle);
    if (!live.count(pointer))
      throw HipError(code, "the handle is of no live object");
    return *pointer;
  }
  template <typename Handle> std::unique_ptr<T> remove(Handle handle, hipError_t code = hipErrorInvalidHandle) {
    T &object = get(handle, code);
    std::lock_guard lock(mutex);
    live.erase(&object);
    return std::unique_ptr<T>(&object);
  }
  template <typename Function> void forEach(Function &&function) {
    std::lock_guard lock(mutex);
    for (T *object : live)
      function(*object);
  }

private:
  std::mutex mutex;
  std::set<T *> live;
};

/// The fault of an earlier launch. As on the chip, nothing runs on the device after a fault until it is reset.
/// NSTF_EMU_AFTER_FAULT=continue: the device continues, with its memory as the launch left it.
class DeviceFault {
public:
  /// Whether faults persist, by NSTF_EMU_AFTER_FAULT. Throws std::runtime_error if the variable has an unknown value.
  static bool stays();
  void set(const HipError &error);
  void clear() { is = false; }
  /// Throws the fault, if there is one.
  void check() const {
    if (is)
      rethrow();
  }

private:
  [[noreturn]] void rethrow() const;

  std::atomic<bool> is = false;
  mutable std::mutex mutex; ///< protects all fields of this group
  hipError_t code = hipSuccess;
  std::string text;
};

class Device {
public:
  /// The device, made at the first call: NSTF_EMU_TARGET selects the chip ("gfx90a", "gfx942:xnack+"; gfx942 if unset).
  /// Throws HipError(hipErrorNoDevice) when it names no chip. The device is never destroyed: programs call HIP in their
  /// own destructors.
  static Device &get();
  /// Makes the device with this chip, whatever the environment says. Does nothing if the device exists already.
  static void make(const char *target);
  /// Null before the device is made.
  static Device *getIfMade();
  /// The same as get(), with a check of the device ordinal (0 is the only one).
  static Device &get(int ordinal);
  /// Selects the chip whose time is predicted, overriding NSTF_EMU_TIMING. Throws HipError if the device was made with
  /// another one.
  static void setTiming(const std::string &chip);

  const Target &target;
  const TargetId id; ///< with features set: "gfx942:sramecc+:xnack-"
  const DeviceModel model;
  Memory memory;
  services::HostServices services;
  std::atomic<uint32_t> dynamicStack = LaunchOptions().dynamicStack;
  /// The checks that NSTF_EMU_CHECK selects; null: none. `checking` is held while the checker watches a launch.
  const std::unique_ptr<checks::Checker> checker;
  std::mutex checking;
  /// The timing that NSTF_EMU_TIMING selects; null: streams have no predicted time.
  const std::unique_ptr<DeviceTiming> timing;
  DeviceFault fault;
  /// Held shared while a kernel or a copy runs, and exclusively while memory is freed.
  std::shared_mutex running;

private:
  /// The device; makes it if it does not exist. Null `target`: the environment's.
  static Device &getOrMake(const char *target);
  Device(const Target &target, TargetId id, DeviceModel model, std::unique_ptr<DeviceTiming> timing);
  ~Device();
};

/// 5 or 6: the HIP version whose enum values the program expects, from the soname by which it loaded this library
/// (.so.5 means 5).
int hipMajorVersion();

} // namespace nstf::emulator
