// nstf-tune: searches kernels' parameters and schedules, and writes them as tuning rows.
#include "compiler/catalog/TuningText.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/ModelProducts.h"
#include "mlir/IR/MLIRContext.h"
#include "support/CommandLineError.h"
#include "support/Escape.h"
#include "support/Progress.h"
#include "support/Tool.h"
#include "support/WriteFile.h"
#include "tools/nstf-tune/Search.h"
#include "tools/nstfc/Commands.h"
#include "tools/nstfc/KernelArguments.h"
#include "tools/nstfc/ModelOptions.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <thread>

using namespace nstf;
using namespace nstf::tune;

namespace fs = std::filesystem;

namespace {

constexpr char version[] = "nstf-tune " NSTF_VERSION;
/// The default number of candidates that are timed.
constexpr int64_t defaultBudget = 32;

const char *usage =
    "Finds the parameters and the schedule of a kernel: all that its template declares are ranked by "
    "the cost model, the\n"
    "first of them compiled and timed by the timing model, and the best becomes a tuning row.\n"
    "Usage: nstf-tune kernel KERNEL [OPTIONS] --target=CHIP [--templates=FOLDER | --ship]\n"
    "       nstf-tune model MODEL [OPTIONS] --target=CHIP [--templates=FOLDER | --ship]\n\n"
    "  nstf-tune kernel KERNEL --help  the options of one\n"
    "  nstf-tune model --help          the options of a model, whose products are searched one by one\n\n"
    "KERNEL is one that nstfc kernel --list shows, MODEL what nstfc compiles.\n";

std::atomic<bool> stop = false;

struct SearchArguments {
  OptionValues budget, jobs, rank, chip;
  bool ships = false, resumes = false;

  void add(CLI::App &app) {
    app.option_defaults()->group("The search");
    auto option = [&](const std::string &flag, OptionValues &values, const std::string &about) {
      return addOption(app, flag, values, about);
    };
    option("--budget", budget, "candidates that are timed [" + std::to_string(defaultBudget) + "]")->type_name("N");
    option("-j,--jobs", jobs, "candidates at once [one a core]")->type_name("N");
    option("--chip", chip, "whose time is predicted [the target's default]")->type_name("CHIP|FILE.yaml");
    option("--rank", rank, "print the first of the cost model's ranking, and time nothing")->type_name("N");
    app.add_flag("--ship", ships, "put the row into templates/tuning of the working folder, a source tree");
    app.add_flag("--resume", resumes, "go on with a search that was stopped");
    app.set_version_flag("--version", version, "print the version and leave");
  }
};

int64_t readCount(const std::string &flag, const OptionValues &values, int64_t otherwise) {
  std::optional<std::string> text = once(flag, values);
  int64_t count = text ? readInteger(flag, *text) : otherwise;
  if (count < 1)
    throw std::runtime_error(flag + ": expected at least 1 but got " + std::to_string(count));
  return count;
}

/// Whether a folder contains templates, so that nstfc accepts it.
bool hasTemplates(const fs::path &folder) {
  if (!fs::is_directory(folder))
    return false;
  return std::any_of(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator(),
                     [](const fs::directory_entry &entry) {
                       return entry.path().extension() == ".yaml" || entry.path().extension() == ".mlir";
                     });
}

void printRanking(const Search &search, size_t count) {
  const KernelCost::Space &space = search.getSpace();
  for (size_t i = 0; i < std::min(count, space.legal.size()); ++i)
    std::printf("%10.2f us  %-8s %s\n", space.legal[i].cost.microseconds, space.legal[i].cost.limiter.c_str(),
                space.legal[i].str().c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "%zu candidates, %zu legal, %.1f us a query\n", space.size, space.legal.size(),
               search.getQueryMicroseconds());
}

void printResult(const Search &search, const std::vector<Timed> &timed, const Timer &timer) {
  std::printf("%s of %s, %zu of %zu candidates\n", timer.getName().c_str(), timer.getChip().c_str(), timed.size(),
              search.getSpace().legal.size());
  for (size_t i = 0; i < std::min<size_t>(timed.size(), 5); ++i)
    std::printf("%10.2f us  %s%s\n", timed[i].trial.microseconds, timed[i].candidate.str().c_str(),
                timed[i].isOfRow ? " (today's choice)" : "");
  std::fflush(stdout);
}

SearchOptions makeOptions(const SearchArguments &arguments, const CompileOptions &compile) {
  if (compile.targets.size() != 1)
    throw std::runtime_error("--target: expected one chip, such as --target=gfx942, but got " +
                             std::to_string(compile.targets.size()));
  SearchOptions options;
  options.budget = readCount("--budget", arguments.budget, defaultBudget);
  options.jobs = readCount("--jobs", arguments.jobs, std::max(std::thread::hardware_concurrency(), 1u));
  options.resumes = arguments.resumes;
  options.folder = compile.overrides.templates;
  if (arguments.ships && !options.folder.empty())
    throw std::runtime_error("--ship: expected it without --templates");
  if (arguments.ships && !fs::is_directory("templates/tuning"))
    throw std::runtime_error("--ship: expected a source tree with templates/tuning in the working folder");
  if (arguments.ships)
    options.folder = "templates";
  return options;
}

/// Searches one kernel, and prints or writes its row.
int tune(const KernelDescription &description, KernelRequest request, SearchOptions options,
         const SearchArguments &arguments, mlir::MLIRContext &context) {
  request.compile.overrides.templates = hasTemplates(options.folder) ? options.folder.string() : "";
  Search search(description, request, context);
  if (failed(search.prepare()))
    return 1;
  if (!arguments.rank.empty()) {
    printRanking(search, readCount("--rank", arguments.rank, 1));
    return 0;
  }
  const fs::path table = options.folder / search.getTableName();
  if (!options.folder.empty()) {
    std::error_code error;
    fs::create_directories(table.parent_path(), error);
    support::checkWritable(table);
    options.journal = table.string() + ".journal";
  }
  const std::string target = request.compile.targets.front();
  std::unique_ptr<Timer> timer = makePredictor(once("--chip", arguments.chip).value_or(findTarget(target).defaultChip));
  if (options.resumes && search.isTuned(*timer)) {
    std::cout << "tuned already\n";
    return 0;
  }
  std::vector<Timed> timed = search.run(options, *timer, stop);
  printResult(search, timed, *timer);
  TuningRow row = search.makeRow(timed, *timer);
  if (options.folder.empty()) {
    std::cout << formatRow(row);
    return 0;
  }
  support::writeFile(table, search.putRow(options, row, *timer));
  std::cout << "a row of " << support::escape(table.string(), support::longLimit) << "\n";
  return 0;
}

/// Parses a command's options. Returns an exit status if that is all, as with --help.
std::optional<int> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    throw std::runtime_error(support::describeCommandLineError(app, error));
  }
  support::showProgress();
  std::signal(SIGINT, [](int) { stop = true; });
  return std::nullopt;
}

