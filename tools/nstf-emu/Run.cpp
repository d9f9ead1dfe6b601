// nstf-emu run: runs the launches of a file, with their checks, results and report.
#include "runtime/emulator/launch/Report.h"
#include "runtime/emulator/launch/TimingReport.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/WriteFile.h"
#include "tools/nstf-emu/Commands.h"
#include "tools/nstf-emu/Options.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace nstf::emulator::tool {
namespace {

struct RunOptions {
  SessionArguments session;
  LaunchLimits limits;
  TimingArguments timing;
  std::string report;
  std::vector<std::string> print;
  size_t mismatches = 1;
  bool quiet = false, all = false;
};

/// "c" or "c[16:32]": a buffer and the elements to print.
struct PrintRequest {
  const BufferDescription *buffer;
  uint64_t begin, end;

  static PrintRequest parse(const std::string &text, const LaunchFile &file) {
    std::string name = text.substr(0, text.find('['));
    PrintRequest request{file.buffer(name), 0, 0};
    if (!request.buffer) {
      std::vector<std::string> known;
      for (const BufferDescription &buffer : file.buffers)
        known.push_back(buffer.name);
      throw InputError("--print: expected one of the launch file's buffers but got '" + support::escape(name) + "'" +
                       support::didYouMean(name, known));
    }
    request.end = std::min<uint64_t>(request.buffer->elements(), 64);
    if (name.size() == text.size())
      return request;
    uint64_t begin = 0, end = 0;
    int taken = 0;
    std::string range = text.substr(name.size());
    if (std::sscanf(range.c_str(), "[%lu:%lu]%n", &begin, &end, &taken) != 2 || size_t(taken) != range.size() ||
        begin > end || end > request.buffer->elements())
      throw InputError("--print: expected NAME[BEGIN:END] with elements up to " +
                       std::to_string(request.buffer->elements()) + " but got '" + support::escape(text) + "'");
    request.begin = begin;
    request.end = end;
    return request;
  }

  void print(const LaunchSession &session) const {
    std::span<std::byte> bytes = session.contents(buffer->name);
    unsigned size = sizeOf(buffer->type);
    std::cout << buffer->name << ": " << buffer->str() << "\n";
    const uint64_t perLine = 8;
    for (uint64_t i = begin; i < end; ++i)
      std::cout << (i == begin || (i - begin) % perLine == 0 ? "  " + indexText(i, buffer->shape) + ":" : "") << " "
                << toText(buffer->type, bytes.data() + i * size)
                << (i + 1 == end || (i - begin) % perLine == perLine - 1 ? "\n" : "");
  }
};

std::string dimensions(const std::array<uint32_t, 3> &d) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" + std::to_string(d[2]);
}

void printLaunch(size_t number, const PreparedLaunch &launch, const LaunchResult &result) {
  uint64_t instructions = countInstructions(result.statistics);
  std::cout << "launch " << number << ": " << launch.kernel->name << ", grid " << dimensions(launch.shape.grid)
            << ", block " << dimensions(launch.shape.block)
            << (launch.description->repeat > 1 ? ", " + std::to_string(launch.description->repeat) + " times" : "")
            << ": " << grouped(instructions) << " wave instructions in " << shortSeconds(result.seconds)
            << " of the emulator's time, " << shortRate(double(instructions) / result.seconds) << "/s\n";
}

/// The more severe of two exit statuses.
int worse(int status, int other) { return status == foundFault || other == fine ? status : other; }

/// `predictor`: null runs the launches untimed.
int runLaunches(LaunchSession &session, LaunchPredictor *predictor, const RunOptions &options, Report &report,
                std::string &error) {
  int status = fine;
  size_t number = 0;
  for (const PreparedLaunch &launch : session.launches()) {
    const PredictedLaunch predicted = [&] {
      LaunchProgress progress("launch " + std::to_string(number) + " " + launch.kernel->name);
      const LaunchOptions how = options.limits.launchOptions(&progress);
      return predictor ? predictor->predict(launch, how) : PredictedLaunch{session.run(launch, how), {}};
    }();
    const LaunchResult &result = predicted.result;
    predictor ? report.add(launch, predicted, *predictor) : report.add(launch, result);
    if (!options.quiet)
      printLaunch(number, launch, result);
    if (!options.quiet && predictor)
      print(*predictor, launch, predicted, std::cout);
    for (const Finding &finding : result.findings) {
      status = foundFault;
      if (finding.isFirst || options.all)
        std::cerr << finding.check << ": " << describe(session, finding) << "\n";
    }
    if (result.fault) {
      std::cerr << "fault: " << describe(session, *result.fault) << "\n";
      error = describe(session, *result.fault);
      return foundFault;
    }
    ++number;
  }
  if (session.droppedFindings())
    std::cerr << "and findings at " << session.droppedFindings() << " more places\n";
  return status;
}

