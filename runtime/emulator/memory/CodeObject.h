// Code objects (ELF64 amdgpu, code object V3 to V6), loaded into the device's memory, and their kernels.
//
// Program::load checks the file against the device, lays the PT_LOAD segments out in one allocation, applies the
// relocations and reads each kernel's descriptor (`.kd` symbol) and its NT_AMDGPU_METADATA entry. Layout and fields:
// LLVM's AMDGPUUsage, "Code Object" and "Kernel Descriptor". Every offset of the file is checked; a malformed file
// throws LoadError.
#pragma once

#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/memory/TargetId.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

class Program;

/// The reason why a code object could not be loaded.
struct LoadError : std::runtime_error {
  enum class Reason { Malformed, WrongTarget, OutOfMemory, NotFound, NoFile };
  Reason reason;
  /// Names from the file in the message are kept on one line.
  LoadError(Reason reason, std::string message);
};

/// The decoded 64-byte kernel descriptor. Counts are in units of the thing counted (registers, bytes).
struct KernelDescriptor {
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0; ///< the raw words of COMPUTE_PGM_RSRC1..3
  uint16_t properties = 0;                  ///< the raw KERNEL_CODE_PROPERTIES

  uint32_t ldsBytes = 0, scratchBytes = 0 /* per lane */, kernargBytes = 0;
  int64_t entryOffset = 0;  ///< from the descriptor's address
  uint32_t vgprs = 0;       ///< unified file: VGPRs and AGPRs together, rounded up to the allocation granule
  uint32_t accumOffset = 0; ///< first AGPR's number in the unified file
  uint32_t userSgprs = 0;   ///< user SGPRs in total, including preloaded arguments
  // User SGPRs in this order; each is present if its flag is set (AMDGPUUsage, "Initial Kernel Execution State").
  bool privateSegmentBuffer = false; ///< 4 SGPRs
  bool dispatchPtr = false;          ///< 2
  bool queuePtr = false;             ///< 2
  bool kernargSegmentPtr = false;    ///< 2
  bool dispatchId = false;           ///< 2
  bool flatScratchInit = false;      ///< 2
  bool privateSegmentSize = false;   ///< 1
  uint32_t preloadDwords = 0;        ///< kernel argument dwords that follow the SGPRs above …
  uint32_t preloadOffset = 0;        ///< … taken from this dword of the argument block on
  // System SGPRs after the user SGPRs.
  bool workgroupIdX = false, workgroupIdY = false, workgroupIdZ = false, workgroupInfo = false;
  bool privateSegmentWaveOffset = false; ///< scratch in use
  uint32_t workitemIdDimensions = 1;     ///< 1: x in v0; 2: x, y; 3: x, y, z
  uint32_t roundMode32 = 0, roundMode16_64 = 0, denormMode32 = 0, denormMode16_64 = 0;
  bool ieeeMode = false, dx10Clamp = false, fp16Overflow = false, threadgroupSplit = false;
  bool wave32 = false, dynamicStack = false;

  /// Registers from the first AGPR on; 0 if they are less than a granule, which may be only padding.
  uint32_t accumulationVgprs() const { return vgprs >= accumOffset + 8 ? vgprs - accumOffset : 0; }
  /// Reads the 64 bytes of a descriptor.
  static KernelDescriptor decode(const std::byte *bytes);
};

/// One argument of a kernel, as described by the metadata.
struct KernelArgument {
  std::string name;      ///< may be empty
  std::string valueKind; ///< "global_buffer", "by_value", "hidden_block_count_x", …
  uint32_t offset = 0, size = 0;
  std::string typeName;     ///< the type's spelling in the source (OpenCL), or empty
  std::string addressSpace; ///< of a pointer: "global", "local", "generic", …
  std::string access;       ///< how the kernel accesses the pointer's target, if the compiler knew: "read_only", …
  bool hidden() const { return valueKind.starts_with("hidden_"); }
};

/// Offsets of the hidden arguments that point to services of the host, in the argument block.
struct ServiceArguments {
  std::optional<uint32_t> hostcall, heap, printf;
  bool any() const { return hostcall || heap || printf; }
};

