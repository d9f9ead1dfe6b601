#include "test/runtime/emulator/fuzz/FuzzProgram.h"
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/memory/CodeObjectFile.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/KernelArguments.h"

#include "llvm/BinaryFormat/ELF.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace nstf::emulator::fuzz {
using namespace llvm::ELF;

std::vector<std::byte> makeCodeObject(const Target &target, const llvm::amdhsa::kernel_descriptor_t &descriptor,
                                      std::span<const uint8_t> code) {
  // One read-only segment with the descriptor and one with the code; a symbol table for both.
  constexpr uint64_t descriptorAt = 0x400, codeAt = 0x1000;
  static constexpr char names[] = "\0fuzz\0fuzz.kd\0.strtab\0.symtab\0.text";
  const uint64_t namesAt = codeAt + (code.size() + 15) / 16 * 16, symbolsAt = (namesAt + sizeof names + 15) / 16 * 16,
                 sectionsAt = symbolsAt + 3 * sizeof(Elf64_Sym), end = sectionsAt + 4 * sizeof(Elf64_Shdr);
  std::vector<std::byte> file(end);
  auto put = [&](uint64_t at, const void *data, size_t size) {
    if (size)
      std::memcpy(file.data() + at, data, size);
  };
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = ELFOSABI_AMDGPU_HSA;
  header.e_ident[EI_ABIVERSION] = ELFABIVERSION_AMDGPU_HSA_V5;
  header.e_type = ET_DYN;
  header.e_machine = EM_AMDGPU;
  header.e_version = EV_CURRENT;
  header.e_flags = (target.name == "gfx90a" ? EF_AMDGPU_MACH_AMDGCN_GFX90A : EF_AMDGPU_MACH_AMDGCN_GFX942) |
                   EF_AMDGPU_FEATURE_XNACK_ANY_V4 | EF_AMDGPU_FEATURE_SRAMECC_ANY_V4;
  header.e_phoff = sizeof header;
  header.e_shoff = sectionsAt;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 1;
  put(0, &header, sizeof header);
  const Elf64_Phdr segments[] = {{PT_LOAD, PF_R, 0, 0, 0, codeAt, codeAt, 4096},
                                 {PT_LOAD, PF_R | PF_X, codeAt, codeAt, codeAt, code.size(), code.size(), 4096}};
  put(sizeof header, segments, sizeof segments);
  llvm::amdhsa::kernel_descriptor_t placed = descriptor;
  placed.kernel_code_entry_byte_offset = codeAt - descriptorAt;
  put(descriptorAt, &placed, sizeof placed);
  put(codeAt, code.data(), code.size());
  put(namesAt, names, sizeof names);
  Elf64_Sym symbols[3] = {};
  symbols[1].st_name = 1;
  symbols[1].setBindingAndType(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 3;
  symbols[1].st_value = codeAt;
  symbols[1].st_size = code.size();
  symbols[2].st_name = 6;
  symbols[2].setBindingAndType(STB_GLOBAL, STT_OBJECT);
  symbols[2].st_shndx = 3;
  symbols[2].st_value = descriptorAt;
  symbols[2].st_size = sizeof placed;
  put(symbolsAt, symbols, sizeof symbols);
  const Elf64_Shdr sections[] = {
      {},
      {14, SHT_STRTAB, 0, 0, namesAt, sizeof names, 0, 0, 1, 0},
      {22, SHT_SYMTAB, 0, 0, symbolsAt, sizeof symbols, 1, 1, 8, sizeof(Elf64_Sym)},
      {30, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, codeAt, codeAt, code.size(), 0, 0, 256, 0},
  };
  put(sectionsAt, sections, sizeof sections);
  return file;
}

namespace {

/// A kernel's argument block: descriptors of two buffers, which begin with a pointer to the buffer, and numbers. The
/// first buffer has a part for each workgroup; the second is read-only.
std::vector<std::byte> makeArguments(Memory &memory, const Kernel &kernel, const LaunchShape &shape,
                                     std::vector<void *> &buffers) {
  constexpr size_t least = 128;
  std::vector<std::byte> block(std::max<size_t>(kernel.kernargSize, least));
  for (unsigned i = 0; i < 2; ++i) {
    const size_t bufferBytes = bytesOfGroup * (i == 0 ? shape.grid[0] : 1);
    void *buffer = memory.allocate(bufferBytes, RegionKind::Device, i == 0);
    if (!buffer)
      std::abort(); // the fuzzer itself ran out of memory
    buffers.push_back(buffer);
    auto *words = static_cast<uint32_t *>(buffer);
    for (unsigned k = 0; k < bufferBytes / 4; ++k)
      words[k] = k * 2654435761u >> (k % 29);
    if (Shadow *definedness = memory.definedness()) { // an earlier launch under checks made it
      const auto lock = definedness->lock();
      definedness->setDefined(reinterpret_cast<uint64_t>(buffer), bufferBytes);
    }
    const uint64_t resource[2] = {reinterpret_cast<uint64_t>(buffer), bufferBytes | uint64_t(0x00027000) << 32};
    std::memcpy(block.data() + 16 * i, resource, sizeof resource);
  }
  if (kernel.kernargSize && kernel.hasMetadata)
    fillHidden(kernel, shape, std::span(block).first(kernel.kernargSize));
  return block;
}

void run(const Target &target, Memory &memory, const Kernel &kernel, const RunChoices &choices) {
  // Skips launches that a caller would have rejected for the chip; dispatch relies on that.
  const LaunchShape shape = {{choices.workgroups, 1, 1}, {choices.workItems, 1, 1}, choices.dynamicLds};
  const DeviceModel &model = DeviceModel::of(target.name);
  getOccupancy(model, kernel, choices.workItems, choices.dynamicLds);
  if (!getProblem(model, kernel, shape).empty() || kernel.kernargSize > 65536 || kernel.scratchSize > 65536)
    return;
  std::vector<void *> buffers;
  const std::vector<std::byte> block = makeArguments(memory, kernel, shape, buffers);
  LaunchArguments arguments = {&kernel,      {shape.grid[0], 1, 1}, {shape.block[0], 1, 1}, choices.dynamicLds,
                               block.data(), block.size()};
  LaunchOptions options;
  options.threads = 1;
  options.stepLimit = choices.stepLimit;
  options.alone = true;
  options.matrix = choices.exact ? MatrixMode::Exact : MatrixMode::Fast;
  std::unique_ptr<checks::Checker> checker;
  if (!choices.checks.empty()) {
    checker = checks::makeChecker(checks::CheckSet::parse(choices.checks, "fuzz"), target, memory);
    options.monitor = checker.get();
  }
  try {
    if (choices.timed.chip)
      runTimed(target, memory, arguments, options, choices.timed);
    else
      dispatch(target, memory, arguments, options);
  } catch (const Fault &fault) {
    if (fault.finding.text().find('\n') != std::string::npos)
      std::abort(); // a message must be one line
  } catch (const std::runtime_error &) {
  }
  if (checker)
    for (const Finding &finding : checker->findings())
      finding.text();
  for (void *buffer : buffers)
    memory.free(buffer);
}

} // namespace

void loadAndRun(const Target &target, std::span<const std::byte> object, const RunChoices &choices) {
  // The sandbox is renewed every 64 uses: it remembers freed allocations for messages and searches all of them.
  static std::unique_ptr<Memory> sandbox;
  static unsigned uses = 0;
  if (uses++ % 64 == 0)
    sandbox = std::make_unique<Memory>();
  Memory &memory = *sandbox;
  const uint64_t before = memory.allocatedBytes();
  try {
    const std::unique_ptr<Program> program = Program::load(memory, getDevice(target), object, "fuzz");
    if (readKernels(object, "fuzz").kernels.size() != program->kernels().size())
      std::abort();
    size_t left = 4;
    for (const std::unique_ptr<Kernel> &kernel : program->kernels())
      if (left && left--)
        run(target, memory, *kernel, choices);
  } catch (const LoadError &) {
  }
  if (memory.allocatedBytes() != before)
    std::abort(); // device memory leaked
}

} // namespace nstf::emulator::fuzz
