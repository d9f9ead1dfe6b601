// Where the code of a loaded image lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nstf::emulator {

using Code = std::span<const uint8_t>;

/// The addresses of code are those in the image, which must outlive it.
struct CodeRanges {
  std::vector<Code> texts;     ///< the executable ranges
  std::vector<Code> functions; ///< those whose symbol has a size, by address

  /// The bytes from `address` to the end of its text; empty outside of the texts.
  Code from(uint64_t address) const;
  /// The function that `address` lies in; empty if none is known.
  Code findFunction(uint64_t address) const;
  size_t dwords() const;
};

inline uint64_t getBegin(Code code) { return reinterpret_cast<uint64_t>(code.data()); }
inline uint64_t getEnd(Code code) { return getBegin(code) + code.size(); }

} // namespace nstf::emulator
