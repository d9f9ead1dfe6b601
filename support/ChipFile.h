// A chip's constants with their sources: the files of templates/targets/timing, for the compiler and the emulator.
//
//   name: mi210
//   target: gfx90a
//   description: AMD Instinct MI210, CDNA2
//   base: mi250x                # whatever isn't said here is as on that chip; without it everything must be said
//   constants:
//     l2_latency: {value: 249, unit: clk, mark: M, source: "…", rejected: [{value: 302, source: "…", why: "…"}]}
//     barrier_clocks: {value: 32, unit: clk, mark: U, source: "…", range: {lowest: 16, highest: 100, why: "…"}}
//
// A range says what a constant that nobody measured (I, U) may plausibly be: `tools/bench kernels --uncertain`.
// Which constants there are and what their units must be is the reader's business that asks for them.
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

  Place place;      ///< of the key
  double value = 0; ///< finite
  std::string unit, source;
  char mark = 'U'; ///< D vendor, M measured by a third party, I inferred, U unverified
  std::vector<Rejected> rejected;
  std::optional<Range> range; ///< holds the value; of marks I and U alone
};

struct ChipFile {
  Place place; ///< of the list of constants
  std::string name, target, description;
  std::map<std::string, ChipConstant> constants; ///< by key, those of the base included

  /// The text of a built-in file ("targets/timing/mi300x.yaml"), nothing where there is none: nstf::templateText.
  using Lookup = std::function<std::optional<std::string_view>(std::string_view file)>;

  /// Throws InputError, as the others do.
  static ChipFile read(const YamlValue &document, const Lookup &lookup);
  /// A built-in chip that `name`, a value of another file, names.
  static ChipFile builtIn(const YamlValue &name, const Lookup &lookup);
  /// The same, or the file where `name` ends in .yaml, from the folder of the file that names it.
  static ChipFile named(const YamlValue &name, const Lookup &lookup);

  /// A constant that must be there, in this unit.
  const ChipConstant &get(const std::string &key, const std::string &unit) const;
  /// The same of a whole number of at least `min`, in whatever unit.
  uint64_t whole(const std::string &key, uint64_t min) const;
};

} // namespace nstf::support
