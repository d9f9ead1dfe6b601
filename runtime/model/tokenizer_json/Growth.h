// What the rules of a tokenizer.json may make of a text. Rules that double it, one after another, would take all
// memory.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace nstf::runtime {

/// Bytes (or tokens) that may come of so many: far more than any real tokenizer makes.
constexpr std::size_t maxGrowth(std::size_t given) { return (std::size_t(1) << 18) + 64 * given; }

/// Throws std::runtime_error where the rules at `place` made more than that.
inline void checkGrowth(const std::string &place, std::size_t made, std::size_t max) {
  if (made > max)
    throw std::runtime_error(place + ": expected rules that make at most " + std::to_string(max) +
                             " bytes of this text but got more");
}

} // namespace nstf::runtime
