// Fuzzes the services of the host: packets of host calls, records of buffered printf, formats with their arguments, and
// the buffers themselves as a kernel may leave them.
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/services/Format.h"
#include "runtime/emulator/services/HostServices.h"
#include "test/runtime/emulator/services/Packets.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

using namespace nstf::emulator;
using namespace nstf::emulator::services;

namespace {

struct Input {
  const uint8_t *data;
  size_t size;

  uint8_t byte() { return uint8_t(take(1)); }
  uint64_t word() { return take(8); }
  uint64_t take(size_t bytes) {
    uint64_t value = 0;
    const size_t some = std::min(bytes, size);
    std::memcpy(&value, data, some);
    data += some, size -= some;
    return value;
  }
};

/// Throws the text away.
struct Nowhere : TextOutput {
  void write(std::string_view, bool) override {}
  void flush() override {}
};

struct Fixture {
  Memory memory{size_t(64) << 20};
  Nowhere output;
  DeviceModel model;
  std::unique_ptr<HostServices> services;
  Kernel kernel;

  Fixture() {
    model.computeUnits = model.simds = 1;
    model.maxWavesPerSimd = 4;
    services = std::make_unique<HostServices>(memory, model, output);
    services->printfBytes = 256;
    kernel.name = "k";
    kernel.services = {.hostcall = 0, .heap = 8, .printf = 16};
  }
};

/// A message of an error is one line.
void check(const std::exception &error) {
  if (std::string_view(error.what()).find('\n') != std::string_view::npos)
    std::abort();
}

void callHost(Input &in, LaunchServices &launch, uint64_t buffer, bool damage) {
  test::Packets calls(buffer);
  uint64_t descriptor = 0;
  while (in.size) {
    const uint64_t packet = calls.pop();
    const uint8_t service = in.byte(), lanes = in.byte();
    calls.fill(packet, Service(service & 0x80 ? service & 7 : uint32_t(Service::Printf)), lanes);
    for (uint64_t left = lanes; left; left &= left - 1) {
      uint64_t *slot = calls.slot(packet, unsigned(std::countr_zero(left)));
      const uint8_t kind = in.byte();
      // Any word, or a piece of a message that begins or goes on.
      slot[0] =
          kind & 1 ? in.word() : (kind & 2 ? 1 : descriptor & ~uint64_t(0xe3)) | (kind & 4 ? 2 : 0) | (kind & 0xe0);
      for (size_t i = 1; i < slotWords; ++i)
        slot[i] = in.word();
    }
    calls.push(packet);
    if (damage && in.byte() & 1)
      calls.setNext(packet, in.word());
    if (damage && in.byte() & 1)
      calls.setReadyStack(in.word());
    launch.raise();
    if (lanes)
      descriptor = calls.slot(packet, unsigned(std::countr_zero(lanes)))[0];
    calls.giveBack(packet);
  }
}

void format(Input &in) {
  std::vector<uint64_t> words;
  while (in.size)
    words.push_back(in.word());
  formatPrintf(words);
}

/// The head's first word, and records.
void writeRecords(Input &in, uint64_t buffer) {
  auto *bytes = reinterpret_cast<uint8_t *>(buffer);
  const uint32_t used = in.byte() & 1 ? uint32_t(in.take(4)) : uint32_t(std::min<size_t>(in.size, 256));
  std::memcpy(bytes, &used, 4);
  std::memcpy(bytes + 8, in.data, std::min<size_t>(in.size, 256));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static auto *fixture = new Fixture;
  Input in{data, size};
  const uint8_t mode = in.byte();
  const uint64_t before = fixture->memory.allocatedBytes();
  try {
    const std::unique_ptr<LaunchServices> launch = fixture->services->begin(fixture->kernel);
    uint64_t pointers[3];
    launch->fillArguments(std::as_writable_bytes(std::span(pointers)));
    if (mode % 4 == 0)
      format(in);
    else if (mode % 4 == 1)
      writeRecords(in, pointers[2]);
    else
      callHost(in, *launch, pointers[0], mode % 4 == 3);
    launch->finish();
  } catch (const PrintfError &error) {
    check(error);
  } catch (const ServiceError &error) {
    check(error);
  }
  if (fixture->memory.allocatedBytes() > before) { // blocks that the input took and kept
    delete fixture;
    fixture = new Fixture;
  }
  return 0;
}
