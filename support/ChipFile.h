// A chip's constants with their sources: the files of templates/targets/timing, for the compiler and the emulator.
//
//   name: mi210
//   target: gfx90a
//   description: AMD Instinct MI210, CDNA2
//   base: mi250x                # gives every constant that is missing here; without a base none may be missing
//   constants:
//     l2_latency: {value: 249, unit: clk, mark: M, source: "…", rejected: [{value: 302, source: "…", why: "…"}]}
//     barrier_clocks: {value: 32, unit: clk, mark: U, source: "…", range: {lowest: 16, highest: 100, why: "…"}}
//
// A range gives the plausible values of a constant that nobody measured (marks I and U); see
// `tools/bench kernels --uncertain`. The reader does not check which constants exist or their units; its callers do.
#pragma once

#include "support/Yaml.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace nstf::support {

struct ChipConstant {
  struct Rejected {
    double value = 0;
    std::string source, why;
  };
  struct Range {
    double lowest = 0, highest = 0;
    std::string why;
  };

  Place place;      ///< place of the key
  double value = 0; ///< finite
  std::string unit, source;
  char mark = 'U'; ///< D vendor, M measured by a third party, I inferred, U unverified
  std::vector<Rejected> rejected;
  std::optional<Range> range; ///< contains the value; only for marks I and U
};

struct ChipFile {
  Place place; ///< place of the list of constants
  std::string name, target, description;
  std::map<std::string, ChipConstant> constants; ///< by key, with those of the base

  /// Returns the text of a built-in file ("targets/timing/mi300x.yaml"), or nothing if there is none:
  /// nstf::templateText.
  using Lookup = std::function<std::optional<std::string_view>(std::string_view file)>;

  /// Throws InputError, as do the functions below.
  static ChipFile read(const YamlValue &document, const Lookup &lookup);
  /// The built-in chip called `name`, which is a value of another file.
  static ChipFile builtIn(const YamlValue &name, const Lookup &lookup);
  /// The file `name`, relative to the folder of the file that names it, if `name` ends in .yaml; else the built-in
  /// chip.
  static ChipFile named(const YamlValue &name, const Lookup &lookup);

  /// The constant `key`. Throws InputError if it is missing or has another unit.
  const ChipConstant &get(const std::string &key, const std::string &unit) const;
  /// The constant `key` as a whole number of at least `min`, in any unit.
  uint64_t whole(const std::string &key, uint64_t min) const;
};

} // namespace nstf::support
