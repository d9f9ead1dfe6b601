// Loading, in the order of the steps: check the target, lay out the segments, read symbols, relocate, read descriptors
// and metadata, write-protect. Relocation formulas: AMDGPUUsage, "Relocation Records" (S symbol, A addend, P place,
// B base of the image).
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/ElfFile.h"
#include "runtime/emulator/memory/Metadata.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <algorithm>
#include <map>

namespace nstf::emulator {
using namespace llvm::ELF;

namespace {
// More than any code object has; a damaged header may ask for anything.
constexpr uint64_t kMaxImageBytes = uint64_t(8) << 30;
constexpr uint64_t kPage = 4096;
} // namespace

class ProgramLoader {
public:
  ProgramLoader(Memory &memory, std::span<const std::byte> bytes, std::string name)
      : memory_(memory), program_(new Program(memory)), file_(bytes, name) {
    program_->name_ = std::move(name);
    program_->elf_.assign(bytes.begin(), bytes.end());
  }

  std::unique_ptr<Program> run(const TargetId &device) {
    checkTarget(device);
    layOutSegments();
    for (uint32_t i = 0; i < file_.sections().size(); ++i)
      if (file_.sections()[i].sh_type == SHT_DYNSYM || file_.sections()[i].sh_type == SHT_SYMTAB)
        readSymbols(i);
    for (const Elf64_Shdr &section : file_.sections())
      if (section.sh_type == SHT_RELA && (section.sh_flags & SHF_ALLOC))
        relocate(section);
      else if (section.sh_type == SHT_REL && (section.sh_flags & SHF_ALLOC))
        file_.malformed("it has relocations without addends");
    readMetadata();
    for (const auto &[symbol, metadata] : metadata_)
      if (!descriptors_.count(symbol))
        file_.malformed("its metadata names kernel " + metadata.fields.name + " but symbol " + symbol +
                        " is not there");
    for (const auto &entry : descriptors_)
      addKernel(entry.first, entry.second);
    finish();
    return std::move(program_);
  }

private:
  void checkTarget(const TargetId &device) {
    try {
      program_->target_ = TargetId::fromElfFlags(file_.header().e_flags, file_.header().e_ident[EI_ABIVERSION]);
    } catch (const std::runtime_error &error) {
      file_.malformed(error.what());
    }
    if (!program_->target_.runsOn(device))
      throw LoadError(LoadError::Reason::WrongTarget, program_->name_ + " was made for " + program_->target_.str() +
                                                          " but the device is " + device.str());
  }

