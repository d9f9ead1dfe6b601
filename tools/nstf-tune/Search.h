// Searches a kernel's parameters and schedule: the cost model ranks the candidates, the first ones are timed, and the
// best one becomes a tuning row.
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
  unsigned jobs = 1;             ///< candidates that are timed at once
  bool resumes = false;          ///< use the results of an interrupted search
  std::filesystem::path folder;  ///< folder for the row, laid out like templates/; empty: not written
  std::filesystem::path journal; ///< file beside the table; empty: none
};

/// A candidate with its trial.
struct Timed {
  TuningCandidate candidate;
  Trial trial;
  bool isOfRow = false; ///< the candidate of the existing row
  double worst = 0;     ///< worst-case us, if several candidates are alike; 0: not measured
};

/// The valid ones, sorted by time.
std::vector<Timed> sortByTime(std::vector<Timed> all);
/// The number of sorted candidates that are within 2 % of the fastest; they count as alike.
size_t countAlike(const std::vector<Timed> &sorted);
/// Moves the best of the first `alike` to the front: the one with the best worst-case time (if they differ by more than
/// 1 %), then with the fewest registers, then with the least LDS, then that of the existing row, then by its text.
void chooseBest(std::vector<Timed> &sorted, size_t alike);

/// A search for one kernel on one target.
class Search {
public:
  /// Throws std::runtime_error if the template has no tuning space, or none of its candidates is legal.
  Search(const KernelDescription &description, KernelRequest request, mlir::MLIRContext &context);

  /// Ranks the candidates. Emits diagnostics.
  mlir::LogicalResult prepare();
  /// All legal candidates; those that are fastest by the cost model come first.
  const KernelCost::Space &getSpace() const { return space; }
  /// The cost model's time for each candidate, legal or not.
  double getQueryMicroseconds() const { return queryMicroseconds; }
  /// Path of the tuning file, relative to the folder of templates.
  std::string getTableName() const;
  /// Everything that determines the result, in one line.
  std::string describe(const SearchOptions &options, const Timer &timer) const;
  /// The timed candidates, best first. Empty if none is valid: then the last one's fault is printed on standard error.
  std::vector<Timed> run(const SearchOptions &options, const Timer &timer, const std::atomic<bool> &stop);
  /// Whether the table that was used has a row for exactly these sizes that was tuned for the timer's chip.
  bool isTuned(const Timer &timer) const;
  TuningRow makeRow(const std::vector<Timed> &timed, const Timer &timer) const;
  /// The text of the tuning file with the row.
  std::string putRow(const SearchOptions &options, TuningRow row, const Timer &timer) const;

private:
  /// The existing row's candidate, then the cost model's first ones, without those of `known`.
  std::vector<Timed> chooseCandidates(const std::vector<Timed> &known, size_t count) const;
  /// Candidates next to the fastest known one; if all of these are known, next to the second, and so on. They differ
  /// from it in one field that the cost model does not judge, or in one parameter, in `waves`, or in both; those come
  /// first that are fastest by the cost model.
  std::vector<Timed> findNeighbours(const std::vector<Timed> &known, size_t count) const;
  bool isNext(const TuningCandidate &one, const TuningCandidate &center) const;
  /// Times candidates and appends them to `known`.
  void addTimed(std::vector<Timed> candidates, std::vector<Timed> &known, const SearchOptions &options,
                const Timer &timer, Journal *journal, const std::atomic<bool> &stop) const;
  /// Tries all candidates in `options.jobs` threads, except those in the journal.
  std::vector<Trial> tryAll(const std::vector<Timed> &candidates, bool isWorst, const SearchOptions &options,
                            const Timer &timer, Journal *journal, const std::atomic<bool> &stop) const;
  KernelRequest makeRequest(const TuningCandidate &candidate) const;
  /// If the candidate leaves `sum` open, sets it to the number of columns that the existing row sums separately, since
  /// that determines precision, not speed.
  void keepSums(TuningCandidate &candidate) const;

  const KernelDescription &description;
  KernelRequest request;
  mlir::MLIRContext &context;
  TemplateFiles files;
  Target target;
  KernelChoice row; ///< the choice without this search
  std::string type; ///< of the tuning file
  std::map<std::string, int64_t> extents;
  KernelCost::Space space;
  double queryMicroseconds = 0;
};

} // namespace nstf::tune
