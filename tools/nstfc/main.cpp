// nstfc: compiles a model to a package of AMD GPU code objects. The command line around compiler/driver/Compile.h.
#include "compiler/driver/Compile.h"
#include "compiler/driver/CrashHandler.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/OptionRegex.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Remarks.h"
#include "compiler/driver/Verify.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "support/Path.h"
#include "support/Tool.h"
#include "support/WriteFile.h"
#include "tools/nstfc/KernelOptions.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <unistd.h>

using namespace nstf;

namespace {

struct CommandLine {
  CompileOptions compile;
  std::string output, emit = "package", weights = "pack", remarks, explain;
  bool explains = false;
  RemarkLog log; ///< for --explain
  bool listTargets = false, listOps = false, timePasses = false, verify = false, keepFailed = false;
  int verifyTokens = 16;
  std::vector<std::string> verifySteps, verifyInputs;
  VerifyOptions verification;
};

void addOptions(CLI::App &app, CommandLine &line) {
  app.add_option("model", line.compile.input,
                 "Hugging Face folder (config.json, *.safetensors), YAML graph or .mlir in the nstf dialect");
  app.add_option("-o,--output", line.output, "package folder, or file for --emit of another stage (default: stdout)");
  app.add_option("--target", line.compile.targets, "chip: gfx90a, gfx942, an alias, or a .yaml file; repeatable")
      ->take_all();
  app.add_option("--emit", line.emit, "stage: nstf, fused, systolic, gpu, llvm, isa, hsaco or package")
      ->capture_default_str();
  app.add_option("--dump-stages", line.compile.dumpStages, "folder that gets the text of every stage");
  app.add_option("--weights", line.weights, "pack, reference, random:SEED or none")->capture_default_str();
  app.add_option("--context", line.compile.context, "positions of a run, where others are wanted than the model says");
  app.add_option("--architecture", line.compile.architectures,
                 "a .yaml file that describes an architecture, beside those nstfc knows; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--precision", line.compile.precision, "type of matrix operands, weights and KV caches; sums are f32")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  app.add_option("--max-tokens", line.compile.maxTokens,
                 "tokens of the largest step; longer prompts run in pieces (default: the context, at most 512)");
  app.add_option("--tokenizer", line.compile.tokenizer,
                 "tokenizer that the package gets instead of the model's: *.json (tokenizer.json), *.model "
                 "(sentencepiece), *.bin (tok512) or none");
  app.add_option("--wave", line.compile.waveSize, "wave size: 0 (chosen), 32 or 64")->capture_default_str();
  app.add_flag("--verify", line.verify,
               "run package and float64 reference on the same inputs on the emulator, and compare every kernel; the "
               "package takes its place when it passes");
  app.add_option("--verify-tokens", line.verifyTokens, "tokens that --verify runs")->capture_default_str();
  app.add_option("--verify-steps", line.verifySteps,
                 "other steps instead, TOKENS or TOKENS@POSITION: there on states full of random numbers (64,1@511)")
      ->delimiter(',');
  app.add_option("--verify-input", line.verifyInputs, "NAME=FILE.npy: numbers for an input of --verify; repeatable");
  app.add_option("--verify-report", line.verification.reportFile,
                 "JSON file that gets what --verify found, and what the emulator counted of each kernel");
  app.add_flag("--keep-failed", line.keepFailed,
               "keep a package that --verify refuses, as NAME.failed; what was at NAME stays in any case");
  app.add_option("--explain", line.explain,
                 "print what each kernel is made of and why; of those whose name matches the expression")
      ->expected(0, 1)
      ->default_str(".*");
  app.add_option("--remarks", line.remarks, "print the decisions of passes whose category matches this expression")
      ->expected(0, 1)
      ->default_str(".*");
  app.add_option("--reproducer-dir", line.compile.reproducerDir,
                 "folder for what replays an internal error (default: the working directory)");
  app.add_flag("--time-passes", line.timePasses, "print where the time went");
  app.add_flag("--list-targets", line.listTargets, "print the chips and leave");
  app.add_flag("--list-ops", line.listOps, "print the operations of the nstf dialect and leave");
  app.footer("One kernel by itself, with a C header: nstfc kernel --help");
  app.set_version_flag("--version", "nstfc " NSTF_VERSION);
}

int printTargets() {
  for (const Target &target : nstf::listTargets()) {
    std::cout << target.name << ": " << target.description << "\n  ";
    for (const std::string &alias : target.aliases)
      std::cout << "also " << alias << ", ";
    std::cout << target.computeUnits << " compute units, LDS " << target.ldsBytes << " bytes, " << target.vgprsPerLane
              << " VGPRs, wave sizes";
    for (int64_t size : target.waveSizes)
      std::cout << " " << size;
    std::cout << ", fp8 " << target.fp8 << "\n";
  }
  return 0;
}

int printOps(mlir::MLIRContext &context) {
  for (const std::string &name : listOperations(context))
    std::cout << name << "\n";
  return 0;
}

void parseWeights(CommandLine &line) {
  using manifest::WeightsMode;
  llvm::StringRef mode = line.weights;
  if (mode.consume_front("random:")) {
    line.compile.weights = WeightsMode::Random;
    if (mode.getAsInteger(10, line.compile.seed))
      throw std::runtime_error("--weights: expected random:SEED with an integer but got '" + line.weights + "'");
    return;
  }
  if (mode != "pack" && mode != "reference" && mode != "none")
    throw std::runtime_error("--weights: expected pack, reference, random:SEED or none but got '" + line.weights + "'");
  line.compile.weights = mode == "pack"        ? WeightsMode::Pack
                         : mode == "reference" ? WeightsMode::Reference
                                               : WeightsMode::None;
}

/// Steps and given inputs of --verify.
void parseVerification(CommandLine &line) {
  if (line.verifyTokens < 1)
    throw std::runtime_error("--verify-tokens: expected 1 or more but got " + std::to_string(line.verifyTokens));
  line.verification.steps = {line.verifyTokens, 1};
  if (!line.verifySteps.empty())
    line.verification.steps.clear();
  for (const std::string &text : line.verifySteps) {
    auto [tokens, position] = llvm::StringRef(text).split('@');
    int64_t count = 0, start = 0;
    bool hasPosition = text.find('@') != std::string::npos;
    if (tokens.getAsInteger(10, count) || count < 1 || (hasPosition && (position.getAsInteger(10, start) || start < 0)))
      throw std::runtime_error("--verify-steps: expected TOKENS or TOKENS@POSITION but got '" + text + "'");
    line.verification.steps.push_back({count, hasPosition ? std::optional(start) : std::nullopt});
  }
  std::map<std::string, runtime::HostTensor> values;
  for (const std::string &text : line.verifyInputs) {
    auto [name, file] = llvm::StringRef(text).split('=');
    if (name.empty() || file.empty())
      throw std::runtime_error("--verify-input: expected NAME=FILE.npy but got '" + text + "'");
    values[name.str()] = runtime::readNpy(file.str());
  }
  if (values.empty())
    return;
  line.verification.changeInput = [values](const std::string &input, runtime::HostTensor &value) {
    auto given = values.find(input);
    if (given == values.end())
      return;
    if (given->second.type != value.type || given->second.shape != value.shape)
      throw std::runtime_error("--verify-input: expected '" + input + "' to be " + value.str() + " but got " +
                               given->second.str());
    value = given->second;
  };
}

/// A line on the terminal that is written over and over, and wiped at the end.
void showProgress(CompileOptions &options) {
  if (!isatty(STDERR_FILENO))
    return;
  options.progress = [](size_t done, size_t all, const std::string &what) {
    std::cerr << "\r\033[K[" << done << "/" << all << "] " << what << std::flush;
    if (done == all)
      std::cerr << "\r\033[K" << std::flush;
  };
}

/// Where --keep-failed puts a package: beside its place.
std::filesystem::path getFailedPlace(const CommandLine &line) {
  return support::findTarget(line.output).path.string() + ".failed";
}

/// What cannot be written is said before anything is computed.
void checkOutputs(const CommandLine &line, Stage stage) {
  if (line.verify && !line.verification.reportFile.empty())
    support::checkWritable(line.verification.reportFile);
  if (line.output.empty())
    return;
  if (stage != Stage::Package)
    return support::checkWritable(line.output);
  checkPackagePlace(line.output);
  if (line.keepFailed)
    checkPackagePlace(getFailedPlace(line));
}

int writePackage(Compilation &compilation, const CommandLine &line) {
  PackageTrial trial;
  if (line.verify)
    trial.passes = [&](const std::filesystem::path &package) {
      return verify(compilation, package, line.verification, std::cout) == 0;
    };
  if (line.keepFailed)
    trial.failedPackage = getFailedPlace(line);
  if (compilation.writePackage(line.output, trial))
    return 0;
  throw std::runtime_error(
      line.output + ": expected a package that passes --verify but this one doesn't; " +
      (line.keepFailed ? "it is kept as " + trial.failedPackage.string() : "--keep-failed would keep it"));
}

int run(CommandLine &line, mlir::MLIRContext &context) {
  if (line.compile.input.empty())
    throw std::runtime_error("expected a model but got none (--help shows the options)");
  std::optional<Stage> stage = parseStage(line.emit);
  if (!stage)
    throw std::runtime_error("--emit: expected nstf, fused, systolic, gpu, llvm, isa, hsaco or package but got '" +
                             line.emit + "'");
  parseWeights(line);
  if (line.compile.targets.empty() && *stage > Stage::Fused)
    throw std::runtime_error("--target: expected at least one chip (--list-targets) but got none");
  if (line.verify && (*stage != Stage::Package || line.compile.weights == manifest::WeightsMode::None))
    throw std::runtime_error("--verify: expected a package with weights to run but got --emit=" + line.emit +
                             " --weights=" + line.weights);
  parseVerification(line);
  if (line.explains && *stage != Stage::Package)
    throw std::runtime_error("--explain: expected a package or nothing to write but got --emit=" + line.emit);
  if (line.explains && line.verify)
    throw std::runtime_error("--explain: expected no --verify beside it");
  if (line.explains)
    parseRegex("--explain", line.explain);
  if (*stage == Stage::Package && line.output.empty() && !line.explains)
    throw std::runtime_error("-o: expected a folder for the package but got none");
  if (*stage == Stage::Hsaco && line.compile.targets.size() != 1)
    throw std::runtime_error("--emit=hsaco: expected one target but got " +
                             std::to_string(line.compile.targets.size()));
  if (line.keepFailed && !line.verify)
    throw std::runtime_error("--keep-failed: expected --verify beside it");
  checkOutputs(line, *stage);
  showProgress(line.compile);

  mlir::DefaultTimingManager timing;
  timing.setEnabled(line.timePasses);
  mlir::TimingScope root = timing.getRootScope();
  if (line.explains)
    line.compile.remarks = &line.log;
  Compilation compilation(context, line.compile, root);
  if (failed(compilation.run(line.output.empty() ? std::min(*stage, Stage::Hsaco) : *stage)))
    return 1;
  if (line.explains) {
    std::string text = explain(compilation, line.explain.empty() ? ".*" : line.explain);
    if (!line.output.empty())
      compilation.writePackage(line.output);
    std::cout << text;
    return 0;
  }
  if (*stage != Stage::Package) {
    std::string text = compilation.getText(*stage);
    if (line.output.empty())
      std::cout << text;
    else
      support::writeFile(line.output, text);
    return 0;
  }
  return writePackage(compilation, line);
}

int runModelCommand(int argc, char **argv) {
  CommandLine line;
  CLI::App app("Compiles transformer models to AMD GPU code objects, with everything needed to launch them.", "nstfc");
  addOptions(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    throw std::runtime_error(std::string(error.what()) + " (nstfc --help lists the options)");
  }

  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerCodegenTranslations(registry);
  mlir::MLIRContext context(registry);
  printDiagnostics(context);
  line.explains = app.count("--explain") > 0;
  std::optional<std::string> printed;
  if (app.count("--remarks"))
    printed = line.remarks.empty() ? ".*" : line.remarks;
  if (printed || line.explains)
    enableRemarks(context, printed, line.explains ? &line.log : nullptr);
  return line.listTargets ? printTargets() : line.listOps ? printOps(context) : run(line, context);
}

} // namespace

int main(int argc, char **argv) {
  std::string command;
  for (int i = 0; i < argc; ++i)
    command += (i ? " " : "") + std::string(argv[i]);
  installCrashHandler(command);
  bool isKernel = argc > 1 && llvm::StringRef(argv[1]) == "kernel";
  return support::runTool(
      [&] { return isKernel ? runKernelCommand(argc - 1, argv + 1) : runModelCommand(argc, argv); });
}
