// A bounds-checked view of an ELF64 little-endian amdgpu file: headers, segments, sections, symbols.
#ifndef NSTF_RUNTIME_EMULATOR_MEMORY_ELFFILE_H
#define NSTF_RUNTIME_EMULATOR_MEMORY_ELFFILE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/BinaryFormat/ELF.h"

namespace nstf::emulator {

/// Throws LoadError(Malformed) from its constructor and members; what they return lies inside the file.
class ElfFile {
public:
  ElfFile(std::span<const std::byte> bytes, std::string name);

  const llvm::ELF::Elf64_Ehdr &header() const { return header_; }
  const std::vector<llvm::ELF::Elf64_Phdr> &segments() const { return segments_; }
  const std::vector<llvm::ELF::Elf64_Shdr> &sections() const { return sections_; }
  /// The bytes [offset, offset + size) of the file; `what` names them in the error.
  std::span<const std::byte> bytes(uint64_t offset, uint64_t size, const char *what) const;
  /// The entries of a section as structs; entsize and size must fit T.
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
  [[noreturn]] void malformed(const std::string &what) const;

private:
  std::span<const std::byte> bytes_;
  std::string name_;
  llvm::ELF::Elf64_Ehdr header_{};
  std::vector<llvm::ELF::Elf64_Phdr> segments_;
  std::vector<llvm::ELF::Elf64_Shdr> sections_;
};

} // namespace nstf::emulator

#endif // NSTF_RUNTIME_EMULATOR_MEMORY_ELFFILE_H
