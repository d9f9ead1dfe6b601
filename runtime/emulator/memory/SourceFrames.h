// Where an instruction comes from: the functions and lines that a code object's DWARF gives for an address.
//
// Works for anybody's code object: NSTF's (kernel template inlined into a layer of the model), clang's with -g or
// -gline-tables-only. Read when a fault is told or a listing made and at no other time, so nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

struct SourceFrame {
  std::string function; ///< empty: not known
  std::string file;     ///< as the compiler wrote it
  uint32_t line = 0;    ///< 0: the instruction belongs to no line of its own
  uint32_t column = 0;  ///< 0: not known
};

/// The frames of the instruction at `address` (a virtual address of the ELF), innermost first. Empty where the file has
/// no debug information, or none for the address, or a damaged one: that is never an error.
std::vector<SourceFrame> findSourceFrames(std::span<const std::byte> elf, uint64_t address);
/// The same of many addresses, in their order: the file is read once.
std::vector<std::vector<SourceFrame>> findSourceFrames(std::span<const std::byte> elf,
                                                       std::span<const uint64_t> addresses);

/// A place of the source that the instructions from `address` on belong to, up to the next such entry.
struct SourceLine {
  uint64_t address;
  std::string file; ///< empty: none is known
  uint32_t line;
};
/// The lines of [begin, end), by address; the innermost function's where one is inlined. Empty as above.
std::vector<SourceLine> findSourceLines(std::span<const std::byte> elf, uint64_t begin, uint64_t end);

/// "at matmul.mlir:51:12 in matmul, inlined at llama.yaml:99:7 in model.layers.0.mlp.down_proj"; empty for no frames.
std::string describe(const std::vector<SourceFrame> &frames);

} // namespace nstf::emulator
