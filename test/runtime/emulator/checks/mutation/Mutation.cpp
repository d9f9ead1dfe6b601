// Measures what the checks find when waits, nops and barriers are deleted.
//
// Every s_waitcnt, s_nop and s_barrier that a suite case executes is deleted in turn from the compiled assembly, and
// the case runs twice again: under all checks, and under the adversary (Adversary.h), which shows independently of the
// checks whether the deletion can change a result. The checks must find a deletion that changes one. The intact kernels
// must give the same results under the adversary, and no finding.
//
// EmulatorMutation [--all] [--chip gfx942] [--case gemm.f16] [--level O3] [--list] [--intact]: without --all and --case
// only a sample of sites; --intact deletes nothing.
#include "runtime/emulator/checks/Checker.h"
#include "test/runtime/emulator/checks/mutation/Adversary.h"
#include "test/runtime/emulator/checks/mutation/Assembly.h"
#include "test/runtime/emulator/checks/mutation/Watched.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

struct Options {
  bool all = false, list = false, intact = false;
  std::string chip, name, level = "O3";
};

/// What happened to the deletions of one kind of site.
struct Tally {
  unsigned deleted = 0, changed = 0, changedFound = 0, foundOnly = 0, foundBackward = 0, silent = 0, notRun = 0;
  Tally &operator+=(const Tally &other) {
    deleted += other.deleted;
    changed += other.changed;
    changedFound += other.changedFound;
    foundOnly += other.foundOnly;
    foundBackward += other.foundBackward;
    silent += other.silent;
    notRun += other.notRun;
    return *this;
  }
  unsigned matter() const { return changed + foundOnly; }
  unsigned found() const { return changedFound + foundOnly; }
};

/// An intact case at one size: its outcome, and under which adversaries its outputs are bit-identical.
struct Intact {
  const suite::Case *test;
  int size;
  uint64_t steps = 0;
  std::unordered_set<uint64_t> executed;
  Outcome outcome;
  std::map<WaveOrder, bool> sameBits; ///< else only the case can judge
};

constexpr WaveOrder orders[] = {WaveOrder::Forward, WaveOrder::Backward, WaveOrder::Mixed};

class Mutation {
public:
  explicit Mutation(Options options) : options(std::move(options)) {}
  /// Exit status.
  int run();

private:
  void file(const std::string &name, const std::string &chip);
  std::optional<Intact> intact(const suite::Case &test, int size, const std::string &chip,
                               const std::vector<char> &code);
  void mutate(const Site &site, uint64_t address, const std::vector<Intact> &sizes, const std::string &chip,
              const std::vector<char> &code);
  bool wanted(const suite::Case &test, const std::string &chip) const;
  void mistake(const std::string &text) {
    std::printf("MISTAKE: %s\n", text.c_str());
    ++mistakes;
  }
  static Outcome adversary(const Intact &intact, const std::string &chip, const std::vector<char> &code,
                           WaveOrder order);

  Options options;
  std::map<std::string, Tally[3]> tallies; // by chip, then by kind of site
  unsigned mistakes = 0;
};

/// The sample: small cases that cover the differences between kernels, each with its maximum number of sites.
constexpr struct {
  const char *name, *chip;
  size_t sites;
} sample[] = {
    {"gemm_types.i8", "gfx942", 12},     {"gemm_types.f64", "gfx90a", 8}, {"gemm_types.f16Small", "gfx90a", 10},
    {"reduce.dpp", "gfx90a", 14},        {"reduce.lds", "gfx942", 10},    {"transpose.", "gfx942", 8},
    {"memory.directToLds", "gfx942", 8}, {"softmax.", "gfx90a", 8},       {"arithmetic.division", "gfx942", 12},
    {"atomics.sumsF32", "gfx942", 8},
};

std::string nameOf(const suite::Case &test) { return std::string(test.file) + "." + test.name; }

