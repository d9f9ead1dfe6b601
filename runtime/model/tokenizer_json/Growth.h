// Limits the text that the rules of a tokenizer.json make of an input. Rules that each double the text would otherwise
// exhaust memory.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace nstf::runtime {

/// Maximum number of bytes (or tokens) that may be made of `given` ones: far more than any real tokenizer makes.
constexpr std::size_t maxGrowth(std::size_t given) { return (std::size_t(1) << 18) + 64 * given; }

/// Throws std::runtime_error when the rules at `place` made more than `max` bytes.
inline void checkGrowth(const std::string &place, std::size_t made, std::size_t max) {
  if (made > max)
    throw std::runtime_error(place + ": expected rules that make at most " + std::to_string(max) +
                             " bytes of this text but got more");
}

} // namespace nstf::runtime