  void layOutSegments() {
    uint64_t low = UINT64_MAX, high = 0;
    for (const Elf64_Phdr &segment : file_.segments()) {
      if (segment.p_type != PT_LOAD)
        continue;
      if (segment.p_filesz > segment.p_memsz || segment.p_memsz > kMaxImageBytes ||
          segment.p_vaddr > UINT64_MAX - segment.p_memsz - kPage)
        file_.malformed("a segment has impossible sizes");
      if (segment.p_align > kPage)
        file_.malformed("a segment asks for an alignment of " + std::to_string(segment.p_align) +
                        " bytes; at most 4096 is supported");
      low = std::min<uint64_t>(low, segment.p_vaddr / kPage * kPage);
      high = std::max<uint64_t>(high, segment.p_vaddr + segment.p_memsz);
    }
    if (high <= low || high - low > kMaxImageBytes)
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
      if (segment.p_flags & PF_X)
        program_->text_.push_back({begin, begin + segment.p_memsz});
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

  void readSymbols(uint32_t index) {
    const Elf64_Shdr &section = file_.sections()[index];
    std::vector<Elf64_Sym> symbols = file_.table<Elf64_Sym>(section, "a symbol table");
    for (const Elf64_Sym &symbol : symbols) {
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
        continue;
      unsigned type = symbol.getType();
      if (type != STT_FUNC && type != STT_OBJECT && type != STT_AMDGPU_HSA_KERNEL)
        continue;
      std::string name(file_.string(section.sh_link, symbol.st_name));
      uint64_t address = program_->base_ + symbol.st_value;
      if (!inImage(address, symbol.st_size))
        file_.malformed("symbol " + name + " lies outside its segments");
      if (type != STT_OBJECT)
        functions_.emplace(address, Program::Function{address, address + symbol.st_size, name});
      else if (name.ends_with(".kd"))
        descriptors_[name] = address;
      else
        variables_.emplace(name, Program::Variable{name, address, symbol.st_size});
    }
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

  /// Linked libraries hold one note per kernel, others one for all: every note is read.
  void readMetadata() {
    for (const Elf64_Phdr &segment : file_.segments()) {
      if (segment.p_type != PT_NOTE)
        continue;
      std::span<const std::byte> notes = file_.bytes(segment.p_offset, segment.p_filesz, "the notes");
      auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
      while (notes.size() >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes.data(), sizeof note);
        uint64_t described = sizeof note + padded(note.n_namesz), end = described + padded(note.n_descsz);
        if (described + note.n_descsz > notes.size())
          file_.malformed("a note reaches past the end of its segment");
        std::string_view owner(reinterpret_cast<const char *>(notes.data()) + sizeof note, note.n_namesz);
        if (note.n_type == NT_AMDGPU_METADATA && owner.substr(0, owner.find('\0')) == "AMDGPU")
          addMetadata({reinterpret_cast<const char *>(notes.data()) + described, note.n_descsz});
        notes = notes.subspan(std::min<uint64_t>(end, notes.size()));
      }
    }
  }

  void addMetadata(std::string_view blob) {
    try {
      for (KernelMetadata &kernel : parseMetadata(blob))
        metadata_.emplace(kernel.descriptorSymbol, std::move(kernel));
    } catch (const std::runtime_error &error) {
      file_.malformed(error.what());
    }
  }

  void addKernel(const std::string &symbol, uint64_t address) {
    if (!inImage(address, sizeof(llvm::amdhsa::kernel_descriptor_t)))
      file_.malformed("kernel descriptor " + symbol + " lies outside its segments");
    auto kernel = std::make_unique<Kernel>();
    if (auto it = metadata_.find(symbol); it != metadata_.end())
      *kernel = it->second.fields;
    kernel->name = symbol.substr(0, symbol.size() - 3);
    kernel->program = program_.get();
    kernel->descriptorAddress = address;
    kernel->descriptor = KernelDescriptor::decode(reinterpret_cast<const std::byte *>(address));
    const KernelDescriptor &descriptor = kernel->descriptor;
    if (!kernel->hasMetadata) {
      kernel->kernargSize = descriptor.kernargBytes;
      kernel->ldsSize = descriptor.ldsBytes;
      kernel->scratchSize = descriptor.scratchBytes;
      kernel->vgprCount = descriptor.vgprs;
      kernel->waveSize = descriptor.wave32 ? 32 : 64;
    }
    kernel->entry = address + descriptor.entryOffset;
    const Program::TextRange *text = nullptr;
    for (const Program::TextRange &range : program_->text_)
      if (kernel->entry >= range.begin && kernel->entry < range.end)
        text = &range;
    if (!text || kernel->entry % 4)
      file_.malformed("the entry of kernel " + kernel->name + " lies outside its executable segments");
    auto function = functions_.find(kernel->entry);
    kernel->codeEnd =
        function != functions_.end() && function->second.end > kernel->entry ? function->second.end : text->end;
    program_->kernels_.push_back(std::move(kernel));
  }

  void finish() {
    for (auto &entry : functions_)
      program_->functions_.push_back(std::move(entry.second));
    for (auto &entry : variables_)
      program_->variables_.push_back(std::move(entry.second));
    if (!memory_.split(program_->image_, parts_))
      file_.malformed("its segments do not fit the image");
  }

  Memory &memory_;
  std::unique_ptr<Program> program_;
  ElfFile file_;
  std::vector<Region> parts_;
  std::map<uint64_t, Program::Function> functions_;
  std::map<std::string, Program::Variable> variables_;
  std::map<std::string, uint64_t> descriptors_;
  std::map<std::string, KernelMetadata> metadata_; // by descriptor symbol
};

std::unique_ptr<Program> Program::load(Memory &memory, const TargetId &device, std::span<const std::byte> bytes,
                                       std::string name) {
  return ProgramLoader(memory, bytes, std::move(name)).run(device);
}

} // namespace nstf::emulator