bool Mutation::wanted(const suite::Case &test, const std::string &chip) const {
  if (test.only && chip != test.only)
    return false;
  // These two test the HIP library's part in cooperative launches, which is not linked here.
  if (nameOf(test) == "cooperative.cooperativeLaunch" || nameOf(test) == "cooperative.tooLarge")
    return false;
  if (!options.chip.empty() && chip != options.chip)
    return false;
  if (!options.name.empty())
    return nameOf(test).starts_with(options.name);
  if (options.all)
    return std::strcmp(test.file, "traps") != 0; // these fault on purpose
  for (const auto &s : sample)
    if (chip == s.chip && nameOf(test).starts_with(s.name))
      return true;
  return false;
}

Outcome Mutation::adversary(const Intact &intact, const std::string &chip, const std::vector<char> &code,
                            WaveOrder order) {
  std::unique_ptr<Monitor> monitor = makeAdversary({.order = order});
  WatchedModule module(chip, code);
  module.monitor = monitor.get();
  module.stepLimit = intact.steps;
  return runCase(*intact.test, intact.size, module);
}

std::optional<Intact> Mutation::intact(const suite::Case &test, int size, const std::string &chip,
                                       const std::vector<char> &code) {
  std::string name = chip + " " + nameOf(test) + " " + std::to_string(size);
  Intact result{&test, size, 0, {}, {}, {}};
  {
    Coverage coverage;
    WatchedModule module(chip, code);
    module.monitor = &coverage;
    result.outcome = runCase(test, size, module);
    result.steps = coverage.steps * 8 + 50'000;
    result.executed = std::move(coverage.executed);
  }
  if (!result.outcome.ok()) {
    mistake(name + ": " + result.outcome.error);
    return std::nullopt;
  }
  {
    WatchedModule module(chip, code);
    auto checker =
        checks::makeChecker(checks::CheckSet::parse("all,hazard:strict", "mutation"), module.target, module.memory);
    module.monitor = checker.get();
    Outcome outcome = runCase(test, size, module);
    for (const Finding &finding : checker->findings())
      mistake(name + ": found in the intact kernel: " + finding.check + ": " + finding.text());
    if (!outcome.ok())
      mistake(name + ": under the checks: " + outcome.error);
    if (!checker->findings().empty() || !outcome.ok())
      return std::nullopt;
  }
  for (WaveOrder order : orders) {
    Outcome outcome = adversary(result, chip, code, order);
    if (!outcome.ok()) {
      mistake(name + ": wrong under the adversary: " + outcome.error);
      return std::nullopt;
    }
    result.sameBits[order] = outcome.outputs == result.outcome.outputs;
  }
  return result;
}

void Mutation::mutate(const Site &site, uint64_t address, const std::vector<Intact> &sizes, const std::string &chip,
                      const std::vector<char> &code) {
  bool found = false, changed = false, backward = false;
  std::string how, first;
  // A deletion may matter only with a second wave or a second iteration of a loop: try sizes until it does.
  for (const Intact &intact : sizes) {
    if (found || changed)
      break;
    if (!intact.executed.contains(address))
      continue;
    auto differs = [&](const Outcome &outcome, bool bits) {
      return !outcome.ok() || (bits && outcome.outputs != intact.outcome.outputs);
    };
    auto check = [&](const char *names) {
      WatchedModule module(chip, code);
      auto checker = checks::makeChecker(checks::CheckSet::parse(names, "mutation"), module.target, module.memory);
      module.monitor = checker.get();
      module.stepLimit = intact.steps;
      Outcome outcome = runCase(*intact.test, intact.size, module);
      found = !checker->findings().empty();
      first = found ? checker->findings()[0].check + ": " + checker->findings()[0].text() : outcome.error;
      return outcome;
    };
    Outcome checked = check("all,hazard:strict");
    changed = differs(checked, intact.sameBits.at(WaveOrder::Forward));
    how = changed ? "as it stands" : "";
    for (WaveOrder order : orders) {
      if (changed)
        break;
      changed = differs(adversary(intact, chip, code, order), intact.sameBits.at(order));
      how = changed ? "under the adversary" : "";
    }
    if (changed && !found) {
      check("all,hazard:strict,backward");
      backward = found;
    }
  }
  Tally &tally = tallies[chip][site.kind];
  ++tally.deleted;
  tally.changed += changed;
  tally.changedFound += changed && found;
  tally.foundOnly += found && !changed;
  tally.foundBackward += backward;
  tally.silent += !found && !changed;
  std::string what =
      chip + " " + nameOf(*sizes[0].test) + ", line " + std::to_string(site.line + 1) + ", without '" + site.text + "'";
  if (changed && !found)
    mistake(what + ": changes a result " + how + " and isn't found" + (first.empty() ? "" : ": " + first));
  if (options.list)
    std::printf("%s: %s%s%s\n", what.c_str(), changed ? "changes a result " : "same result", how.c_str(),
                found ? (", found: " + first).c_str() : ", nothing found");
}

