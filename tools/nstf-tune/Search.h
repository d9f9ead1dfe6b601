// The search for a kernel's parameters and schedule: ranked by the cost model, the first of them timed, the best
// written down as a tuning row.
#pragma once

#include "compiler/catalog/Catalog.h"
#include "compiler/catalog/TuningTable.h"
#include "compiler/driver/KernelCommand.h"
#include "tools/nstf-tune/Trial.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nstf::tune {

struct SearchOptions {
  size_t budget = 0;             ///< candidates that are timed
  unsigned jobs = 1;             ///< at once
  bool resumes = false;          ///< with what a search that was stopped has found
  std::filesystem::path folder;  ///< that gets the row, laid out like templates/; empty: none does
  std::filesystem::path journal; ///< beside the table; empty: there is none
};

/// A candidate with its trial.
struct Timed {
  TuningCandidate candidate;
  Trial trial;
  bool isOfRow = false; ///< what the row that was there says
  double worst = 0;     ///< us at the worst, of one that others are alike; 0: none is
};

/// Those that are valid, by their times.
std::vector<Timed> sortByTime(std::vector<Timed> all);
/// Of sorted ones: so many are within 2 % of the fastest, and count as alike.
size_t countAlike(const std::vector<Timed> &sorted);
/// Brings the best of the first `alike` to the front: the better worst time, where these differ by more than 1 %, then
/// fewest registers, then least LDS, then the one that was there, then by its text.
void chooseBest(std::vector<Timed> &sorted, size_t alike);

/// What a search is about: one kernel, one target.
class Search {
public:
  /// Throws std::runtime_error where the template has no space, or no candidate of it is legal.
  Search(const KernelDescription &description, KernelRequest request, mlir::MLIRContext &context);

  /// Emits diagnostics.
  mlir::LogicalResult prepare();
  /// All legal candidates, by the cost model the fastest first.
  const KernelCost::Space &getSpace() const { return space; }
  /// Time that the cost model took for each candidate, legal or not.
  double getQueryMicroseconds() const { return queryMicroseconds; }
  /// Below the folder of templates.
  std::string getTableName() const;
  /// What decides of the result, in one line.
  std::string describe(const SearchOptions &options, const Timer &timer) const;
  /// The best first. Empty where none is valid: the last one's fault is said on standard error.
  std::vector<Timed> run(const SearchOptions &options, const Timer &timer, const std::atomic<bool> &stop);
  TuningRow makeRow(const std::vector<Timed> &timed, const Timer &timer) const;
  /// The table with the row in it.
  std::string putRow(const SearchOptions &options, TuningRow row, const Timer &timer) const;

private:
  std::vector<Timed> chooseCandidates(size_t budget) const;
  /// Trials of all candidates, by as many threads as `options` say; those that the journal knows aren't made again.
  std::vector<Trial> tryAll(const std::vector<Timed> &candidates, bool isWorst, const SearchOptions &options,
                            const Timer &timer, Journal *journal, const std::atomic<bool> &stop) const;
  KernelRequest requestOf(const TuningCandidate &candidate) const;
  /// As many columns as the row that was there adds up by themselves: that is precision, not speed.
  void keepSums(TuningCandidate &candidate) const;

  const KernelDescription &description;
  KernelRequest request;
  mlir::MLIRContext &context;
  TemplateFiles files;
  Target target;
  KernelChoice row; ///< that decides so far
  std::string type; ///< of the table
  std::map<std::string, int64_t> extents;
  KernelCost::Space space;
  double queryMicroseconds = 0;
};

} // namespace nstf::tune
