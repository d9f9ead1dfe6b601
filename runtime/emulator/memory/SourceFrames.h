// Source locations of instructions: the functions and lines that a code object's DWARF gives for an address.
//
// Works for any code object: NSTF's (kernel template inlined into a layer of the model), or clang's with -g or
// -gline-tables-only. The DWARF is read only for messages of faults and for listings, so nothing is cached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

struct SourceFrame {
  std::string function; ///< empty: unknown
  std::string file;     ///< as written by the compiler
  uint32_t line = 0;    ///< 0: the instruction belongs to no line
  uint32_t column = 0;  ///< 0: unknown
};

/// Whether the file has debug sections.
bool hasDebugInformation(std::span<const std::byte> elf);

/// The frames of the instruction at `address` (a virtual address of the ELF), innermost first. Empty if the file has no
/// debug information, none for the address, or damaged information; none of these is an error.
std::vector<SourceFrame> findSourceFrames(std::span<const std::byte> elf, uint64_t address);
/// The same for many addresses, in their order; the file is read once.
std::vector<std::vector<SourceFrame>> findSourceFrames(std::span<const std::byte> elf,
                                                       std::span<const uint64_t> addresses);

/// The source line of the instructions from `address` to the next entry.
struct SourceLine {
  uint64_t address;
  std::string file; ///< empty: unknown
  uint32_t line;
};
/// The lines of [begin, end), by address; for inlined code, those of the innermost function. Empty in the same cases as
/// above.
std::vector<SourceLine> findSourceLines(std::span<const std::byte> elf, uint64_t begin, uint64_t end);

/// "at matmul.mlir:51:12 in matmul, inlined at llama.yaml:99:7 in model.layers.0.mlp.down_proj"; empty for no frames.
std::string describe(const std::vector<SourceFrame> &frames);

} // namespace nstf::emulator
