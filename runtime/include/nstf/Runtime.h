// The NSTF runtime: a device, its memory, its code objects, and launches that are captured once and replayed.
//
//   nstf::Backend backend = nstf::Backend::open(nstf::DeviceKind::Auto, "gfx942");
//   nstf::Module module = nstf::Module::fromFile(backend, "kernels.gfx942.hsaco");
//   nstf::Buffer x(backend, 4096);
//   x.upload(values, 4096);
//   nstf::Launch launch{module.kernel("silu"), {16, 1, 1}, {256, 1, 1}};
//   launch.addPointer(x);
//   nstf::Stream stream(backend);
//   nstf::HIPGraphRunner runner(backend, {launch});
//   runner.run(stream);
//   stream.synchronize();
//   x.download(values, 4096);
//
// Any library that exports HIP's C functions serves as the device: libamdhip64 with a GPU, found at run time, or NSTF's
// emulator. This header depends on neither: no HIP, no MLIR, C++17.
//
// All classes here are move-only; a moved-from object may only be destroyed or assigned to. Each object keeps its
// library and device alive. Failures throw nstf::Error, with a cause and a remedy. Sizes and offsets are in bytes. One
// object must not be used from two threads at once; different objects may.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf {

namespace detail {
class Device; // runtime/core/Device.h
struct ModuleState;
} // namespace detail

/// A runtime failure: its cause, and what the user can do about it. what() holds both.
class Error : public std::runtime_error {
public:
  explicit Error(std::string cause, std::string fix = "");
  const std::string &cause() const { return causeText; }
  /// May be empty.
  const std::string &fix() const { return fixText; }

private:
  std::string causeText, fixText;
};

enum class DeviceKind {
  Auto,     ///< a GPU if one responds, else the emulator
  HIP,      ///< a GPU through libamdhip64
  Emulator, ///< gfx90a / gfx942 on the CPU
};

/// "auto", "hip" or "emulator"; anything else throws Error.
DeviceKind parseDeviceKind(std::string_view text);
/// The word that parseDeviceKind reads.
const char *toString(DeviceKind kind);

/// Whether code for target ID `code` ("gfx942", "gfx90a:xnack-") runs on a device whose target ID is `device`
/// ("gfx942:sramecc+:xnack-"): the processor is the same, and so is the setting of each feature that `code` fixes.
bool targetRunsOn(std::string_view code, std::string_view device);

/// Properties that a device reports.
struct DeviceProperties {
  std::string name;     ///< "AMD Instinct MI300X", or the emulator's name for it
  std::string targetId; ///< gcnArchName, "gfx942:sramecc+:xnack-"
  uint64_t memory = 0;  ///< bytes of device memory
  uint64_t ldsPerWorkgroup = 0;
  uint32_t computeUnits = 0;
  uint32_t waveSize = 0;
  uint32_t maxThreadsPerWorkgroup = 0;
};

/// The current time of a device that predicts a chip's time.
struct PredictedTime {
  std::string chip;       ///< "mi300x"
  double nanoseconds = 0; ///< since the device's first call
};

/// A device and the library that drives it. Copies share one device.
class Backend {
public:
  /// Opens device number `index`.
  ///
  /// `target`: the chip that the emulator emulates ("gfx942"); empty: NSTF_EMU_TARGET, else gfx942. It does not select
  /// a GPU: check a GPU with requireTarget. A process has one emulator; opening a second chip throws.
  ///
  /// `timing`: the chip whose time the emulator predicts ("mi300x", or a file of constants); empty: NSTF_EMU_TIMING,
  /// else none. If `target` is empty, the emulator then emulates this chip's target.
  ///
  /// Errors: libamdhip64 is missing, or no GPU responds (the message says which); the emulator's library is missing
  /// (searched: NSTF_EMULATOR_LIBRARY; build and install folders beside the executable and this library).
  static Backend open(DeviceKind kind, std::string_view target = "", int index = 0, std::string_view timing = "");

  /// HIP or Emulator, never Auto.
  DeviceKind kind() const;
  const DeviceProperties &properties() const;
  /// properties().targetId.
  const std::string &targetId() const;
  /// Path of the library's file, for messages.
  const std::string &libraryPath() const;
  /// The first of `codeTargets` (a package's targets) that runs on this device. If there is none, throws Error with the
  /// device's target ID and all of `codeTargets`. `what` names their owner in the message ("package model.nstf").
  std::string requireTarget(const std::vector<std::string> &codeTargets, std::string_view what) const;
  /// Waits until everything submitted to the device has run.
  void synchronize() const;
  /// The device's time when everything submitted has run; absent if the device predicts no time.
  std::optional<PredictedTime> predictedTime() const;

  const std::shared_ptr<detail::Device> &device() const { return sharedDevice; }

private:
  explicit Backend(std::shared_ptr<detail::Device> device) : sharedDevice(std::move(device)) {}
  std::shared_ptr<detail::Device> sharedDevice;
};

class Stream;

/// Device memory. Copies to and from the host are checked against its size.
class Buffer {
public:
  Buffer() = default;
  /// Allocates `bytes` (0 is allowed: no memory); contents are undefined. Throws Error when the device has less memory
  /// free.
  Buffer(const Backend &backend, size_t bytes);
  ~Buffer();
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;

  size_t size() const { return capacity; }
  /// Device address; 0 for an empty buffer.
  uint64_t address() const { return begin; }

