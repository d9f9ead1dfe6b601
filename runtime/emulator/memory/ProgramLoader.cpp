// Loading, in the order of the steps: read the file (CodeObjectFile), check the target, lay out the segments, relocate,
// write-protect. Relocation formulas: AMDGPUUsage, "Relocation Records" (S symbol, A addend, P place, B base of the
// image).
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/CodeObjectFile.h"
#include "runtime/emulator/memory/ElfFile.h"
#include "runtime/emulator/memory/SourceFrames.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>

namespace nstf::emulator {
using namespace llvm::ELF;

namespace {
// More than any code object has; a damaged header may request any size.
constexpr uint64_t maxImageBytes = uint64_t(8) << 30;
constexpr uint64_t pageBytes = 4096;
} // namespace

class ProgramLoader {
public:
  ProgramLoader(Memory &memory, const TargetId &device, std::span<const std::byte> bytes, std::string name)
      : memory(memory), program(new Program(memory)), file(bytes, name), contents(checkTarget(bytes, device, name)) {
    program->label = std::move(name);
    if (hasDebugInformation(bytes))
      program->elfBytes.assign(bytes.begin(), bytes.end());
    program->target = contents.target;
  }

  std::unique_ptr<Program> run() {
    layOutSegments();
    for (const Elf64_Shdr &section : file.sections())
      if (section.sh_type == SHT_RELA && (section.sh_flags & SHF_ALLOC))
        relocate(section);
      else if (section.sh_type == SHT_REL && (section.sh_flags & SHF_ALLOC))
        file.malformed("it has relocations without addends");
    place();
    return std::move(program);
  }

private:
  /// Checked first: the contents of a file for another chip do not matter.
  const ElfFile &checkTarget(std::span<const std::byte> bytes, const TargetId &device, const std::string &name) const {
    const std::optional<TargetId> target = codeObjectTarget(bytes);
    if (target && !target->runsOn(device))
      throw LoadError(LoadError::Reason::WrongTarget,
                      name + " was made for " + target->str() + " but the device is " + device.str());
    return file;
  }

  void layOutSegments() {
    uint64_t low = UINT64_MAX, high = 0;
    for (const Elf64_Phdr &segment : file.segments()) {
      if (segment.p_type != PT_LOAD)
        continue;
      if (segment.p_filesz > segment.p_memsz || segment.p_memsz > maxImageBytes ||
          segment.p_vaddr > UINT64_MAX - segment.p_memsz - pageBytes)
        file.malformed("a segment has impossible sizes");
      if (segment.p_align > pageBytes)
        file.malformed("a segment asks for an alignment of " + std::to_string(segment.p_align) +
                       " bytes; at most 4096 is supported");
      low = std::min<uint64_t>(low, segment.p_vaddr / pageBytes * pageBytes);
      high = std::max<uint64_t>(high, segment.p_vaddr + segment.p_memsz);
    }
    if (high <= low || high - low > maxImageBytes)
      file.malformed("it has no loadable segments, or they lie too far apart");
    program->image = memory.allocate(high - low, RegionKind::Code);
    if (!program->image)
      throw LoadError(LoadError::Reason::OutOfMemory,
                      "no device memory for the " + std::to_string(high - low) + " bytes of " + program->label);
    program->imageBase = reinterpret_cast<uint64_t>(program->image) - low;
    for (const Elf64_Phdr &segment : file.segments()) {
      if (segment.p_type != PT_LOAD || !segment.p_memsz)
        continue;
      uint64_t begin = program->imageBase + segment.p_vaddr;
      std::span<const std::byte> data = file.bytes(segment.p_offset, segment.p_filesz, "a segment");
      if (!data.empty())
        std::memcpy(reinterpret_cast<void *>(begin), data.data(), data.size());
      parts.push_back({begin, begin + segment.p_memsz, (segment.p_flags & PF_W) != 0, RegionKind::Code, 0});
      if ((segment.p_flags & PF_X) && !data.empty()) // bytes that the file lacks are not code
        program->textRanges.push_back({begin, begin + data.size()});
    }
    std::sort(parts.begin(), parts.end(), [](const Region &a, const Region &b) { return a.begin < b.begin; });
    std::sort(program->textRanges.begin(), program->textRanges.end(),
              [](const Program::TextRange &a, const Program::TextRange &b) { return a.begin < b.begin; });
    for (size_t i = 1; i < parts.size(); ++i)
      if (parts[i].begin < parts[i - 1].end)
        file.malformed("its segments overlap");
  }

