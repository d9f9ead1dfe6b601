// A bounds-checked view of an ELF64 little-endian file: headers, segments, sections, symbols. It is either an amdgpu
// code object, which must be complete, or a host's program or library that contains some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/BinaryFormat/ELF.h"

namespace nstf::emulator {

/// The constructor and members throw LoadError(Malformed); the ranges that they return lie inside the file.
class ElfFile {
public:
  enum class Kind { CodeObject, Host };
  ElfFile(std::span<const std::byte> bytes, std::string name, Kind kind = Kind::CodeObject);
  /// Whether `bytes` start with an ELF header, and whether with one of amdgpu.
  static bool startsHere(std::span<const std::byte> bytes);
  static bool isAmdgpu(std::span<const std::byte> bytes);

  const llvm::ELF::Elf64_Ehdr &header() const { return elfHeader; }
  const std::vector<llvm::ELF::Elf64_Phdr> &segments() const { return programHeaders; }
  const std::vector<llvm::ELF::Elf64_Shdr> &sections() const { return sectionHeaders; }
  /// The bytes [offset, offset + size) of the file; `what` names them in the error.
  std::span<const std::byte> bytes(uint64_t offset, uint64_t size, const char *what) const;
  /// The entries of a section as structs. Throws if entsize or size do not fit T.
  template <typename T> std::vector<T> table(const llvm::ELF::Elf64_Shdr &section, const char *what) const {
    if (section.sh_entsize != sizeof(T) || section.sh_size % sizeof(T))
      malformed(std::string(what) + " has entries of an unexpected size");
    std::vector<T> entries(section.sh_size / sizeof(T));
    std::span<const std::byte> data = bytes(section.sh_offset, section.sh_size, what);
    if (!entries.empty())
      std::memcpy(entries.data(), data.data(), data.size());
    return entries;
  }
  /// The string at `offset` of string table section `index`.
  std::string_view string(uint32_t index, uint64_t offset) const;
  /// A section's name; "" if it has none or it cannot be read.
  std::string_view sectionName(const llvm::ELF::Elf64_Shdr &section) const;
  [[noreturn]] void malformed(const std::string &what) const;

private:
  void checkCodeObject() const;

  std::span<const std::byte> contents;
  std::string label;
  Kind kind;
  uint32_t namesSection = 0;
  llvm::ELF::Elf64_Ehdr elfHeader{};
  std::vector<llvm::ELF::Elf64_Phdr> programHeaders;
  std::vector<llvm::ELF::Elf64_Shdr> sectionHeaders;
};

} // namespace nstf::emulator