int checkResults(LaunchSession &session, const RunOptions &options, Report &report) {
  int status = fine;
  session.writeOutputs();
  for (const OutputDescription &output : session.file().outputs)
    if (!options.quiet) {
      const BufferDescription &buffer = *session.file().buffer(output.buffer);
      std::cout << "output " << buffer.name << ", " << buffer.str() << ": "
                << summary(buffer.type, session.contents(buffer.name)) << " -> "
                << session.file().resolve(output.file).string() << "\n";
    }
  for (const Comparison &comparison : session.compare(options.mismatches)) {
    report.add(comparison);
    if (!comparison.passed()) {
      std::cerr << "expect: " << comparison.text() << "\n";
      for (size_t i = 1; i < comparison.first.size(); ++i) // the first is already in the text
        std::cerr << "  " << comparison.first[i].index << ": expected " << comparison.first[i].expected << " but got "
                  << comparison.first[i].got << "\n";
      status = unexpected;
    } else if (!options.quiet) {
      std::cout << "expect: " << comparison.text() << "\n";
    }
  }
  return status;
}

int run(const RunOptions &options) {
  if (!options.report.empty())
    support::checkWritable(options.report);
  LaunchFile file = LaunchFile::read(options.session.file);
  const std::optional<timing::ChipTiming> chip = options.timing.chosenChip();
  SessionOptions sessionOptions = options.session.options();
  sessionOptions.chip = chip ? &chip->file : nullptr;
  sessionOptions.allPlaces = options.all;
  LaunchSession session(std::move(file), sessionOptions);
  std::vector<PrintRequest> prints;
  for (const std::string &text : options.print)
    prints.push_back(PrintRequest::parse(text, session.file()));
  const std::unique_ptr<LaunchPredictor> predictor = chip ? options.timing.predictor(session, *chip) : nullptr;
  Report report(session);
  InterruptGuard guard;
  if (!options.quiet)
    support::showProgress();
  std::string error;
  int status = runLaunches(session, predictor.get(), options, report, error);
  if (error.empty() && options.timing.isComplete())
    status = worse(status, checkResults(session, options, report));
  for (const PrintRequest &request : prints)
    request.print(session);
  if (!options.quiet)
    for (const Finding &finding : session.advice())
      std::cerr << finding.check << " advice: " << describe(session, finding) << "\n";
  if (!options.report.empty())
    support::writeFile(options.report, report.text(status, error));
  return status;
}

} // namespace

Command addRun(CLI::App &app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command = app.add_subcommand("run", "run the launches of a launch file, compare and write the results");
  command->footer("\nA fault ends the run: outputs are not written then. Example:\n"
                  "  nstf-emu run launch.yaml --check=all --report=report.json --print=c[0:16]\n"
                  "  nstf-emu run launch.yaml --timing=mi300x --report=report.json\n"
                  "Exit status: 0 all is well, 1 bad input, 2 a fault, a finding or a stopped launch, 3 a result that "
                  "was not expected.");
  options->session.add(*command);
  options->session.addCheck(*command);
  options->limits.add(*command);
  options->timing.add(*command);
  command->add_option("--report", options->report, "JSON file that gets all there is to know about the run")
      ->type_name("FILE");
  command
      ->add_option("--print", options->print,
                   "print a buffer's first 64 elements at the end, or those of a range, also after a fault; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME[BEGIN:END]");
  command
      ->add_option("--mismatches", options->mismatches,
                   "how many elements that are not as expected to tell of each buffer")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--all", options->all,
                    "print every finding, not only the first of each rule at a place and the count of the others");
  command->add_flag("--quiet", options->quiet, "say nothing but findings, faults and unexpected results");
  return [options] { return run(*options); };
}

} // namespace nstf::emulator::tool
