// Numbers as people write them in a file. Whole numbers are kept to 64 bits, so that every u64 and i64 can be said.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nstf::support {

/// "12", "-0x10", "1e-3", "nan", "-inf", "-0.0", "true".
struct Number {
  bool isWhole = false, negative = false;
  uint64_t magnitude = 0; ///< of a whole number
  double value = 0;       ///< of any number, rounded where it has to be

  static std::optional<Number> parse(std::string_view text);
  static Number of(double value) { return {false, value < 0, 0, value}; }
  /// The same as a whole number, which 3e2 and 5.0 are too; nothing where it is none of 64 bits.
  std::optional<Number> getWhole() const;
};

} // namespace nstf::support
