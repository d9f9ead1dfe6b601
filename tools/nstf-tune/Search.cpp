#include "tools/nstf-tune/Search.h"
#include "compiler/catalog/TuningText.h"
#include "mlir/Support/Timing.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Progress.h"
#include "support/Sha256.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

using namespace nstf;
using namespace nstf::tune;

namespace fs = std::filesystem;

/// Times within the factor tieBand count as alike; so do worst times within the factor worstBand.
static constexpr double tieBand = 1.02, worstBand = 1.01;
/// The timing model's relative error for kernels that matrix products limit, and for others (tools/bench timing).
static constexpr double errorOfProducts = 0.05, errorOfWaiting = 0.07;
/// Neighbours that are timed before the fastest candidate is looked for again.
static constexpr size_t neighboursOfRound = 8;
/// The parameter with the number of rows, which M gives too.
static constexpr const char *rowsParameter = "ROWS";

std::vector<Timed> nstf::tune::sortByTime(std::vector<Timed> all) {
  std::erase_if(all, [](const Timed &one) { return !one.trial.isValid(); });
  auto rank = [](const Timed &one) { return std::pair(one.trial.microseconds, one.candidate.str()); };
  std::sort(all.begin(), all.end(), [&](const Timed &one, const Timed &other) { return rank(one) < rank(other); });
  return all;
}

size_t nstf::tune::countAlike(const std::vector<Timed> &sorted) {
  return std::count_if(sorted.begin(), sorted.end(), [&](const Timed &one) {
    return one.trial.microseconds <= sorted.front().trial.microseconds * tieBand;
  });
}

void nstf::tune::chooseBest(std::vector<Timed> &sorted, size_t alike) {
  if (alike == 0)
    return;
  auto end = sorted.begin() + alike;
  double least = std::min_element(sorted.begin(), end, [](const Timed &one, const Timed &other) {
                   return one.worst < other.worst;
                 })->worst;
  auto rank = [&](const Timed &one) {
    return std::tuple(one.worst > least * worstBand, one.trial.registers, one.trial.ldsBytes, !one.isOfRow,
                      one.candidate.str());
  };
  auto best = std::min_element(sorted.begin(), end,
                               [&](const Timed &one, const Timed &other) { return rank(one) < rank(other); });
  std::rotate(sorted.begin(), best, best + 1);
}

Search::Search(const KernelDescription &description, KernelRequest asked, mlir::MLIRContext &context)
    : description(description), request(std::move(asked)), context(context),
      files(getTemplateFiles(request.compile.overrides)), target(findTarget(request.compile.targets.front())) {}

mlir::LogicalResult Search::prepare() {
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root = timing.getRootScope();
  KernelCompilation compilation(context, description, request, root);
  if (mlir::failed(compilation.run(Stage::Fused)))
    return mlir::failure();
  mlir::ModuleOp model = compilation.getCompilation().getModel();
  KernelOp kernel = *model.getOps<KernelOp>().begin();
  int64_t tokens = compilation.getCompilation().getMaxTokens();
  KernelChooser chooser(kernel, tokens, files);
  mlir::FailureOr<KernelChoice> choice = chooser.choose(tokens, target);
  if (mlir::failed(choice))
    return mlir::failure();
  row = *choice;
  type = getTuningType(kernel);
  extents = chooser.getExtents(row, tokens);
  extents.erase(rowsParameter);
  auto begin = std::chrono::steady_clock::now();
  mlir::FailureOr<KernelCost::Space> ranked = chooser.rank(row, tokens, target);
  if (mlir::failed(ranked))
    return mlir::failure();
  space = std::move(*ranked);
  std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  if (space.size == 0)
    throw std::runtime_error("expected a template with a space (tune) but " + row.templateName + " has none");
  queryMicroseconds = took.count() / double(space.size);
  const TuningOverrides &overrides = request.compile.overrides.tuning;
  std::erase_if(space.legal, [&](TuningCandidate &one) {
    for (const auto &[name, value] : overrides.parameters)
      if (!one.parameters.contains(name) || one.parameters.at(name) != value)
        return true;
    support::Schedule fields = one.schedule;
    fields.apply(overrides.schedule);
    bool differs = overrides.schedule.waves && one.schedule.waves != overrides.schedule.waves;
    one.schedule = fields;
    return differs;
  });
  if (space.legal.empty())
    throw std::runtime_error("expected a legal candidate among " + std::to_string(space.size) + " but got none" +
                             (space.refusal.empty() ? "" : "; the last one: " + space.refusal));
  for (TuningCandidate &one : space.legal)
    keepSums(one);
  return mlir::success();
}