/// A kernel of a loaded code object. Lives as long as its program.
struct Kernel {
  std::string name; ///< without ".kd"
  uint64_t descriptorAddress = 0;
  uint64_t entry = 0;   ///< address of the first instruction in the loaded image
  uint64_t codeEnd = 0; ///< end of the kernel's function symbol or, if that has no size, of its text range
  const Program *program = nullptr;
  KernelDescriptor descriptor;
  size_t kernargSize = 0;                ///< argument block in bytes, hidden arguments included
  size_t ldsSize = 0;                    ///< bytes of static LDS (group_segment_fixed_size)
  size_t scratchSize = 0;                ///< private bytes of a lane
  std::vector<KernelArgument> arguments; ///< in the metadata's order; empty when there was no metadata
  bool hasMetadata = false;
  ServiceArguments services;
  uint32_t waveSize = 64;
  uint32_t maxFlatWorkgroupSize = 1024;
  std::array<uint32_t, 3> requiredWorkgroupSize = {0, 0, 0}; ///< zeros: not fixed
  /// Counts that the metadata states; the metadata of hand-written kernels may leave them out. Without metadata
  /// vgprCount is descriptor.vgprs, the number that a wave gets.
  uint32_t vgprCount = 0, agprCount = 0, sgprCount = 0, vgprSpills = 0, sgprSpills = 0;
  /// The AGPRs among descriptor.vgprs.
  uint32_t accumulationVgprs() const { return std::max(agprCount, descriptor.accumulationVgprs()); }
};

/// A code object in device memory.
class Program {
public:
  /// A range of executable bytes of the image.
  struct TextRange {
    uint64_t begin, end;
  };
  struct Variable {
    std::string name;
    uint64_t address, size;
  };

  /// Loads the ELF `bytes` (copied) for `device`; `name` is used in messages. Throws LoadError.
  static std::unique_ptr<Program> load(Memory &memory, const TargetId &device, std::span<const std::byte> bytes,
                                       std::string name);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const std::string &name() const { return label; }
  const TargetId &targetId() const { return target; }
  const std::vector<std::unique_ptr<Kernel>> &kernels() const { return kernelList; }
  /// nullptr when there is no such kernel.
  const Kernel *kernel(std::string_view name) const;
  /// A data symbol of the image (device variable); nullptr if there is none of this name.
  const Variable *variable(std::string_view name) const;
  /// The formats of buffered printf, by their hashes.
  const std::map<uint64_t, std::string> &printfFormats() const { return formatsByHash; }
  /// Executable segments, sorted; a program counter must lie in one of them.
  const std::vector<TextRange> &text() const { return textRanges; }
  /// Name of the function symbol that holds `address`, or "".
  std::string functionAt(uint64_t address) const;
  /// The functions whose symbols have a size, sorted.
  std::vector<TextRange> functionRanges() const;
  /// The difference between an address of the image and the ELF's virtual address (for debug information).
  uint64_t base() const { return imageBase; }
  /// The whole file, for readers of its debug sections; empty if it has none.
  std::span<const std::byte> elf() const { return elfBytes; }

  /// Data that an executor derives once from this program (its decoded instructions). Protected by cacheMutex.
  mutable std::mutex cacheMutex;
  mutable std::shared_ptr<void> cache;

private:
  friend class ProgramLoader;
  explicit Program(Memory &memory) : memory(memory) {}

  struct Function {
    uint64_t begin, end;
    std::string name;
  };
  Memory &memory;
  std::string label;
  TargetId target;
  std::vector<std::byte> elfBytes;
  void *image = nullptr;
  uint64_t imageBase = 0;
  std::vector<TextRange> textRanges;
  std::vector<std::unique_ptr<Kernel>> kernelList;
  std::vector<Variable> variables; // sorted by name
  std::vector<Function> functions; // sorted by begin
  std::map<uint64_t, std::string> formatsByHash;
};

} // namespace nstf::emulator
