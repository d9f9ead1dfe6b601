// The files of templates/tuning. A file has the tuning rows of one template for one type, for one chip or for all:
//
//   provenance: {date: 2026-11-21, tool: by hand, kind: predicted}
//   rows:
//     - when: {M: [1, 16], N: [3072, .inf], K%64: [0, 0]} # inclusive ranges of the binding's extents, or of their
//                                                         # remainders; all must hold; without ranges the row holds
//       set: {BM: 16, BN: 64}                             # the template's parameters
//       schedule: {waves: 1x4, sum: 16 blocks}            # fields over the template's (support/Schedule.h); numbers
//                                                         # of blocks have their unit
//       precedence: 1                                     # default 0
//       because: one cell of rows
//       tuned: {by: predicted, us: 5.6, interval: [5.3, 6.0], runner_up: "BK=64 BM=64 BN=64 waves=2x2, 5.8 us",
//               chip: mi300x, compute_units: 304, clock: 2100}    # only in rows that nstf-tune found
//
// Of the rows that hold, only those of the largest precedence count; of these the one whose ranges lie inside the
// others' decides. Rows of equal precedence that can hold at once are an error, unless one lies inside the other.
//
// The files buckets.yaml and templates.yaml decide earlier; their own comments describe them.
#pragma once

#include "support/InputError.h"
#include "support/Schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf {

/// Ranges by name, or by name%divisor. The ends are inclusive; INT64_MIN and INT64_MAX are open ends.
using TuningRanges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// The reason why ranges don't hold for extents: "M is 40, not 1 to 16"; empty if they hold.
std::string getMismatch(const TuningRanges &ranges, const std::map<std::string, int64_t> &extents);

/// The time that nstf-tune found for a row, and the chip.
struct TunedTime {
  std::string by; ///< "predicted" or "measured"
  double microseconds = 0, min = 0, max = 0;
  std::string runnerUp;                ///< the next candidate, with its time
  std::string chip;                    ///< "mi300x"
  int64_t computeUnits = 0, clock = 0; ///< MHz
};

struct TuningRow {
  TuningRanges ranges;
  std::map<std::string, int64_t> parameters;
  support::Schedule schedule;
  int64_t precedence = 0;
  std::string because;
  std::optional<TunedTime> tuned;
  support::Place place; ///< place of the row

  /// The reason why the row does not hold; empty if it holds.
  std::string getMismatch(const std::map<std::string, int64_t> &extents) const {
    return nstf::getMismatch(ranges, extents);
  }
  /// Whether the other row holds wherever this one does, judging by the ranges of the same names.
  bool isInside(const TuningRow &other) const;
  /// Whether this row decides if both rows hold.
  bool isBefore(const TuningRow &other) const;
};

struct TuningTable {
  std::string provenance; ///< "predicted, by hand, 2026-11-21"
  std::vector<TuningRow> rows;

  /// Index of the row that decides: of the rows that hold, the one that TuningRow::isBefore puts first. Nothing if no
  /// row holds.
  std::optional<size_t> find(const std::map<std::string, int64_t> &extents) const;
};

/// Throws support::InputError "<file>:<line>:<column>: expected … but got …".
TuningTable parseTuning(std::string_view text, const std::string &file);

/// The files that may have the row for a template and a type, in the order in which they are read: those of the type,
/// then of a similar type (for bf16 f16, for e4m3fnuz i8, for int5 and int6 int4), then of f32. Within a type, first
/// the files of the `chips` (names of folders, the most specific first), then default's. Files need not exist, and a
/// chip's own needs only the rows that differ.
std::vector<std::string> listTuningFiles(const std::vector<std::string> &chips, const std::string &templateName,
                                         const std::string &type);

/// A line of buckets.yaml.
struct TokenBucket {
  int64_t max = 1; ///< tokens
  std::string because;
};

/// Parses buckets.yaml; the buckets are in ascending order. Throws like parseTuning.
std::vector<TokenBucket> parseBuckets(std::string_view text, const std::string &file);

/// A line of templates.yaml.
struct TemplateRule {
  std::pair<int64_t, int64_t> rows; ///< inclusive
  TuningRanges ranges;              ///< ranges of the binding's extents, as in tuning rows
  std::string templateName;
  std::string because;
  support::Place place; ///< place of the rule
};

/// Parses templates.yaml. The key is the operation ("linear"). Throws like parseTuning.
std::map<std::string, std::vector<TemplateRule>> parseTemplateRules(std::string_view text, const std::string &file);

} // namespace nstf