  /// These copy and return when done. They do not wait for work on a Stream: synchronize it first, or use the overloads
  /// with a stream.
  void upload(const void *source, size_t bytes, size_t offset = 0);
  void download(void *destination, size_t bytes, size_t offset = 0) const;
  void fill(uint8_t value);
  void fill(uint8_t value, size_t bytes, size_t offset);
  /// In stream order; the host memory must not change until the stream is synchronized.
  void upload(Stream &stream, const void *source, size_t bytes, size_t offset = 0);
  void download(Stream &stream, void *destination, size_t bytes, size_t offset = 0) const;
  void fill(Stream &stream, uint8_t value, size_t bytes, size_t offset = 0);
  /// Copies from another buffer of the same device, in stream order.
  void copyFrom(Stream &stream, const Buffer &source, size_t bytes, size_t sourceOffset = 0, size_t offset = 0);

private:
  void check(size_t bytes, size_t offset, const char *what) const;
  void release() noexcept;
  std::shared_ptr<detail::Device> device;
  uint64_t begin = 0;
  size_t capacity = 0;
};

/// A queue of the device: work that is submitted runs in order, asynchronously.
class Stream {
public:
  explicit Stream(const Backend &backend);
  ~Stream();
  Stream(Stream &&other) noexcept;
  Stream &operator=(Stream &&other) noexcept;

  /// Waits until everything submitted has run. Throws kernels' faults, unless they were thrown earlier (the emulator
  /// throws a fault at the launch, with the instruction and the address).
  void synchronize();
  void *handle() const { return hipStream; } ///< hipStream_t

private:
  void release() noexcept;
  std::shared_ptr<detail::Device> device;
  void *hipStream = nullptr;
};

/// A kernel of a module; keeps the module loaded. Copyable.
class Kernel {
public:
  Kernel() = default;
  const std::string &name() const { return symbol; }
  explicit operator bool() const { return hipFunction != nullptr; }
  void *handle() const { return hipFunction; } ///< hipFunction_t
  /// As the driver reports them; 0 where it reports none.
  uint32_t maxThreadsPerWorkgroup() const { return maxThreads; }
  uint32_t ldsBytes() const { return lds; }
  uint32_t scratchBytes() const { return scratch; } ///< a lane
  uint32_t registers() const { return registerCount; }

private:
  friend class Module;
  std::shared_ptr<detail::ModuleState> module;
  std::string symbol;
  void *hipFunction = nullptr;
  uint32_t maxThreads = 0, lds = 0, scratch = 0, registerCount = 0;
};

/// A code object (or clang offload bundle) loaded on the device.
class Module {
public:
  /// `name` is used in messages. Throws Error when the bytes are not a code object, or are one for another chip.
  Module(const Backend &backend, const void *bytes, size_t size, std::string name);
  static Module fromFile(const Backend &backend, const std::string &path);
  Module(Module &&) noexcept = default;
  Module &operator=(Module &&) noexcept = default;

  /// Throws Error when the module has no kernel of this name.
  Kernel kernel(const std::string &symbol) const;

private:
  std::shared_ptr<detail::ModuleState> state;
};

/// One launch with everything resolved. Its buffers must outlive every run of it.
struct Launch {
  Kernel kernel;
  std::array<uint32_t, 3> grid = {1, 1, 1};  ///< workgroups
  std::array<uint32_t, 3> block = {1, 1, 1}; ///< work-items of a workgroup
  uint32_t dynamicLds = 0;                   ///< bytes in addition to the kernel's static LDS
  std::vector<uint8_t> arguments = {};       ///< the explicit kernel arguments, laid out as in the manifest

  /// Appends the 8-byte device address of `buffer` + `offset`, 8-byte aligned. Throws Error when the offset is outside
  /// the buffer.
  Launch &addPointer(const Buffer &buffer, size_t offset = 0);
  /// Appends any trivially copyable value at its natural alignment.
  template <typename T> Launch &addValue(const T &value) { return addBytes(&value, sizeof(T), alignof(T)); }
  Launch &addBytes(const void *bytes, size_t size, size_t alignment);
};

/// Submits one launch; returns at once on a GPU.
void launch(const Backend &backend, Stream &stream, const Launch &launch);

/// The launches of one bucket of a package, in order: captured into a HIP graph at the first run and replayed in later
/// ones. The contents of buffers may change between runs, their addresses may not; kernels read values that differ
/// between runs from the control block. If the driver has no capture, each run submits the launches one by one.
class HIPGraphRunner {
public:
  HIPGraphRunner(const Backend &backend, std::vector<Launch> launches);
  ~HIPGraphRunner();
  HIPGraphRunner(HIPGraphRunner &&other) noexcept;
  HIPGraphRunner &operator=(HIPGraphRunner &&other) noexcept;

  /// Submits all launches once, in stream order.
  void run(Stream &stream);
  /// Whether runs replay a captured graph (known after the first run).
  bool captured() const { return graphExec != nullptr; }
  /// Why no graph was captured; "" when captured or not yet run.
  const std::string &fallbackReason() const { return reason; }
  const std::vector<Launch> &launches() const { return sequence; }

private:
  void capture(Stream &stream);
  void submit(Stream &stream) const;
  void release() noexcept;
  std::shared_ptr<detail::Device> device;
  std::vector<Launch> sequence;
  void *graphExec = nullptr; // hipGraphExec_t
  bool tried = false;
  std::string reason;
};

} // namespace nstf