bool Search::isTuned(const Timer &timer) const {
  std::optional<std::string_view> text = files.find(getTableName());
  if (!text)
    return false;
  TuningRanges exact;
  for (const auto &[name, value] : extents)
    exact[name] = {value, value};
  return llvm::any_of(parseTuning(*text, getTableName()).rows, [&](const TuningRow &one) {
    return one.tuned && one.tuned->chip == timer.getChip() && one.ranges == exact;
  });
}

void Search::keepSums(TuningCandidate &candidate) const {
  auto of = [](const std::map<std::string, int64_t> &parameters) {
    auto found = parameters.find("BK");
    return found == parameters.end() ? 1 : found->second;
  };
  std::optional<int64_t> sum = row.schedule.sum;
  if (!sum || candidate.schedule.sum)
    return;
  candidate.schedule.sum = *sum == support::Schedule::allBlocks
                               ? *sum
                               : std::max<int64_t>(*sum * of(row.tuning) / of(candidate.parameters), 1);
}

std::string Search::getTableName() const {
  return "tuning/" + target.name + "/" + row.templateName + "/" + type + ".yaml";
}

std::string Search::describe(const SearchOptions &options, const Timer &timer) const {
  std::string data;
  for (const std::string &name : files.list())
    data += name + "\n" + std::string(*files.find(name)) + "\n";
  std::string text = std::string(NSTF_VERSION) + " " + description.getName();
  for (const auto &[key, value] : request.values)
    text += " " + key + "=" + value;
  for (const std::string &setting : request.compile.overrides.tuning.getTexts())
    text += " " + setting;
  return text + (request.runtimeRows ? " runtime" : "") + " w=" + request.compile.quantize + " x=" + request.rowCodes +
         " on " + target.name + ", budget " + std::to_string(options.budget) + ", " + timer.getName() + " by " +
         timer.describe() + ", data " + support::sha256Hex(data).substr(0, 16);
}

/// Appends a candidate that neither list has.
static void addNew(std::vector<Timed> &list, const std::vector<Timed> &known, Timed one) {
  auto isSame = [&](const Timed &other) { return other.candidate.isSame(one.candidate); };
  if (llvm::none_of(known, isSame) && llvm::none_of(list, isSame))
    list.push_back(std::move(one));
}

std::vector<Timed> Search::chooseCandidates(const std::vector<Timed> &known, size_t count) const {
  std::vector<Timed> chosen;
  if (!row.tuning.empty())
    addNew(chosen, known, {{row.tuning, row.schedule, {}}, {}, /*isOfRow=*/true});
  for (const TuningCandidate &one : space.legal) {
    if (chosen.size() >= count)
      break;
    addNew(chosen, known, {one, {}, false});
  }
  return chosen;
}

bool Search::isNext(const TuningCandidate &one, const TuningCandidate &center) const {
  size_t changes = llvm::count_if(one.parameters, [&](const auto &entry) {
    auto other = center.parameters.find(entry.first);
    return other == center.parameters.end() || other->second != entry.second;
  });
  return changes == 1 || (changes == 0 && one.schedule.waves != center.schedule.waves);
}

std::vector<Timed> Search::findNeighbours(const std::vector<Timed> &known, size_t count) const {
  for (const Timed &center : sortByTime(known)) {
    std::vector<Timed> found;
    for (const auto &[field, values] : space.unjudged)
      for (const std::string &value : values) {
        TuningCandidate next = center.candidate;
        next.schedule.set(field, value);
        addNew(found, known, {std::move(next), {}, false});
      }
    for (const TuningCandidate &one : space.legal) {
      if (found.size() >= count)
        break;
      if (!isNext(one, center.candidate))
        continue;
      TuningCandidate next = one;
      for (const auto &[field, values] : space.unjudged)
        if (std::string value = center.candidate.schedule.get(field); !value.empty())
          next.schedule.set(field, value);
      addNew(found, known, {std::move(next), {}, false});
    }
    if (!found.empty()) {
      found.resize(std::min(found.size(), count));
      return found;
    }
  }
  return {};
}

KernelRequest Search::makeRequest(const TuningCandidate &candidate) const {
  KernelRequest one = request;
  one.compile.overrides.tuning.parameters = candidate.parameters;
  one.compile.overrides.tuning.schedule = candidate.schedule;
  return one;
}

