#include "runtime/emulator/memory/OffloadBundle.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {
// Longer than any ID; limits the name if the length is damaged.
constexpr uint64_t maxIdBytes = 4096;
// The least size of an entry.
constexpr uint64_t entryBytes = 24;

[[noreturn]] void malformed(const std::string &place, const std::string &what) {
  throw LoadError(LoadError::Reason::Malformed, place + ": " + what);
}

uint64_t word(std::span<const std::byte> bytes, uint64_t offset) {
  uint64_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
} // namespace

std::string_view OffloadBundle::Entry::target() const {
  const std::string_view text = id;
  const size_t triple = text.find("amdgcn");
  const size_t processor = triple == text.npos ? text.npos : text.find("gfx", triple);
  return processor == text.npos ? std::string_view() : text.substr(processor);
}

bool OffloadBundle::startsHere(std::span<const std::byte> bytes) {
  return bytes.size() >= fileMagic.size() && std::memcmp(bytes.data(), fileMagic.data(), fileMagic.size()) == 0;
}

OffloadBundle OffloadBundle::parse(std::span<const std::byte> bytes, const std::string &place) {
  uint64_t at = fileMagic.size() + 8;
  if (!startsHere(bytes) || bytes.size() < at)
    malformed(place, "expected an offload bundle of at least " + std::to_string(at) + " bytes but got " +
                         std::to_string(bytes.size()));
  OffloadBundle bundle;
  const uint64_t count = word(bytes, fileMagic.size());
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes.size() - at < entryBytes)
      malformed(place, "the offload bundle ends inside its table, at entry " + std::to_string(i) + " of " +
                           std::to_string(count));
    Entry entry;
    entry.offset = word(bytes, at);
    entry.size = word(bytes, at + 8);
    const uint64_t length = word(bytes, at + 16);
    at += entryBytes;
    if (length > bytes.size() - at || length > maxIdBytes)
      malformed(place, "the ID of entry " + std::to_string(i) + " has " + std::to_string(length) + " bytes");
    entry.id.assign(reinterpret_cast<const char *>(bytes.data() + at), length);
    at += length;
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset)
      malformed(place, "entry " + std::to_string(i) + " (" + entry.id +
                           ") of the offload bundle reaches past its end (" + std::to_string(entry.offset) + " + " +
                           std::to_string(entry.size) + " of " + std::to_string(bytes.size()) + " bytes; truncated?)");
    bundle.size = std::max(bundle.size, entry.offset + entry.size);
    bundle.entries.push_back(std::move(entry));
  }
  bundle.size = std::max(bundle.size, at);
  return bundle;
}

} // namespace nstf::emulator