void Mutation::file(const std::string &name, const std::string &chip) {
  std::vector<const suite::Case *> cases;
  for (const suite::Case *test : suite::cases())
    if (name == test->file && wanted(*test, chip))
      cases.push_back(test);
  if (cases.empty())
    return;
  Assembly assembly(std::string(NSTF_TEST_ROOT) + "/test/runtime/emulator/suite/" + name + ".hip", chip, options.level);
  std::vector<uint64_t> addresses;
  std::vector<char> code = assembly.link(addresses);
  std::vector<bool> done(assembly.sites().size());
  for (const suite::Case *test : cases) {
    std::vector<Intact> sizes;
    for (size_t k = 0; k < std::min<size_t>(2, test->sizes.size()); ++k)
      if (std::optional<Intact> whole = intact(*test, test->sizes[k], chip, code))
        sizes.push_back(std::move(*whole));
    if (options.intact || sizes.empty())
      continue;
    std::vector<size_t> sites;
    for (size_t i = 0; i < done.size(); ++i)
      if (!done[i] && std::any_of(sizes.begin(), sizes.end(),
                                  [&](const Intact &whole) { return whole.executed.contains(addresses[i]); }))
        sites.push_back(i);
    size_t most = sites.size();
    if (!options.all && options.name.empty())
      for (const auto &s : sample)
        if (chip == s.chip && nameOf(*test).starts_with(s.name))
          most = s.sites;
    // Take them evenly spread over all sites.
    for (size_t k = 0; k < std::min(most, sites.size()); ++k) {
      size_t i = sites[k * sites.size() / std::min(most, sites.size())];
      done[i] = true;
      mutate(assembly.sites()[i], addresses[i], sizes, chip, assembly.linkWithout(assembly.sites()[i]));
    }
  }
  if (options.all)
    for (size_t i = 0; i < done.size(); ++i)
      tallies[chip][assembly.sites()[i].kind].notRun += !done[i];
}

int Mutation::run() {
  std::set<std::string> files;
  for (const suite::Case *test : suite::cases())
    files.insert(test->file);
  for (const char *chip : {"gfx90a", "gfx942"})
    for (const std::string &name : files)
      file(name, chip);
  Tally sum;
  auto print = [](const std::string &what, const Tally &t) {
    std::printf(
        "%-20s %5u deleted: %5u matter (%u change a result, %u only by the rules), %u of them found (%.1f %%; %u "
        "with waves backward); %u needed by nothing here; %u never run\n",
        what.c_str(), t.deleted, t.matter(), t.changed, t.foundOnly, t.found(),
        t.matter() ? 100.0 * t.found() / t.matter() : 100.0, t.foundBackward, t.silent, t.notRun);
  };
  for (auto &[chip, byKind] : tallies)
    for (unsigned kind = 0; kind < 3; ++kind) {
      print(chip + " " + siteKindNames[kind], byKind[kind]);
      sum += byKind[kind];
    }
  print("mutations", sum);
  if (!sum.deleted && !options.intact)
    mistake("nothing was deleted");
  return mistakes ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--all")
      options.all = true;
    else if (argument == "--list")
      options.list = true;
    else if (argument == "--intact")
      options.intact = true;
    else if (argument == "--level" && i + 1 < argc)
      options.level = argv[++i];
    else if (argument == "--chip" && i + 1 < argc)
      options.chip = argv[++i];
    else if (argument == "--case" && i + 1 < argc)
      options.name = argv[++i];
    else {
      std::fprintf(stderr,
                   "expected --all, --list, --intact, --level O3, --chip CHIP or --case FILE.NAME but got '%s'\n",
                   argv[i]);
      return 2;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return Mutation(options).run();
}