std::vector<Trial> Search::tryAll(const std::vector<Timed> &candidates, bool isWorst, const SearchOptions &options,
                                  const Timer &timer, Journal *journal, const std::atomic<bool> &stop) const {
  std::vector<Trial> trials(candidates.size());
  support::Progress progress((isWorst ? "tuning at the worst " : "tuning ") + row.templateName, "candidates",
                             candidates.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < candidates.size() && !stop; i = next++) {
      const TuningCandidate &candidate = candidates[i].candidate;
      const std::string text = candidate.str() + (isWorst ? " worst" : "");
      std::optional<Trial> known = journal ? journal->find(text) : std::nullopt;
      trials[i] = known ? *known : tryKernel(description, makeRequest(candidate), timer, isWorst, stop);
      if (journal && !known && !stop)
        journal->add(text, trials[i]);
      progress.add();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (stop)
    throw std::runtime_error("stopped; --resume goes on from here");
  return trials;
}

void Search::addTimed(std::vector<Timed> candidates, std::vector<Timed> &known, const SearchOptions &options,
                      const Timer &timer, Journal *journal, const std::atomic<bool> &stop) const {
  for (auto [one, trial] : llvm::zip_equal(candidates, tryAll(candidates, false, options, timer, journal, stop))) {
    one.trial = trial;
    known.push_back(std::move(one));
  }
}

std::vector<Timed> Search::run(const SearchOptions &options, const Timer &timer, const std::atomic<bool> &stop) {
  std::optional<Journal> journal;
  if (!options.journal.empty())
    journal.emplace(options.journal, describe(options, timer), options.resumes);
  Journal *known = journal ? &*journal : nullptr;
  // Half of the budget is for what the cost model says, half for what is next to the fastest.
  std::vector<Timed> candidates;
  addTimed(chooseCandidates(candidates, (options.budget + 1) / 2), candidates, options, timer, known, stop);
  while (candidates.size() < options.budget) {
    size_t left = options.budget - candidates.size();
    std::vector<Timed> next = findNeighbours(candidates, std::min(left, neighboursOfRound));
    if (next.empty())
      next = chooseCandidates(candidates, left);
    if (next.empty())
      break;
    addTimed(std::move(next), candidates, options, timer, known, stop);
  }
  std::vector<Timed> sorted = sortByTime(candidates);
  if (sorted.empty())
    throw std::runtime_error("expected a candidate that compiles but got none; the last one: " +
                             candidates.back().candidate.str() + ": " + candidates.back().trial.fault);
  if (size_t alike = countAlike(sorted); alike > 1) {
    const std::vector<Timed> first(sorted.begin(), sorted.begin() + alike);
    for (auto [one, trial] : llvm::zip(sorted, tryAll(first, true, options, timer, known, stop)))
      one.worst = trial.microseconds;
    chooseBest(sorted, alike);
  }
  if (journal)
    journal->remove();
  return sorted;
}

static std::string formatTime(double microseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f us", microseconds);
  return text;
}

TuningRow Search::makeRow(const std::vector<Timed> &timed, const Timer &timer) const {
  const Timed &best = timed.front();
  TuningRow made;
  for (const auto &[name, value] : extents)
    made.ranges[name] = {value, value};
  made.parameters = best.candidate.parameters;
  made.schedule = best.candidate.schedule;
  double time = best.trial.microseconds;
  double error = best.candidate.cost.limiter == "matrix" ? errorOfProducts : errorOfWaiting;
  made.tuned =
      TunedTime{timer.getName(),
                time,
                time * (1 - error),
                time * (1 + error),
                timed.size() > 1 ? timed[1].candidate.str() + ", " + formatTime(timed[1].trial.microseconds) : "none",
                timer.getChip(),
                timer.getComputeUnits(),
                timer.getClock()};
  made.because = "the best of " + std::to_string(timed.size()) + " of " + std::to_string(space.legal.size());
  auto before = std::find_if(timed.begin(), timed.end(), [](const Timed &one) { return one.isOfRow; });
  if (before != timed.end() && before != timed.begin())
    made.because += "; today's choice, " + before->candidate.str() + ", took " + formatTime(before->trial.microseconds);
  return made;
}

std::string Search::putRow(const SearchOptions &options, TuningRow made, const Timer &timer) const {
  const std::string name = getTableName();
  const fs::path path = options.folder / name;
  std::string text;
  if (fs::exists(path))
    text = support::readTextFile(path);
  else if (std::optional<std::string_view> shipped = TemplateFiles::getShipped().find(name)) // a new file replaces it
    text = std::string(*shipped);
  if (!text.empty())
    for (const TuningRow &other : parseTuning(text, path.string()).rows)
      if (other.getMismatch(extents).empty())
        made.precedence = std::max(made.precedence, other.precedence);
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  const std::string header = "# " + row.templateName + ", " + type + ", " + target.name + ": rows of nstf-tune's.\n";
  return nstf::putRow(text, path.string(), made, header,
                      "{date: " + std::string(date) + ", tool: nstf-tune, kind: " + timer.getName() + "}");
}
