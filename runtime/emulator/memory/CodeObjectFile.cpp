#include "runtime/emulator/memory/CodeObjectFile.h"
#include "runtime/emulator/memory/Metadata.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <cstring>

namespace nstf::emulator {
using namespace llvm::ELF;

namespace {

bool isSymbolTable(const Elf64_Shdr &section) { return section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB; }

/// Whether the loader uses the symbol: defined here, a function or an object.
bool isOfUse(const Elf64_Sym &symbol) {
  const unsigned type = symbol.getType();
  return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS &&
         (type == STT_FUNC || type == STT_OBJECT || type == STT_AMDGPU_HSA_KERNEL);
}

} // namespace

CodeObjectFile::CodeObjectFile(const ElfFile &file) {
  const Elf64_Ehdr &header = file.header();
  try {
    target = TargetId::fromElfFlags(header.e_flags, header.e_ident[EI_ABIVERSION]);
  } catch (const std::runtime_error &error) {
    file.malformed(error.what());
  }
  version = header.e_ident[EI_ABIVERSION] + 2;
  readSegments(file);
  for (const Elf64_Shdr &section : file.sections())
    if (isSymbolTable(section))
      readSymbols(file, section);
  readMetadata(file);
  for (const auto &[symbol, metadata] : metadataBySymbol)
    if (!descriptors.count(symbol))
      file.malformed("its metadata names kernel " + metadata.name + " but symbol " + symbol + " is not there");
  kernels.reserve(descriptors.size());
  for (const auto &[symbol, address] : descriptors) {
    auto described = metadataBySymbol.find(symbol);
    kernels.push_back(described != metadataBySymbol.end() ? std::move(described->second) : Kernel());
    readDescriptor(file, kernels.back(), symbol, address);
  }
}

void CodeObjectFile::readSegments(const ElfFile &file) {
  for (const Elf64_Phdr &segment : file.segments()) {
    if (segment.p_type != PT_LOAD)
      continue;
    if (segment.p_filesz > segment.p_memsz || segment.p_memsz > UINT64_MAX - segment.p_vaddr)
      file.malformed("a segment has impossible sizes");
    segments.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz,
                        file.bytes(segment.p_offset, segment.p_filesz, "a segment"), (segment.p_flags & PF_X) != 0});
  }
}

const CodeObjectFile::Segment *CodeObjectFile::findSegment(uint64_t address, uint64_t size) const {
  for (const Segment &segment : segments)
    if (address >= segment.begin && address <= segment.end && size <= segment.end - address)
      return &segment;
  return nullptr;
}

void CodeObjectFile::readSymbols(const ElfFile &file, const Elf64_Shdr &section) {
  for (const Elf64_Sym &symbol : file.table<Elf64_Sym>(section, "a symbol table")) {
    if (!isOfUse(symbol))
      continue;
    std::string name(file.string(section.sh_link, symbol.st_name));
    if (!findSegment(symbol.st_value, symbol.st_size))
      file.malformed("symbol " + name + " lies outside its segments");
    if (symbol.getType() != STT_OBJECT)
      functions.try_emplace(symbol.st_value, Symbol{name, symbol.st_value, symbol.st_size});
    else if (name.ends_with(".kd"))
      descriptors[name] = symbol.st_value;
    else
      variables.try_emplace(name, Symbol{name, symbol.st_value, symbol.st_size});
  }
}

/// Linked libraries have one note per kernel, others one for all: every note is read.
void CodeObjectFile::readMetadata(const ElfFile &file) {
  bool any = false;
  for (const Elf64_Phdr &segment : file.segments())
    if (segment.p_type == PT_NOTE) {
      readNotes(file, file.bytes(segment.p_offset, segment.p_filesz, "the notes"));
      any = true;
    }
  for (const Elf64_Shdr &section : file.sections())
    if (!any && section.sh_type == SHT_NOTE)
      readNotes(file, file.bytes(section.sh_offset, section.sh_size, "the notes"));
}

void CodeObjectFile::readNotes(const ElfFile &file, std::span<const std::byte> notes) {
  auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const uint64_t described = sizeof note + padded(note.n_namesz), end = described + padded(note.n_descsz);
    if (described + note.n_descsz > notes.size())
      file.malformed("a note reaches past the end of its segment");
    const std::string_view owner(reinterpret_cast<const char *>(notes.data()) + sizeof note, note.n_namesz);
    if (note.n_type == NT_AMDGPU_METADATA && owner.substr(0, owner.find('\0')) == "AMDGPU") {
      try {
        for (KernelMetadata &kernel :
             parseMetadata({reinterpret_cast<const char *>(notes.data()) + described, note.n_descsz}, &printfFormats))
          metadataBySymbol.try_emplace(kernel.descriptorSymbol, std::move(kernel.fields));
      } catch (const std::runtime_error &error) {
        file.malformed(error.what());
      }
    }
    notes = notes.subspan(std::min<uint64_t>(end, notes.size()));
  }
}

void CodeObjectFile::readDescriptor(const ElfFile &file, Kernel &kernel, const std::string &symbol, uint64_t address) {
  constexpr size_t size = sizeof(llvm::amdhsa::kernel_descriptor_t);
  const Segment *segment = findSegment(address, size);
  if (!segment || address - segment->begin > segment->bytes.size() ||
      size > segment->bytes.size() - (address - segment->begin))
    file.malformed("kernel descriptor " + symbol + " lies outside its segments");
  kernel.name = symbol.substr(0, symbol.size() - 3);
  kernel.descriptorAddress = address;
  kernel.descriptor = KernelDescriptor::decode(segment->bytes.data() + (address - segment->begin));
  const KernelDescriptor &descriptor = kernel.descriptor;
  if (!kernel.hasMetadata) {
    kernel.kernargSize = descriptor.kernargBytes;
    kernel.ldsSize = descriptor.ldsBytes;
    kernel.scratchSize = descriptor.scratchBytes;
    kernel.vgprCount = descriptor.vgprs;
    kernel.waveSize = descriptor.wave32 ? 32 : 64;
  }
  kernel.entry = address + uint64_t(descriptor.entryOffset);
  const Segment *text = findSegment(kernel.entry, 1);
  if (!text || !text->executable || kernel.entry % 4)
    file.malformed("the entry of kernel " + kernel.name + " lies outside its executable segments");
  auto function = functions.find(kernel.entry);
  kernel.codeEnd =
      function != functions.end() && function->second.size ? kernel.entry + function->second.size : text->end;
}

CodeObjectFile readKernels(std::span<const std::byte> bytes, const std::string &name) {
  return CodeObjectFile(ElfFile(bytes, name));
}

std::optional<TargetId> codeObjectTarget(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  try {
    return TargetId::fromElfFlags(header.e_flags, header.e_ident[EI_ABIVERSION]);
  } catch (const std::runtime_error &) {
    return std::nullopt;
  }
}

bool hasKernel(std::span<const std::byte> bytes, std::string_view kernel) {
  try {
    const ElfFile file(bytes, "");
    for (const Elf64_Shdr &section : file.sections()) {
      if (!isSymbolTable(section))
        continue;
      for (const Elf64_Sym &symbol : file.table<Elf64_Sym>(section, "a symbol table")) {
        if (!isOfUse(symbol) || symbol.getType() != STT_OBJECT)
          continue;
        const std::string_view name = file.string(section.sh_link, symbol.st_name);
        if (name.size() == kernel.size() + 3 && name.starts_with(kernel) && name.ends_with(".kd"))
          return true;
      }
    }
  } catch (const LoadError &) {
  }
  return false;
}

} // namespace nstf::emulator
