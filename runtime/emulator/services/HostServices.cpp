#include "runtime/emulator/services/HostServices.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "support/Escape.h"

#include <cstdio>
#include <cstring>
#include <optional>

namespace nstf::emulator::services {
namespace {

class StandardOutput : public TextOutput {
  void write(std::string_view text, bool isError) override {
    std::fwrite(text.data(), 1, text.size(), isError ? stderr : stdout);
  }
  void flush() override { std::fflush(stdout); }
};

class NoOutput : public TextOutput {
  void write(std::string_view, bool) override {}
  void flush() override {}
};

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

TextOutput &TextOutput::standard() {
  static auto *output = new StandardOutput; // programs launch kernels in their own destructors
  return *output;
}

TextOutput &TextOutput::none() {
  static NoOutput output;
  return output;
}

HostServices::HostServices(Memory &memory, const DeviceModel &model, TextOutput &output)
    : heap(memory), memory(memory), waves(model.computeUnits * model.simds * model.maxWavesPerSimd), output(output) {}

std::unique_ptr<LaunchServices> HostServices::begin(const Kernel &kernel) {
  return kernel.services.any() ? std::make_unique<LaunchServices>(*this, kernel) : nullptr;
}

std::unique_ptr<LaunchBuffers> HostServices::take() {
  std::lock_guard lock(mutex);
  if (pool.empty())
    return std::make_unique<LaunchBuffers>();
  std::unique_ptr<LaunchBuffers> buffers = std::move(pool.back());
  pool.pop_back();
  return buffers;
}

void HostServices::giveBack(std::unique_ptr<LaunchBuffers> buffers) {
  std::lock_guard lock(mutex);
  pool.push_back(std::move(buffers));
}

LaunchServices::LaunchServices(HostServices &owner, const Kernel &kernel)
    : owner(owner), kernel(kernel), buffers(owner.take()) {
  const ServiceArguments &wanted = kernel.services;
  if (wanted.hostcall || wanted.heap)
    owner.heap.prepare();
  if (wanted.hostcall && !buffers->hostcall)
    buffers->hostcall = std::make_unique<HostcallBuffer>(owner.memory, owner.waves);
  const uint32_t bytes = owner.printfBytes;
  if (wanted.printf && (!buffers->printf || buffers->printf->size() != bytes))
    buffers->printf = std::make_unique<PrintfBuffer>(owner.memory, bytes);
}

LaunchServices::~LaunchServices() {
  if (!isFinished) { // the launch has failed: writes what can be written
    try {
      finish();
    } catch (const std::exception &) {
      owner.output.flush();
    }
    if (buffers->hostcall)
      buffers->hostcall->reset();
  }
  owner.giveBack(std::move(buffers));
}

void LaunchServices::fillArguments(std::span<std::byte> block) const {
  auto put = [&](std::optional<uint32_t> offset, uint64_t address) {
    if (offset && *offset + sizeof address <= block.size())
      std::memcpy(block.data() + *offset, &address, sizeof address);
  };
  if (buffers->hostcall)
    put(kernel.services.hostcall, buffers->hostcall->address());
  if (buffers->printf)
    put(kernel.services.printf, buffers->printf->address());
  if (kernel.services.heap)
    put(kernel.services.heap, owner.heap.state());
}

void LaunchServices::raise() {
  if (buffers->hostcall)
    buffers->hostcall->serve([&](Service service, Slot slot) { answer(service, slot); });
}

void LaunchServices::answer(Service service, Slot slot) {
  switch (service) {
  case Service::Printf:
    return messages.add(
        slot, [&](const std::string &text, bool isError) { owner.output.write(text, isError); },
        [&](const std::string &why) { say("printf: " + why); });
  case Service::DeviceMemory:
    return answerDeviceMemory(slot);
  case Service::FunctionCall:
    throw ServiceError("hostcall: a call of a host function is not supported");
  case Service::Sanitizer:
    throw ServiceError("hostcall: AddressSanitizer's service is not supported");
  }
  throw ServiceError("hostcall: there is no service " + std::to_string(uint32_t(service)));
}

/// Words 0 and 1: the address of a block to be freed and 0, or 0 and the size of a block to be made. free(nullptr) is
/// both 0.
void LaunchServices::answerDeviceMemory(Slot slot) {
  if (const uint64_t address = slot[0]) {
    if (!owner.heap.free(address))
      say("free: no block of the heap begins at " + hex(address));
    slot[0] = 0;
    return;
  }
  slot[0] = slot[1] ? owner.heap.allocate(slot[1]) : 0;
}

void LaunchServices::say(const std::string &what) {
  if (hasSaid) {
    ++unsaid;
    return;
  }
  hasSaid = true;
  owner.output.write("error: kernel '" + support::escape(kernel.name) + "': " + what + "\n", true);
}

void LaunchServices::finish() {
  // A wave may have pushed a packet and ended without waiting for the answer.
  raise();
  static const PrintfFormats none;
  if (buffers->printf)
    buffers->printf->print(
        kernel.program ? kernel.program->printfFormats() : none,
        [&](const std::string &text, bool isError) { owner.output.write(text, isError); },
        [&](const std::string &why) { say("printf: " + why); });
  if (unsaid)
    owner.output.write(
        "error: kernel '" + support::escape(kernel.name) + "': " + std::to_string(unsaid) + " more like this\n", true);
  owner.output.flush();
  isFinished = true;
}

} // namespace nstf::emulator::services
