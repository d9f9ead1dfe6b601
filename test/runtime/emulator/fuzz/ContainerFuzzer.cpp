// Fuzzes containers: opens any bytes as a user's file (bundle, compressed bundle, host library with a section of
// bundles), reads every part, lists every code object and selects one for each chip.
//
// A mutation of a compressed bundle changes the bundle inside and compresses it again, so that its hash is right.
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/CodeObjectContainer.h"
#include "runtime/emulator/memory/CodeObjectFile.h"

#include "llvm/Support/Compression.h"
#include "llvm/Support/MD5.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace nstf::emulator;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

void list(const CodeObjectContainer &container, bool checkHash) {
  for (size_t part = 0; part < container.parts().size() && part < 16; ++part)
    try {
      for (const ContainedCodeObject &object : container.read(part, checkHash)) {
        volatile std::byte last = object.code.bytes.empty() ? std::byte() : object.code.bytes.back();
        (void)last;
        try {
          readKernels(object.code.bytes, object.where);
        } catch (const LoadError &) {
        }
      }
    } catch (const LoadError &error) {
      if (std::strchr(error.what(), '\n'))
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    const CodeObjectContainer container = CodeObjectContainer::view(data, size, "input");
    list(container, true);
    list(container, false);
    for (const char *device : {"gfx90a:sramecc+:xnack-", "gfx942:sramecc+:xnack-"})
      for (const char *kernel : {"", "fuzz"})
        try {
          container.select(TargetId::parse(device), kernel);
        } catch (const LoadError &) {
        }
  } catch (const LoadError &) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % 3 == 0 || size < 32 || std::memcmp(data, "CCOB", 4) != 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  try {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte *>(data), size);
    const CompressedBundle old = CompressedBundle::parse(bytes, false, "");
    const SharedBytes unpacked = old.unpack(bytes, "", false);
    if (unpacked.bytes.size() > 65536)
      return LLVMFuzzerMutate(data, size, maxSize);
    std::vector<uint8_t> bundle(unpacked.bytes.size() + 256);
    std::memcpy(bundle.data(), unpacked.bytes.data(), unpacked.bytes.size());
    bundle.resize(LLVMFuzzerMutate(bundle.data(), unpacked.bytes.size(), bundle.size()));
    const unsigned version = 1 + seed / 3 % 3;
    const bool zstd = seed / 9 % 2;
    llvm::SmallVector<uint8_t, 0> packed;
    if (zstd)
      llvm::compression::zstd::compress(bundle, packed, 1, false);
    else
      llvm::compression::zlib::compress(bundle, packed, 1);
    std::vector<uint8_t> out = {'C', 'C', 'O', 'B', uint8_t(version), 0, uint8_t(zstd), 0};
    auto put = [&](uint64_t value, size_t bytes) {
      for (size_t i = 0; i < bytes; ++i)
        out.push_back(uint8_t(value >> 8 * i));
    };
    const size_t word = version == 3 ? 8 : 4;
    if (version > 1)
      put(packed.size() + 16 + 2 * word, word);
    put(bundle.size(), word);
    put(llvm::MD5Hash(llvm::StringRef(reinterpret_cast<const char *>(bundle.data()), bundle.size())), 8);
    out.insert(out.end(), packed.begin(), packed.end());
    if (out.size() > maxSize)
      return LLVMFuzzerMutate(data, size, maxSize);
    std::copy(out.begin(), out.end(), data);
    return out.size();
  } catch (const LoadError &) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
}
