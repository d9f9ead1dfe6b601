// What the host does for the kernels of one device: printf, the text of assert, and memory for malloc.
#pragma once

#include "runtime/emulator/instructions/HostInterrupts.h"
#include "runtime/emulator/services/DeviceHeap.h"
#include "runtime/emulator/services/Hostcall.h"
#include "runtime/emulator/services/PrintfBuffer.h"
#include "runtime/emulator/services/PrintfMessages.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace nstf::emulator {
struct DeviceModel;
struct Kernel;
} // namespace nstf::emulator

namespace nstf::emulator::services {

/// Where text of kernels goes. Several launches may write at once.
class TextOutput {
public:
  virtual ~TextOutput() = default;
  virtual void write(std::string_view text, bool isError) = 0;
  /// All text of a launch is written.
  virtual void flush() = 0;
  /// The program's stdout and stderr.
  static TextOutput &standard();
  /// For a launch that repeats another one.
  static TextOutput &none();
};

/// The buffers that one launch at a time uses.
struct LaunchBuffers {
  std::unique_ptr<HostcallBuffer> hostcall;
  std::unique_ptr<PrintfBuffer> printf;
};

class LaunchServices;

class HostServices {
public:
  /// `memory` must outlive the object.
  HostServices(Memory &memory, const DeviceModel &model, TextOutput &output = TextOutput::standard());

  /// Makes what the kernel's hidden arguments point to; null if it takes none. The kernel's program must outlive it.
  /// Throws std::runtime_error if device memory is used up.
  std::unique_ptr<LaunchServices> begin(const Kernel &kernel);

  DeviceHeap heap;
  /// Bytes of the records of buffered printf: as many as ROCm has.
  std::atomic<uint32_t> printfBytes = 4 * 1024 * 1024;

private:
  friend class LaunchServices;
  std::unique_ptr<LaunchBuffers> take();
  void giveBack(std::unique_ptr<LaunchBuffers> buffers);

  Memory &memory;
  const uint32_t waves;
  TextOutput &output;
  std::mutex mutex; ///< protects the pool
  std::vector<std::unique_ptr<LaunchBuffers>> pool;
};

/// The services of one launch.
class LaunchServices final : public HostInterrupts {
public:
  LaunchServices(HostServices &owner, const Kernel &kernel);
  /// Writes the text that is there, also after a fault.
  ~LaunchServices() override;

  /// Writes the hidden arguments into the argument block.
  void fillArguments(std::span<std::byte> block) const;
  /// Answers host calls. Any thread may call it. Throws ServiceError.
  void raise() override;
  /// All waves have ended: prints what they have buffered. Throws ServiceError.
  void finish();

private:
  void answer(Service service, Slot slot);
  void answerDeviceMemory(Slot slot);
  void say(const std::string &what);

  HostServices &owner;
  const Kernel &kernel;
  std::unique_ptr<LaunchBuffers> buffers;
  PrintfMessages messages;
  bool isFinished = false;
  uint64_t unsaid = 0; ///< reasons after the first
  bool hasSaid = false;
};

} // namespace nstf::emulator::services
