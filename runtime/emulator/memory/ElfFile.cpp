#include "runtime/emulator/memory/ElfFile.h"
#include "runtime/emulator/memory/CodeObject.h"

namespace nstf::emulator {
using namespace llvm::ELF;

bool ElfFile::startsHere(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), ElfMagic, 4) == 0;
}

bool ElfFile::isAmdgpu(std::span<const std::byte> bytes) {
  Elf64_Half machine;
  if (!startsHere(bytes) || bytes.size() < sizeof(Elf64_Ehdr))
    return false;
  std::memcpy(&machine, bytes.data() + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
  return machine == EM_AMDGPU;
}

ElfFile::ElfFile(std::span<const std::byte> bytes, std::string name, Kind kind)
    : contents(bytes), label(std::move(name)), kind(kind) {
  std::memcpy(&elfHeader, this->bytes(0, sizeof elfHeader, "the ELF header").data(), sizeof elfHeader);
  if (std::memcmp(elfHeader.e_ident, ElfMagic, 4) != 0)
    malformed("it does not begin with the ELF magic");
  if (elfHeader.e_ident[EI_CLASS] != ELFCLASS64 || elfHeader.e_ident[EI_DATA] != ELFDATA2LSB)
    malformed("expected a 64-bit little-endian ELF");
  if (kind == Kind::CodeObject)
    checkCodeObject();

  if (elfHeader.e_phnum && elfHeader.e_phentsize != sizeof(Elf64_Phdr))
    malformed("expected program headers of 56 bytes but got " + std::to_string(elfHeader.e_phentsize));
  std::span<const std::byte> data =
      this->bytes(elfHeader.e_phoff, elfHeader.e_phnum * sizeof(Elf64_Phdr), "the program headers");
  programHeaders.resize(elfHeader.e_phnum);
  if (!data.empty())
    std::memcpy(programHeaders.data(), data.data(), data.size());

  if (elfHeader.e_shoff && elfHeader.e_shentsize != sizeof(Elf64_Shdr))
    malformed("expected section headers of 64 bytes but got " + std::to_string(elfHeader.e_shentsize));
  uint64_t count = elfHeader.e_shnum;
  namesSection = elfHeader.e_shstrndx;
  if (!count && elfHeader.e_shoff) { // numbers that do not fit are in the first section header
    Elf64_Shdr first;
    std::memcpy(&first, this->bytes(elfHeader.e_shoff, sizeof first, "the section headers").data(), sizeof first);
    count = first.sh_size;
    if (namesSection == SHN_XINDEX)
      namesSection = first.sh_link;
  }
  if (count > contents.size() / sizeof(Elf64_Shdr))
    malformed("the section headers reach past the end of the file (truncated?)");
  data = this->bytes(elfHeader.e_shoff, count * sizeof(Elf64_Shdr), "the section headers");
  sectionHeaders.resize(count);
  if (!data.empty())
    std::memcpy(sectionHeaders.data(), data.data(), data.size());
  if (kind == Kind::Host)
    return; // only the sections that are used must be present
  for (const Elf64_Phdr &segment : programHeaders)
    this->bytes(segment.p_offset, segment.p_filesz, "a segment");
  for (const Elf64_Shdr &section : sectionHeaders)
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
      this->bytes(section.sh_offset, section.sh_size, "a section");
}

void ElfFile::checkCodeObject() const {
  if (elfHeader.e_machine != EM_AMDGPU)
    malformed("expected an ELF for amdgpu (machine 224) but got machine " + std::to_string(elfHeader.e_machine));
  if (elfHeader.e_ident[EI_OSABI] != ELFOSABI_AMDGPU_HSA)
    malformed("expected OS ABI 64 (amdhsa) but got " + std::to_string(elfHeader.e_ident[EI_OSABI]));
  if (elfHeader.e_type == ET_REL)
    malformed("it is a relocatable object: link it with ld.lld -shared first");
  if (elfHeader.e_type != ET_DYN)
    malformed("expected a shared object (type 3) but got type " + std::to_string(elfHeader.e_type));
  if (!elfHeader.e_phnum)
    malformed("expected program headers but got none");
  if (!elfHeader.e_shnum)
    malformed("expected section headers but got none");
}

std::span<const std::byte> ElfFile::bytes(uint64_t offset, uint64_t size, const char *what) const {
  if (offset > contents.size() || size > contents.size() - offset)
    malformed(std::string(what) + " reaches past the end of the file (" + std::to_string(offset) + " + " +
              std::to_string(size) + " of " + std::to_string(contents.size()) + " bytes; truncated?)");
  return contents.subspan(offset, size);
}

std::string_view ElfFile::string(uint32_t index, uint64_t offset) const {
  if (index >= sectionHeaders.size() || sectionHeaders[index].sh_type != SHT_STRTAB)
    malformed("section " + std::to_string(index) + " is no string table");
  std::span<const std::byte> table =
      bytes(sectionHeaders[index].sh_offset, sectionHeaders[index].sh_size, "a string table");
  if (offset >= table.size())
    malformed("a name lies outside its string table");
  const char *begin = reinterpret_cast<const char *>(table.data()) + offset;
  const void *end = std::memchr(begin, 0, table.size() - offset);
  if (!end)
    malformed("a string table does not end with 0");
  return {begin, static_cast<size_t>(static_cast<const char *>(end) - begin)};
}

std::string_view ElfFile::sectionName(const Elf64_Shdr &section) const {
  try {
    return string(namesSection, section.sh_name);
  } catch (const LoadError &) {
    return "";
  }
}

void ElfFile::malformed(const std::string &what) const {
  throw LoadError(LoadError::Reason::Malformed,
                  label + (kind == Kind::Host ? " is not a readable ELF: " : " is not a loadable code object: ") +
                      what);
}

} // namespace nstf::emulator