int tuneKernel(const std::string &kernel, int argc, char **argv) {
  KernelDescription description = KernelDescription::find(kernel);
  CLI::App app(description.getAbout(), "nstf-tune kernel " + kernel);
  KernelArguments ofKernel;
  SearchArguments arguments;
  ofKernel.add(app, description);
  arguments.add(app);
  if (std::optional<int> status = parse(app, argc, argv))
    return *status;
  KernelRequest request = ofKernel.makeRequest(description);
  SearchOptions options = makeOptions(arguments, request.compile);
  mlir::MLIRContext context(makeRegistry());
  printDiagnostics(context);
  return tune(description, request, options, arguments, context);
}

/// Each product of a model, for the most rows of each bucket of steps: rows are known at run time, as packages have it.
int tuneModel(int argc, char **argv) {
  CLI::App app("Searches the products of a model, one by one.", "nstf-tune model");
  CompileOptions compile;
  std::string precision = "auto";
  OptionValues rows;
  SearchArguments arguments;
  addModelOptions(app, compile, precision);
  arguments.add(app);
  addOption(app, "--rows", rows, "rows of the steps to search for [the most of each bucket]")
      ->delimiter(',')
      ->type_name("N,...");
  if (std::optional<int> status = parse(app, argc, argv))
    return *status;
  parseModelOptions(compile, precision);
  const SearchOptions options = makeOptions(arguments, compile);
  std::vector<int64_t> wanted;
  for (const std::string &one : rows)
    wanted.push_back(readCount("--rows", {one}, 1));
  compile.overrides.templates = hasTemplates(options.folder) ? options.folder.string() : "";
  mlir::MLIRContext context(makeRegistry());
  printDiagnostics(context);
  mlir::FailureOr<ModelProducts> found = findProducts(compile, context);
  if (failed(found))
    return 1;
  KernelDescription description = KernelDescription::find("matmul");
  for (int64_t count : wanted.empty() ? found->rows : wanted)
    for (const ModelProduct &product : found->products) {
      std::cout << "== " << count << " rows, " << product.str() << ", " << product.count << " in a step" << std::endl;
      KernelRequest request = product.request;
      request.values["m"] = std::to_string(count);
      request.runtimeRows = true;
      request.compile.targets = compile.targets;
      if (int status = tune(description, request, options, arguments, context))
        return status;
    }
  if (found->pairs)
    std::cout << "not searched: " << found->pairs << " kernels of two products of one operand\n";
  return 0;
}

int run(int argc, char **argv) {
  std::string command = argc > 1 ? argv[1] : "";
  if (command == "--version") {
    std::cout << version << "\n";
    return 0;
  }
  std::string kernel = argc > 2 ? argv[2] : "";
  bool asksForHelp = command == "kernel" && (kernel == "--help" || kernel == "-h");
  if (command == "--help" || command == "-h" || asksForHelp) {
    std::cout << usage;
    return 0;
  }
  if (command == "model")
    return tuneModel(argc - 1, argv + 1);
  if (command != "kernel")
    throw std::runtime_error("expected 'kernel' or 'model' but got " +
                             (command.empty() ? "nothing" : "'" + support::escape(command) + "'"));
  if (kernel.empty() || kernel.front() == '-')
    throw std::runtime_error("expected the name of a kernel but got " +
                             (kernel.empty() ? "none" : "'" + support::escape(kernel) + "'") +
                             " (nstfc kernel --list shows them)");
  return tuneKernel(kernel, argc - 2, argv + 2);
}

} // namespace

int main(int argc, char **argv) {
  return support::runTool([&] { return run(argc, argv); });
}
