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
      : memory_(memory), program_(new Program(memory)), file_(bytes, name),
        contents_(checkTarget(bytes, device, name)) {
    program_->name_ = std::move(name);
    if (hasDebugInformation(bytes))
      program_->elf_.assign(bytes.begin(), bytes.end());
    program_->target_ = contents_.target;
  }

  std::unique_ptr<Program> run() {
    layOutSegments();
    for (const Elf64_Shdr &section : file_.sections())
      if (section.sh_type == SHT_RELA && (section.sh_flags & SHF_ALLOC))
        relocate(section);
      else if (section.sh_type == SHT_REL && (section.sh_flags & SHF_ALLOC))
        file_.malformed("it has relocations without addends");
    place();
    return std::move(program_);
  }

private:
  /// Checked first: the contents of a file for another chip do not matter.
  const ElfFile &checkTarget(std::span<const std::byte> bytes, const TargetId &device, const std::string &name) const {
    const std::optional<TargetId> target = codeObjectTarget(bytes);
    if (target && !target->runsOn(device))
      throw LoadError(LoadError::Reason::WrongTarget,
                      name + " was made for " + target->str() + " but the device is " + device.str());
    return file_;
  }

  void layOutSegments() {
    uint64_t low = UINT64_MAX, high = 0;
    for (const Elf64_Phdr &segment : file_.segments()) {
      if (segment.p_type != PT_LOAD)
        continue;
      if (segment.p_filesz > segment.p_memsz || segment.p_memsz > maxImageBytes ||
          segment.p_vaddr > UINT64_MAX - segment.p_memsz - pageBytes)
        file_.malformed("a segment has impossible sizes");
      if (segment.p_align > pageBytes)
        file_.malformed("a segment asks for an alignment of " + std::to_string(segment.p_align) +
                        " bytes; at most 4096 is supported");
      low = std::min<uint64_t>(low, segment.p_vaddr / pageBytes * pageBytes);
      high = std::max<uint64_t>(high, segment.p_vaddr + segment.p_memsz);
    }
    if (high <= low || high - low > maxImageBytes)
      file_.malformed("it has no loadable segments, or they lie too far apart");
    program_->image_ = memory_.allocate(high - low, RegionKind::Code);
    if (!program_->image_)
      throw LoadError(LoadError::Reason::OutOfMemory,
                      "no device memory for the " + std::to_string(high - low) + " bytes of " + program_->name_);
    program_->base_ = reinterpret_cast<uint64_t>(program_->image_) - low;
    for (const Elf64_Phdr &segment : file_.segments()) {
      if (segment.p_type != PT_LOAD || !segment.p_memsz)
        continue;
      uint64_t begin = program_->base_ + segment.p_vaddr;
      std::span<const std::byte> data = file_.bytes(segment.p_offset, segment.p_filesz, "a segment");
      if (!data.empty())
        std::memcpy(reinterpret_cast<void *>(begin), data.data(), data.size());
      parts_.push_back({begin, begin + segment.p_memsz, (segment.p_flags & PF_W) != 0, RegionKind::Code, 0});
      if ((segment.p_flags & PF_X) && !data.empty()) // bytes that the file lacks are not code
        program_->text_.push_back({begin, begin + data.size()});
    }
    std::sort(parts_.begin(), parts_.end(), [](const Region &a, const Region &b) { return a.begin < b.begin; });
    std::sort(program_->text_.begin(), program_->text_.end(),
              [](const Program::TextRange &a, const Program::TextRange &b) { return a.begin < b.begin; });
    for (size_t i = 1; i < parts_.size(); ++i)
      if (parts_[i].begin < parts_[i - 1].end)
        file_.malformed("its segments overlap");
  }

  bool inImage(uint64_t address, uint64_t size) const {
    for (const Region &part : parts_)
      if (part.contains(address, size))
        return true;
    return false;
  }

  uint64_t symbolAddress(const Elf64_Shdr &relocations, uint32_t index) {
    if (!index)
      return 0;
    if (relocations.sh_link >= file_.sections().size())
      file_.malformed("a relocation section names no symbol table");
    const Elf64_Shdr &section = file_.sections()[relocations.sh_link];
    if (section.sh_entsize != sizeof(Elf64_Sym) || index >= section.sh_size / sizeof(Elf64_Sym))
      file_.malformed("a relocation names a symbol outside its table");
    Elf64_Sym symbol;
    std::memcpy(&symbol,
                file_.bytes(section.sh_offset + uint64_t(index) * sizeof symbol, sizeof symbol, "a symbol").data(),
                sizeof symbol);
    if (symbol.st_shndx == SHN_ABS)
      return symbol.st_value;
    if (symbol.st_shndx != SHN_UNDEF)
      return program_->base_ + symbol.st_value;
    if (symbol.getBinding() == STB_WEAK)
      return 0;
    throw LoadError(LoadError::Reason::NotFound, program_->name_ + " needs symbol " +
                                                     std::string(file_.string(section.sh_link, symbol.st_name)) +
                                                     ", which it does not define");
  }

  void relocate(const Elf64_Shdr &section) {
    for (const Elf64_Rela &entry : file_.table<Elf64_Rela>(section, "a relocation section")) {
      const uint32_t type = entry.getType();
      if (type == R_AMDGPU_NONE)
        continue;
      const uint64_t place = program_->base_ + entry.r_offset;
      const uint64_t target = type == R_AMDGPU_RELATIVE64 ? program_->base_ + entry.r_addend
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
        file_.malformed("relocation type " + std::to_string(type) + " is not one a loader applies");
      }
      if (!inImage(place, size))
        file_.malformed("a relocation lies outside its segments");
      std::memcpy(reinterpret_cast<void *>(place), &value, size);
    }
  }

  /// Moves kernels, functions and variables from the file's addresses to the image's.
  void place() {
    const uint64_t base = program_->base_;
    for (Kernel &read : contents_.kernels) {
      auto kernel = std::make_unique<Kernel>(std::move(read));
      kernel->program = program_.get();
      kernel->descriptorAddress += base;
      kernel->entry += base;
      kernel->codeEnd += base;
      program_->kernels_.push_back(std::move(kernel));
    }
    program_->printfFormats_ = std::move(contents_.printfFormats);
    for (auto &[address, function] : contents_.functions)
      program_->functions_.push_back({base + address, base + address + function.size, std::move(function.name)});
    for (auto &[name, variable] : contents_.variables)
      program_->variables_.push_back({name, base + variable.address, variable.size});
    if (!memory_.split(program_->image_, parts_))
      file_.malformed("its segments do not fit the image");
  }

  Memory &memory_;
  std::unique_ptr<Program> program_;
  ElfFile file_;
  CodeObjectFile contents_;
  std::vector<Region> parts_;
};

std::unique_ptr<Program> Program::load(Memory &memory, const TargetId &device, std::span<const std::byte> bytes,
                                       std::string name) {
  return ProgramLoader(memory, device, bytes, std::move(name)).run();
}

} // namespace nstf::emulator
