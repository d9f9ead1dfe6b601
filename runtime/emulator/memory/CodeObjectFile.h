// The contents of a code object's file, before it is loaded: target, kernels, functions, variables.
//
// Fast enough for libraries of thousands of kernels: symbols, notes and descriptors are read in place, only names are
// copied, and no instruction is decoded. Every offset is checked; a malformed file throws LoadError.
#pragma once

#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/ElfFile.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

struct CodeObjectFile {
  struct Symbol {
    std::string name;
    uint64_t address, size;
  };

  TargetId target;
  unsigned version = 0;                 ///< of the code object: 3 to 6
  std::vector<Kernel> kernels;          ///< sorted by descriptor symbol; addresses are the ELF's virtual ones
  std::map<uint64_t, Symbol> functions; ///< by address
  std::map<std::string, Symbol> variables;
  std::map<uint64_t, std::string> printfFormats; ///< of buffered printf, by their hashes

  explicit CodeObjectFile(const ElfFile &file);

private:
  struct Segment {
    uint64_t begin, end; // virtual addresses
    std::span<const std::byte> bytes;
    bool executable;
  };
  const Segment *findSegment(uint64_t address, uint64_t size) const;
  void readSegments(const ElfFile &file);
  void readSymbols(const ElfFile &file, const llvm::ELF::Elf64_Shdr &section);
  void readMetadata(const ElfFile &file);
  void readNotes(const ElfFile &file, std::span<const std::byte> notes);
  void readDescriptor(const ElfFile &file, Kernel &kernel, const std::string &symbol, uint64_t address);

  std::vector<Segment> segments;
  std::map<std::string, uint64_t> descriptors;    // by symbol
  std::map<std::string, Kernel> metadataBySymbol; // by descriptor symbol
};

/// The kernels of the code object in `bytes`, for any chip; `name` is used in messages. Throws LoadError.
CodeObjectFile readKernels(std::span<const std::byte> bytes, const std::string &name);

/// The target in the file's header, if it can be read.
std::optional<TargetId> codeObjectTarget(std::span<const std::byte> bytes);

/// Whether the code object has a kernel of this name. Only symbols are read. False for a malformed file.
bool hasKernel(std::span<const std::byte> bytes, std::string_view kernel);

} // namespace nstf::emulator
