// The timing model's constants of a chip: typed, validated, each with its source.
//
// A constant is a line of TimingFields.def and a value in templates/targets/timing; "mi300x" and the others there are
// built in, any other chip is a file (--timing=FILE.yaml), which may say only what differs from a built-in one
// (`base`).
#pragma once

#include "support/ChipFile.h"

#include <cstdint>
#include <span>

namespace nstf::emulator::timing {

/// SIMDs of a compute unit at most: HW_ID has two bits for their number.
constexpr uint32_t maxSimds = 4;

struct ChipTiming {
  std::string name, target; ///< "mi300x", "gfx942"
#define NSTF_TIMING_FIELD(type, key, name, unit, min, what) type name = 0;
#include "runtime/emulator/timing/TimingFields.def"
  support::ChipFile file; ///< the constants as the file has them, with their sources

  /// A built-in chip by its name. Throws std::runtime_error, which lists the known ones.
  static const ChipTiming &find(std::string_view name);
  /// A file's. Throws support::InputError "file:line:column: expected … but got …" for a constant that is unknown,
  /// missing, negative or of another unit, and for constants that contradict one another.
  static ChipTiming load(const std::filesystem::path &path);
  static ChipTiming parse(std::string_view text, const std::string &file);
  /// A built-in chip, or the file where `text` ends in .yaml: what --timing= takes.
  static ChipTiming choose(const std::string &text);
  /// Names of the built-in chips.
  static std::vector<std::string> names();

  uint32_t computeUnitsPerXcd() const { return computeUnits / xcds; }
};

/// A constant as such, for tests and tools that go through all of them.
struct TimingField {
  const char *key, *unit, *what;
  double min;
  bool isWhole;
  bool isModelled; ///< predictions follow from it
  double (*get)(const ChipTiming &chip);
  void (*set)(ChipTiming &chip, double value);
};

std::span<const TimingField> timingFields();

} // namespace nstf::emulator::timing
