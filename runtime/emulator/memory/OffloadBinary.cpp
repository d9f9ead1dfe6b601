#include "runtime/emulator/memory/OffloadBinary.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {
constexpr unsigned char fileMagic[] = {0x10, 0xff, 0x10, 0xad};
constexpr uint64_t headerBytes = 32, entryBytes = 40, stringBytes = 16;
constexpr uint64_t maxStrings = 256; // real files have a handful

template <typename T> T field(std::span<const std::byte> bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
} // namespace

bool OffloadBinary::startsHere(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof fileMagic && std::memcmp(bytes.data(), fileMagic, sizeof fileMagic) == 0;
}

OffloadBinary OffloadBinary::parse(std::span<const std::byte> bytes, const std::string &place) {
  auto malformed = [&](const std::string &what) { throw LoadError(LoadError::Reason::Malformed, place + ": " + what); };
  auto need = [&](uint64_t offset, uint64_t size, const char *what) {
    if (offset > bytes.size() || size > bytes.size() - offset)
      malformed(std::string(what) + " of the offload binary reaches past its end (" + std::to_string(offset) + " + " +
                std::to_string(size) + " of " + std::to_string(bytes.size()) + " bytes; truncated?)");
  };
  need(0, headerBytes, "the header");
  OffloadBinary binary;
  if (const uint32_t version = field<uint32_t>(bytes, 4); version != 1)
    malformed("expected version 1 of offload binaries but got " + std::to_string(version));
  binary.size = field<uint64_t>(bytes, 8);
  if (binary.size < headerBytes)
    malformed("the header says " + std::to_string(binary.size) + " bytes in all");
  need(0, binary.size, "the whole");
  bytes = bytes.first(binary.size);
  const uint64_t entry = field<uint64_t>(bytes, 16);
  need(entry, entryBytes, "the entry");
  const uint64_t strings = field<uint64_t>(bytes, entry + 8), count = field<uint64_t>(bytes, entry + 16);
  if (count > maxStrings)
    malformed("expected at most " + std::to_string(maxStrings) + " strings in an offload binary but got " +
              std::to_string(count));
  need(strings, count * stringBytes, "the strings");
  auto text = [&](uint64_t at) {
    const uint64_t offset = field<uint64_t>(bytes, at);
    need(offset, 1, "a string");
    const auto *begin = reinterpret_cast<const char *>(bytes.data() + offset);
    return std::string(begin, strnlen(begin, std::min<uint64_t>(bytes.size() - offset, 256)));
  };
  for (uint64_t i = 0; i < count; ++i) {
    const std::string key = text(strings + i * stringBytes);
    if (key == "triple")
      binary.triple = text(strings + i * stringBytes + 8);
    else if (key == "arch")
      binary.arch = text(strings + i * stringBytes + 8);
  }
  binary.imageOffset = field<uint64_t>(bytes, entry + 24);
  binary.imageBytes = field<uint64_t>(bytes, entry + 32);
  need(binary.imageOffset, binary.imageBytes, "the image");
  return binary;
}

} // namespace nstf::emulator