  bool inImage(uint64_t address, uint64_t size) const {
    for (const Region &part : parts)
      if (part.contains(address, size))
        return true;
    return false;
  }

  uint64_t symbolAddress(const Elf64_Shdr &relocations, uint32_t index) {
    if (!index)
      return 0;
    if (relocations.sh_link >= file.sections().size())
      file.malformed("a relocation section names no symbol table");
    const Elf64_Shdr &section = file.sections()[relocations.sh_link];
    if (section.sh_entsize != sizeof(Elf64_Sym) || index >= section.sh_size / sizeof(Elf64_Sym))
      file.malformed("a relocation names a symbol outside its table");
    Elf64_Sym symbol;
    std::memcpy(&symbol,
                file.bytes(section.sh_offset + uint64_t(index) * sizeof symbol, sizeof symbol, "a symbol").data(),
                sizeof symbol);
    if (symbol.st_shndx == SHN_ABS)
      return symbol.st_value;
    if (symbol.st_shndx != SHN_UNDEF)
      return program->imageBase + symbol.st_value;
    if (symbol.getBinding() == STB_WEAK)
      return 0;
    throw LoadError(LoadError::Reason::NotFound, program->label + " needs symbol " +
                                                     std::string(file.string(section.sh_link, symbol.st_name)) +
                                                     ", which it does not define");
  }

  void relocate(const Elf64_Shdr &section) {
    for (const Elf64_Rela &entry : file.table<Elf64_Rela>(section, "a relocation section")) {
      const uint32_t type = entry.getType();
      if (type == R_AMDGPU_NONE)
        continue;
      const uint64_t place = program->imageBase + entry.r_offset;
      const uint64_t target = type == R_AMDGPU_RELATIVE64 ? program->imageBase + entry.r_addend
                                                          : symbolAddress(section, entry.getSymbol()) + entry.r_addend;
      uint64_t value = target;
      unsigned size = 4;
      switch (type) {
      case R_AMDGPU_RELATIVE64:
      case R_AMDGPU_ABS64:
        size = 8;
        break;
      case R_AMDGPU_REL64:
        value -= place;
        size = 8;
        break;
      case R_AMDGPU_ABS32:
      case R_AMDGPU_ABS32_LO:
        break;
      case R_AMDGPU_ABS32_HI:
        value >>= 32;
        break;
      case R_AMDGPU_REL32:
      case R_AMDGPU_REL32_LO:
        value -= place;
        break;
      case R_AMDGPU_REL32_HI:
        value = (value - place) >> 32;
        break;
      default:
        file.malformed("relocation type " + std::to_string(type) + " is not one a loader applies");
      }
      if (!inImage(place, size))
        file.malformed("a relocation lies outside its segments");
      std::memcpy(reinterpret_cast<void *>(place), &value, size);
    }
  }

  /// Moves kernels, functions and variables from the file's addresses to the image's.
  void place() {
    const uint64_t base = program->imageBase;
    for (Kernel &read : contents.kernels) {
      auto kernel = std::make_unique<Kernel>(std::move(read));
      kernel->program = program.get();
      kernel->descriptorAddress += base;
      kernel->entry += base;
      kernel->codeEnd += base;
      program->kernelList.push_back(std::move(kernel));
    }
    program->formatsByHash = std::move(contents.printfFormats);
    for (auto &[address, function] : contents.functions)
      program->functions.push_back({base + address, base + address + function.size, std::move(function.name)});
    for (auto &[name, variable] : contents.variables)
      program->variables.push_back({name, base + variable.address, variable.size});
    if (!memory.split(program->image, parts))
      file.malformed("its segments do not fit the image");
  }

  Memory &memory;
  std::unique_ptr<Program> program;
  ElfFile file;
  CodeObjectFile contents;
  std::vector<Region> parts;
};

std::unique_ptr<Program> Program::load(Memory &memory, const TargetId &device, std::span<const std::byte> bytes,
                                       std::string name) {
  return ProgramLoader(memory, device, bytes, std::move(name)).run();
}

} // namespace nstf::emulator
