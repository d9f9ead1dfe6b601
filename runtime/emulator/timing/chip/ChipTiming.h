// A chip's constants for the timing model: typed and validated, each with its source.
//
// A constant is a line of TimingFields.def and a value in templates/targets/timing. The chips there, such as "mi300x",
// are built in. Any other chip is a file (--timing=FILE.yaml), which may give only its differences from a built-in one
// (`base`).
#pragma once

#include "support/ChipFile.h"

#include <cstdint>
#include <span>

namespace nstf::emulator::timing {

/// Maximum number of SIMDs of a compute unit: HW_ID has two bits for the SIMD.
constexpr uint32_t maxSimds = 4;

struct ChipTiming {
  std::string name, target; ///< "mi300x", "gfx942"
#define NSTF_TIMING_FIELD(type, key, name, unit, min, what) type name = 0;
#include "runtime/emulator/timing/chip/TimingFields.def"
  support::ChipFile file; ///< the constants as in the file, with their sources

  /// A built-in chip by name. Throws std::runtime_error, which lists the built-in chips.
  static const ChipTiming &find(std::string_view name);
  /// Reads a chip from a file. Throws support::InputError "file:line:column: expected … but got …" for a constant that
  /// is unknown, missing, negative or of another unit, and for constants that contradict one another.
  static ChipTiming load(const std::filesystem::path &path);
  static ChipTiming parse(std::string_view text, const std::string &file);
  /// The chip that --timing= names: a file if `text` ends in .yaml, else a built-in chip.
  static ChipTiming choose(const std::string &text);
  /// Names of the built-in chips.
  static std::vector<std::string> names();

  uint32_t computeUnitsPerXcd() const { return computeUnits / xcds; }
};

/// Description of a constant, for tests and tools that iterate over all of them.
struct TimingField {
  const char *key, *unit, *what;
  double min;
  bool isWhole;
  bool isModelled; ///< whether predictions depend on it
  double (*get)(const ChipTiming &chip);
  void (*set)(ChipTiming &chip, double value);
};

std::span<const TimingField> timingFields();

} // namespace nstf::emulator::timing
