// Numbers in text files. Whole numbers keep 64 bits, so every u64 and i64 value can be written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nstf::support {

/// "12", "-0x10", "1e-3", "nan", "-inf", "-0.0", "true".
struct Number {
  bool isWhole = false, negative = false;
  uint64_t magnitude = 0; ///< of a whole number, without sign
  double value = 0;       ///< of any number, rounded if it is not exact

  static std::optional<Number> parse(std::string_view text);
  static Number of(double value) { return {false, value < 0, 0, value}; }
  /// The number as a whole number; 3e2 and 5.0 count as whole. Nothing if it is not whole or does not fit in 64 bits.
  std::optional<Number> getWhole() const;
};

} // namespace nstf::support
