// The one device of the process: chip, memory, and the handles that programs hold.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/hip_api/Errors.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/memory/TargetId.h"

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

/// The live objects behind one kind of handle: a handle is used only after it was found here.
template <typename T> class Handles {
public:
  template <typename Handle> Handle add(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex_);
    T *pointer = object.release();
    live_.insert(pointer);
    return reinterpret_cast<Handle>(pointer);
  }
  /// The object, or HipError(`code`).
  template <typename Handle> T &get(Handle handle, hipError_t code = hipErrorInvalidHandle) {
    std::lock_guard lock(mutex_);
    T *pointer = reinterpret_cast<T *>(handle);
    if (!live_.count(pointer))
      throw HipError(code, "the handle is of no live object");
    return *pointer;
  }
  template <typename Handle> std::unique_ptr<T> remove(Handle handle, hipError_t code = hipErrorInvalidHandle) {
    T &object = get(handle, code);
    std::lock_guard lock(mutex_);
    live_.erase(&object);
    return std::unique_ptr<T>(&object);
  }
  template <typename Function> void forEach(Function &&function) {
    std::lock_guard lock(mutex_);
    for (T *object : live_)
      function(*object);
  }

private:
  std::mutex mutex_;
  std::set<T *> live_;
};

/// The fault of an earlier launch: as on the chip, nothing runs on the device any more until it is reset.
/// NSTF_EMU_AFTER_FAULT=continue: the device goes on, its memory as the launch left it.
class DeviceFault {
public:
  /// Whether faults stay, by NSTF_EMU_AFTER_FAULT. Throws std::runtime_error for what isn't a value of it.
  static bool stays();
  void set(const HipError &error);
  void clear() { is = false; }
  /// Throws it, where there is one.
  void check() const {
    if (is)
      rethrow();
  }

private:
  [[noreturn]] void rethrow() const;

  std::atomic<bool> is = false;
  mutable std::mutex mutex; ///< of all in this paragraph
  hipError_t code = hipSuccess;
  std::string text;
};

class Device {
public:
  /// The device, made at the first call: NSTF_EMU_TARGET says which chip ("gfx90a", "gfx942:xnack+"; gfx942 if unset).
  /// Throws HipError(hipErrorNoDevice) when it names none. Never destroyed: programs call HIP in their own destructors.
  static Device &get();
  /// Makes the device that chip, whatever the environment says; nothing where there is a device already.
  static void make(const char *target);
  /// The same with the check of a device ordinal (0 is the only one).
  static Device &get(int ordinal);
  /// Which chip's time is to be predicted, whatever NSTF_EMU_TIMING says. Throws HipError where the device was made
  /// with another.
  static void setTiming(const std::string &chip);

  const Target &target;
  const TargetId id; ///< features set: "gfx942:sramecc+:xnack-"
  const DeviceModel model;
  Memory memory;
  /// What NSTF_EMU_CHECK asks for; null: nothing. `checking` is held while it watches a launch.
  const std::unique_ptr<checks::Checker> checker;
  std::mutex checking;
  /// What NSTF_EMU_TIMING asks for; null: streams have no time of their own.
  const std::unique_ptr<DeviceTiming> timing;
  DeviceFault fault;
  /// Held shared while a kernel or a copy runs, exclusively while memory is given back.
  std::shared_mutex running;

private:
  /// The device; makes it if there is none. `target` null: the environment's.
  static Device &getOrMake(const char *target);
  Device(const Target &target, TargetId id, DeviceModel model, std::unique_ptr<DeviceTiming> timing);
  ~Device();
};

/// 5 or 6: which HIP's enum values the program expects, by the soname it found this library under (.so.5 means 5).
int hipMajorVersion();

} // namespace nstf::emulator
