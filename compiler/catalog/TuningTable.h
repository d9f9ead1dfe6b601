// The files of templates/tuning. Tuning rows of one template for one type, on one chip or on all:
//
//   provenance: {date: 2026-11-21, tool: by hand, kind: predicted}
//   rows:
//     - when: {M: [1, 16], N: [3072, .inf], K%64: [0, 0]} # inclusive ranges of what the binding says, or of what a
//                                                         # division of it leaves; all must hold, none: always
//       set: {BM: 16, BN: 64}                             # the template's parameters
//       schedule: {waves: 1x4, sum: 16 blocks}            # fields over the template's (support/Schedule.h), numbers of
//                                                         # blocks with their unit
//       precedence: 1                                     # 0 where it doesn't say
//       because: one cell of rows
//       tuned: {by: predicted, us: 5.6, interval: [5.3, 6.0], runner_up: "BK=64 BM=64 BN=64 waves=2x2, 5.8 us",
//               chip: mi300x, compute_units: 304, clock: 2100}    # of rows that nstf-tune has found
//
// Of the rows that hold, those of the largest precedence are asked, and of these the one whose ranges lie inside the
// others' decides. Rows of equal precedence that could hold at once, neither inside the other, are refused.
//
// What decides before them says in its own header what it means: buckets.yaml and templates.yaml.
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

/// Inclusive ends, INT64_MIN and INT64_MAX where open; by name, or name%divisor.
using TuningRanges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// Why ranges don't hold of extents: "M is 40, not 1 to 16"; empty where they do.
std::string getMismatch(const TuningRanges &ranges, const std::map<std::string, int64_t> &extents);

/// What a row of nstf-tune's took on which chip.
struct TunedTime {
  std::string by; ///< "predicted" or "measured"
  double microseconds = 0, min = 0, max = 0;
  std::string runnerUp;                ///< the next one, and what it took
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
  support::Place place; ///< of the row

  /// Why the row does not hold; empty where it does.
  std::string getMismatch(const std::map<std::string, int64_t> &extents) const {
    return nstf::getMismatch(ranges, extents);
  }
  /// Whether all ranges of the other row hold wherever this one's do, by what each says of the same names.
  bool isInside(const TuningRow &other) const;
  /// Whether it decides where it and another one of the table hold.
  bool isBefore(const TuningRow &other) const;
};

struct TuningTable {
  std::string provenance; ///< "predicted, by hand, 2026-11-21"
  std::vector<TuningRow> rows;

  /// Index of the row that decides.
  std::optional<size_t> find(const std::map<std::string, int64_t> &extents) const;
};

/// Throws support::InputError "<file>:<line>:<column>: expected … but got …".
TuningTable parseTuning(std::string_view text, const std::string &file);

/// The files that may hold the row for a template and a type, in the order in which they are asked: those of the type,
/// for bf16 then those of f16 and for e4m3fnuz those of i8, then those of f32; of each type those of the `chips` (names
/// of folders, the most special first), then default's. Files need not exist, and a chip's own need only hold the rows
/// that differ.
std::vector<std::string> listTuningFiles(const std::vector<std::string> &chips, const std::string &templateName,
                                         const std::string &type);

/// A line of buckets.yaml.
struct TokenBucket {
  int64_t max = 1; ///< tokens
  std::string because;
};

/// Ascending. Throws like parseTuning.
std::vector<TokenBucket> parseBuckets(std::string_view text, const std::string &file);

/// A line of templates.yaml.
struct TemplateRule {
  std::pair<int64_t, int64_t> rows; ///< inclusive
  TuningRanges ranges;              ///< of what a kernel's binding says, too
  std::string templateName;
  std::string because;
  support::Place place; ///< of the rule
};

/// By operation ("linear"). Throws like parseTuning.
std::map<std::string, std::vector<TemplateRule>> parseTemplateRules(std::string_view text, const std::string &file);

} // namespace nstf
