// clang's offload bundle: magic, u64 number of entries, entries {u64 offset, u64 size, u64 length of ID, ID}; offsets
// from the magic on (clang's "ClangOffloadBundler", "Bundled Binary File Layout"). The ID is kind-triple-targetID, as
// "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-".
#include "runtime/emulator/memory/CodeObject.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {
constexpr char kMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr char kCompressedMagic[] = "CCOB";

[[noreturn]] void malformed(const std::string &name, const std::string &what) {
  throw LoadError(LoadError::Reason::Malformed, name + ": " + what);
}

uint64_t word(const std::byte *data) {
  uint64_t value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

/// Where only a pointer is known, the ELF's own headers tell its size: the furthest byte any of them names.
size_t elfSize(const std::byte *data) {
  using namespace llvm::ELF;
  Elf64_Ehdr header;
  std::memcpy(&header, data, sizeof header);
  uint64_t end = std::max<uint64_t>(sizeof header, header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize);
  end = std::max<uint64_t>(end, header.e_phoff + uint64_t(header.e_phnum) * header.e_phentsize);
  for (unsigned i = 0; i < header.e_phnum && header.e_phentsize == sizeof(Elf64_Phdr); ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, data + header.e_phoff + i * sizeof segment, sizeof segment);
    end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

int features(const TargetId &id) {
  auto fixed = [](TargetId::Feature f) { return f == TargetId::Feature::On || f == TargetId::Feature::Off; };
  return fixed(id.sramecc) + fixed(id.xnack);
}
} // namespace

std::span<const std::byte> selectCodeObject(const TargetId &device, const void *pointer, size_t size,
                                            const std::string &name) {
  const auto *data = static_cast<const std::byte *>(pointer);
  if (!data || size < 4)
    malformed(name, "expected a code object but got " + std::to_string(data ? size : 0) + " bytes");
  if (std::memcmp(data, llvm::ELF::ElfMagic, 4) == 0)
    return {data, size == SIZE_MAX ? elfSize(data) : size};
  if (std::memcmp(data, kCompressedMagic, 4) == 0)
    malformed(name, "it is a compressed offload bundle, which is not supported: build it with --no-offload-compress");
  if (size < kMagicBytes + 8 || std::memcmp(data, kMagic, kMagicBytes) != 0)
    malformed(name, "expected an ELF or a clang offload bundle, and it is neither");

  uint64_t count = word(data + kMagicBytes), at = kMagicBytes + 8;
  std::span<const std::byte> best;
  int bestFeatures = -1;
  std::string offered;
  for (uint64_t i = 0; i < count; ++i) {
    if (size - at < 24)
      malformed(name, "the offload bundle ends inside its entry table");
    uint64_t offset = word(data + at), bytes = word(data + at + 8), length = word(data + at + 16);
    at += 24;
    if (length > size - at || length > 4096 || offset > size || bytes > size - offset)
      malformed(name, "entry " + std::to_string(i) + " of the offload bundle reaches past its end");
    std::string_view id(reinterpret_cast<const char *>(data + at), length);
    at += length;
    size_t processor = id.find("amdgcn") == std::string_view::npos ? std::string_view::npos : id.find("gfx");
    if (processor == std::string_view::npos) // the host's entry, SPIR-V
      continue;
    std::string_view targetText = id.substr(processor);
    offered += (offered.empty() ? "" : ", ") + std::string(targetText);
    TargetId target;
    try {
      target = TargetId::parse(targetText);
    } catch (const std::runtime_error &error) {
      malformed(name, "entry " + std::to_string(i) + " of the offload bundle: " + error.what());
    }
    if (target.runsOn(device) && features(target) > bestFeatures) {
      best = {data + offset, bytes};
      bestFeatures = features(target);
    }
  }
  if (bestFeatures < 0)
    throw LoadError(LoadError::Reason::WrongTarget, name + " holds code for " +
                                                        (offered.empty() ? "no amdgpu target" : offered) +
                                                        " but the device is " + device.str());
  return best;
}

} // namespace nstf::emulator
