#include "runtime/emulator/memory/CompressedBundle.h"
#include "runtime/emulator/memory/CodeObject.h"

#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MD5.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {

[[noreturn]] void malformed(const std::string &place, const std::string &what) {
  throw LoadError(LoadError::Reason::Malformed, place + ": " + what);
}

template <typename T> T field(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The largest possible compression ratios: zlib 1032 (RFC 1951), zstd a block of 128 KiB from 4 bytes (RFC 8878). A
// header that claims more is damaged.
constexpr uint64_t maxRatioOfZlib = 1032, maxRatioOfZstd = 128 * 1024 / 4;

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(value));
  return text;
}

/// Version 1 does not store the end of its data: a zstd frame is followed block by block (RFC 8878, 3.1.1).
uint64_t zstdFrameBytes(std::span<const std::byte> bytes, const std::string &place) {
  auto need = [&](uint64_t end) {
    if (end > bytes.size())
      malformed(place, "the zstd frame reaches past the end of the file (truncated?)");
  };
  need(5);
  if (field<uint32_t>(bytes, 0) != 0xfd2fb528)
    malformed(place, "expected a zstd frame");
  const unsigned descriptor = unsigned(bytes[4]);
  const bool single = descriptor & 0x20, checksum = descriptor & 4;
  static constexpr unsigned dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
  const unsigned contentBytes = descriptor >> 6 ? content[descriptor >> 6] : single;
  uint64_t at = 5 + !single + dictionary[descriptor & 3] + contentBytes;
  for (bool last = false; !last;) {
    need(at + 3);
    const uint32_t block = unsigned(bytes[at]) | unsigned(bytes[at + 1]) << 8 | unsigned(bytes[at + 2]) << 16;
    last = block & 1;
    const unsigned type = block >> 1 & 3;
    if (type == 3)
      malformed(place, "a block of the zstd frame has no known type");
    at += 3 + (type == 1 ? 1 : block >> 3); // 1: one byte, repeated
  }
  at += checksum ? 4 : 0;
  need(at);
  return at;
}

} // namespace

bool CompressedBundle::startsHere(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), fileMagic, 4) == 0;
}

CompressedBundle CompressedBundle::parse(std::span<const std::byte> bytes, bool endless, const std::string &place) {
  auto need = [&](uint64_t size) {
    if (size > bytes.size())
      malformed(place, "the compressed bundle ends inside its header (" + std::to_string(bytes.size()) + " of " +
                           std::to_string(size) + " bytes)");
  };
  need(8);
  CompressedBundle bundle;
  bundle.version = field<uint16_t>(bytes, 4);
  const unsigned method = field<uint16_t>(bytes, 6);
  if (bundle.version < 1 || bundle.version > 3)
    malformed(place, "expected version 1, 2 or 3 of compressed bundles but got " + std::to_string(bundle.version));
  if (method > 1)
    malformed(place, "expected compression method 0 (zlib) or 1 (zstd) but got " + std::to_string(method));
  bundle.zstd = method == 1;
  static constexpr unsigned headers[] = {20, 24, 32};
  bundle.headerBytes = headers[bundle.version - 1];
  need(bundle.headerBytes);
  switch (bundle.version) {
  case 1:
    bundle.unpackedBytes = field<uint32_t>(bytes, 8);
    break;
  case 2:
    bundle.totalBytes = field<uint32_t>(bytes, 8);
    bundle.unpackedBytes = field<uint32_t>(bytes, 12);
    break;
  case 3:
    bundle.totalBytes = field<uint64_t>(bytes, 8);
    bundle.unpackedBytes = field<uint64_t>(bytes, 16);
    break;
  }
  bundle.hash = field<uint64_t>(bytes, bundle.headerBytes - 8);
  if (bundle.version == 1) {
    const std::span<const std::byte> data = bytes.subspan(bundle.headerBytes);
    // A zlib stream also marks its end, but only decompression finds it: an upper bound of its size is used.
    const uint64_t maxBytes = bundle.unpackedBytes + bundle.unpackedBytes / 1000 + 64;
    bundle.totalIsBound = !bundle.zstd;
    bundle.totalBytes = bundle.headerBytes + (bundle.zstd ? zstdFrameBytes(data, place)
                                              : endless   ? maxBytes
                                                          : std::min<uint64_t>(maxBytes, data.size()));
  }
  if (bundle.totalBytes < bundle.headerBytes || bundle.totalBytes > bytes.size())
    malformed(place,
              "the header says " + std::to_string(bundle.totalBytes) + " bytes in all but " +
                  (bundle.totalBytes < bundle.headerBytes ? "the header alone has " + std::to_string(bundle.headerBytes)
                                                          : std::to_string(bytes.size()) + " are there"));
  const uint64_t packed = bundle.totalBytes - bundle.headerBytes;
  if (bundle.unpackedBytes / (bundle.zstd ? maxRatioOfZstd : maxRatioOfZlib) > packed)
    malformed(place, "the header says " + std::to_string(bundle.unpackedBytes) + " decompressed bytes, more than " +
                         std::to_string(packed) + " compressed ones can hold");
  return bundle;
}

SharedBytes CompressedBundle::unpack(std::span<const std::byte> bytes, const std::string &place, bool checkHash) const {
  const llvm::ArrayRef<uint8_t> packed(reinterpret_cast<const uint8_t *>(bytes.data()) + headerBytes,
                                       totalBytes - headerBytes);
  std::byte *data;
  SharedBytes result = mapPages(unpackedBytes, data);
  size_t size = unpackedBytes;
  auto *output = reinterpret_cast<uint8_t *>(data);
  if (llvm::Error error = zstd ? llvm::compression::zstd::decompress(packed, output, size)
                               : llvm::compression::zlib::decompress(packed, output, size))
    malformed(place, "the " + str() + " bundle can't be decompressed: " + llvm::toString(std::move(error)));
  if (size != unpackedBytes)
    malformed(place,
              "expected " + std::to_string(unpackedBytes) + " decompressed bytes but got " + std::to_string(size));
  if (checkHash) {
    const uint64_t computed = llvm::MD5Hash(llvm::StringRef(reinterpret_cast<const char *>(output), size));
    if (computed != hash)
      malformed(place, "expected a bundle of hash " + hex(hash) + " but the decompressed one has " + hex(computed) +
                           " (damaged?)");
  }
  return result;
}

std::string CompressedBundle::str() const {
  return "CCOB version " + std::to_string(version) + ", " + (zstd ? "zstd" : "zlib");
}

} // namespace nstf::emulator
