#include "runtime/emulator/services/PrintfBuffer.h"
#include "runtime/emulator/services/Format.h"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace nstf::emulator::services {
namespace {

constexpr uint32_t toStderr = 1, isHashed = 2;
constexpr unsigned sizeAt = 2;
constexpr size_t descriptorBytes = 4, hashBytes = 8, headBytes = 8;

std::vector<uint64_t> getWords(std::span<const std::byte> bytes) {
  std::vector<uint64_t> words(bytes.size() / 8);
  if (!words.empty())
    std::memcpy(words.data(), bytes.data(), words.size() * 8);
  return words;
}

std::string getText(std::span<const std::byte> body, bool hashed, const PrintfFormats &formats) {
  if (!hashed)
    return formatPrintf(getWords(body));
  uint64_t hash;
  std::memcpy(&hash, body.data(), sizeof hash);
  const auto format = formats.find(hash);
  if (format == formats.end())
    throw PrintfError("the code object has no format of the hash " + std::to_string(hash));
  return formatPrintf(format->second, getWords(body.subspan(hashBytes)));
}

} // namespace

void printRecords(std::span<const std::byte> records, const PrintfFormats &formats, const Print &print,
                  const Refuse &refuse) {
  for (size_t at = 0; at < records.size();) {
    auto fail = [&](const std::string &why) {
      throw ServiceError("printf buffer: " + why + " at byte " + std::to_string(at) + " of " +
                         std::to_string(records.size()));
    };
    uint32_t descriptor = 0;
    if (records.size() - at < descriptorBytes)
      fail("a record is cut off");
    std::memcpy(&descriptor, records.data() + at, descriptorBytes);
    const uint32_t size = descriptor >> sizeAt;
    const bool hashed = descriptor & isHashed;
    if (size < descriptorBytes + (hashed ? hashBytes : 0))
      fail("a record of " + std::to_string(size) + " bytes is too short");
    if (size > records.size() - at)
      fail("a record of " + std::to_string(size) + " bytes goes past the end");
    try {
      print(getText(records.subspan(at + descriptorBytes, size - descriptorBytes), hashed, formats),
            descriptor & toStderr);
    } catch (const PrintfError &error) {
      refuse(error.what());
    }
    at += size;
  }
}

PrintfBuffer::PrintfBuffer(Memory &memory, uint32_t bytes) : memory(memory), bytes(bytes) {
  void *pointer = memory.allocate(headBytes + bytes, RegionKind::Host);
  if (!pointer)
    throw std::runtime_error("no room for " + std::to_string(bytes) + " bytes of a buffer for printf");
  begin = reinterpret_cast<uint64_t>(pointer);
  reset();
}

PrintfBuffer::~PrintfBuffer() { memory.free(reinterpret_cast<void *>(begin)); }

void PrintfBuffer::reset() {
  // A kernel compares the size with where its record would end, the head's bytes included.
  const uint32_t head[2] = {0, uint32_t(headBytes) + bytes};
  std::memcpy(reinterpret_cast<void *>(begin), head, sizeof head);
}

void PrintfBuffer::print(const PrintfFormats &formats, const Print &print, const Refuse &refuse) {
  uint32_t used;
  std::memcpy(&used, reinterpret_cast<void *>(begin), sizeof used);
  if (!used)
    return;
  const auto *records = reinterpret_cast<const std::byte *>(begin + headBytes);
  reset();
  if (used > bytes)
    throw ServiceError("printf buffer: expected at most " + std::to_string(bytes) + " bytes in use but got " +
                       std::to_string(used));
  printRecords({records, used}, formats, print, refuse);
}

} // namespace nstf::emulator::services
