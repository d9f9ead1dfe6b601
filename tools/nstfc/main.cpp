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
#include "nstf/PackageInfo.h"
#include "support/ByteSize.h"
#include "support/Path.h"
#include "support/Progress.h"
#include "support/StandardOutput.h"
#include "support/Tool.h"
#include "support/WriteFile.h"
#include "tools/nstfc/CompressOptions.h"
#include "tools/nstfc/KernelOptions.h"
#include "tools/nstfc/PackOptions.h"
#include "llvm/Support/MathExtras.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <utility>

using namespace nstf;

namespace {

struct CommandLine {
  CompileOptions compile;
  std::string output, emit = "package", weights = "pack", precision = "auto", remarks, explain;
  bool explains = false;
  RemarkLog log; ///< for --explain
  bool quiet = false, listTargets = false, listOps = false, timePasses = false, verify = false, keepFailed = false;
  std::optional<int64_t> verifyTokens;
  std::vector<std::string> verifySteps, verifyInputs;
  VerifyOptions verification;
};

void addOptions(CLI::App &app, CommandLine &line) {
  app.add_option("model", line.compile.input,
                 "Hugging Face folder (config.json, *.safetensors), YAML graph or .mlir in the nstf dialect")
      ->type_name("FOLDER|FILE");
  app.add_option("-o,--output", line.output, "package folder, or file for --emit of another stage (default: stdout)")
      ->type_name("FOLDER|FILE");
  app.add_option("--target", line.compile.targets, "chip, an alias or a file that describes one; repeatable")
      ->type_name("FILE.yaml|" + getTargetNames())
      ->take_all();
  app.add_option("--emit", line.emit, "stage to end with")
      ->type_name("{nstf,fused,systolic,gpu,llvm,isa,hsaco,package}")
      ->capture_default_str();
  app.add_option("--dump-stages", line.compile.dumpStages, "folder that gets the text of every stage")
      ->type_name("FOLDER");
  app.add_option("--weights", line.weights, "packed, left where they are, generated from a seed, or given at run time")
      ->type_name("{pack,reference,random:SEED,none}")
      ->capture_default_str();
  app.add_option("--context", line.compile.context, "positions of a run, where others are wanted than the model says")
      ->type_name("N");
  app.add_option("--architecture", line.compile.architectures,
                 "a .yaml file that describes an architecture, beside those nstfc knows; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FILE.yaml");
  app.add_option("--templates", line.compile.wishes.templates,
                 "a folder of kernels and tuning, over those nstfc has: templates/README.md")
      ->type_name("FOLDER");
  std::vector<std::string> precisionNames = {"auto"};
  for (Precision precision : precisions)
    precisionNames.push_back(getName(precision).str());
  app.add_option("--precision", line.precision,
                 "type of matrix operands, weights and KV caches; sums are f32. auto is the one that most bytes of the "
                 "weights' matrices are stored in, without weights that of config.json, or else f32")
      ->check(CLI::IsMember(precisionNames))
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option(
         "--quantize", line.compile.quantize,
         "weights of linears as codes, rounded to nearest: int4, int5, int6 or int8 with a scale a row, with _asym "
         "also a zero; with _g32, _g64 or _g128 a scale and a zero a group (int4_g128), with _sym no zeros; e4m3fnuz "
         "likewise, without zeros")
      ->type_name("FORMAT");
  app.add_option(
         "--activations", line.compile.activations,
         "rows that linears read, as codes with a scale a row: i8 where the weights are int8, e4m3fnuz where they are "
         "e4m3fnuz (default: what the checkpoint says, else none)")
      ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
      ->type_name("TYPE");
  app.add_option("--kv-cache", line.compile.kvCache,
                 "what caches hold of keys and values, as codes with a scale for each token and head: i8, or e4m3fnuz "
                 "on chips that have it (default: what the checkpoint says, else none)")
      ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
      ->type_name("TYPE");
  app.add_option("--max-tokens", line.compile.maxTokens,
                 "tokens of the largest step; longer prompts run in pieces (default: the context, at most 512)")
      ->type_name("N");
  app.add_option("--tokenizer", line.compile.tokenizer,
                 "tokenizer that the package gets instead of the model's: *.json (tokenizer.json), *.model "
                 "(sentencepiece), *.bin (tok512) or none")
      ->type_name("FILE|{none}");
  app.add_option("--wave-size", line.compile.waveSize, "lanes of a wave; 0: chosen")
      ->type_name("{0,32,64}")
      ->capture_default_str();
  auto setWaveSize = [&line](int64_t size) { // by the name it had before
    if (std::exchange(line.compile.waveSize, size))
      throw CLI::ExcludesError("--wave", "--wave-size");
  };
  app.add_option_function<int64_t>("--wave", setWaveSize)->group("");
  app.add_flag("--verify", line.verify,
               "run package and float64 reference on the same inputs on the emulator, and compare every kernel; the "
               "package takes its place when it passes");
  app.add_option("--verify-tokens", line.verifyTokens, "tokens that --verify runs (default: 16, or as many as fit)")
      ->type_name("N");
  app.add_option("--verify-steps", line.verifySteps,
                 "other steps instead, TOKENS or TOKENS@POSITION: there on states full of random numbers (64,1@511)")
      ->type_name("STEP,...");
  app.add_option("--verify-input", line.verifyInputs, "numbers for an input of --verify; repeatable")
      ->type_name("NAME=FILE.npy");
  app.add_option("--verify-report", line.verification.reportFile,
                 "JSON file that gets what --verify found, and what the emulator counted of each kernel")
      ->type_name("FILE");
  app.add_flag("--keep-failed", line.keepFailed,
               "keep a package that --verify refuses, as NAME.failed; what was at NAME stays in any case");
  app.add_option("--explain", line.explain,
                 "print what each kernel is made of and why; of those whose name matches the expression")
      ->expected(0, 1)
      ->type_name("REGEX")
      ->default_str(".*");
  app.add_option("--remarks", line.remarks, "print the decisions of passes whose category matches this expression")
      ->expected(0, 1)
      ->type_name("REGEX")
      ->default_str(".*");
  app.add_option("--reproducer-dir", line.compile.reproducerDir,
                 "folder for what replays an internal error (default: the working directory)")
      ->type_name("FOLDER");
  app.add_flag("--quiet", line.quiet, "neither progress nor what the package needs, on standard error");
  app.add_flag("--time-passes", line.timePasses, "print where the time went");
  app.add_flag("--list-targets", line.listTargets, "print the chips and leave");
  app.add_flag("--list-ops", line.listOps, "print the operations of the nstf dialect and leave");
  app.footer("One kernel by itself, with a C header: nstfc kernel --help\n"
             "A checkpoint in fewer bits: nstfc calibrate --help, nstfc compress --help; a matrix: nstfc pack --help");
  // These commands have command lines of their own.
  support::addCommonOptions(app, "nstfc " NSTF_VERSION, [&app] {
    support::CompletionCommand command = support::describeCommand(app);
    command.commands.push_back(describeKernelCommand());
    for (support::CompletionCommand &other : describeCompressCommands())
      command.commands.push_back(std::move(other));
    command.commands.push_back(describePackCommand());
    return command;
  });
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
  if (line.verifyTokens && *line.verifyTokens < 1)
    throw std::runtime_error("--verify-tokens: expected 1 or more but got " + std::to_string(*line.verifyTokens));
  if (line.verifyTokens)
    line.verification.steps = {*line.verifyTokens, 1};
  if (!line.verifySteps.empty())
    line.verification.steps.clear();
  llvm::SmallVector<llvm::StringRef> steps;
  for (llvm::StringRef list : line.verifySteps)
    list.split(steps, ',');
  for (llvm::StringRef text : steps) {
    auto [tokens, position] = text.split('@');
    int64_t count = 0, start = 0;
    bool hasPosition = text.contains('@');
    if (tokens.getAsInteger(10, count) || count < 1 || (hasPosition && (position.getAsInteger(10, start) || start < 0)))
      throw std::runtime_error("--verify-steps: expected TOKENS or TOKENS@POSITION but got '" + text.str() + "'");
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

std::string describePrecision(const Compilation &compilation) {
  const PrecisionChoice &precision = compilation.getPrecision();
  return "precision " + getName(precision.type).str() + ": " + precision.reason;
}

/// What a run needs and what the chips have; where that doesn't fit, how it would.
void printMemory(const Compilation &compilation, const manifest::Manifest &manifest) {
  std::cerr << "device memory: " << runtime::describeMemory(manifest) << "; " << describePrecision(compilation) << "\n";
  manifest::DeviceMemory memory = manifest.deviceMemory();
  for (const manifest::Target &target : manifest.targets) {
    if (memory.total() <= target.deviceMemory)
      continue;
    std::cerr << "note: " << support::formatBytes(memory.total()) << " are more than the "
              << support::formatBytes(target.deviceMemory) << " of " << target.id;
    uint64_t rest = memory.weights + memory.work, context = manifest.model.context.value_or(1);
    uint64_t fitting = rest < target.deviceMemory && memory.states
                           ? (target.deviceMemory - rest) / llvm::divideCeil(memory.states, context)
                           : 0;
    if (fitting && std::filesystem::is_directory(compilation.getOptions().input))
      std::cerr << ": --context=" << fitting << " fits";
    std::cerr << "\n";
  }
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
      try {
        return verify(compilation, package, line.verification, std::cout) == 0;
      } catch (const std::runtime_error &error) {
        support::printError(error);
        return false;
      }
    };
  if (line.keepFailed)
    trial.failedPackage = getFailedPlace(line);
  if (compilation.writePackage(line.output, trial)) {
    if (!line.quiet)
      printMemory(compilation, compilation.getManifest());
    return 0;
  }
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
  line.compile.precision = parsePrecision(line.precision); // none is auto
  if (line.compile.maxTokens && *line.compile.maxTokens < 1)
    throw std::runtime_error("--max-tokens: expected 1 or more but got " + std::to_string(*line.compile.maxTokens));
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
  if (!line.quiet)
    support::showProgress();

  mlir::DefaultTimingManager timing;
  timing.setEnabled(line.timePasses);
  mlir::TimingScope root = timing.getRootScope();
  if (line.explains)
    line.compile.remarks = &line.log;
  Compilation compilation(context, line.compile, root);
  Stage last = line.output.empty() ? std::min(*stage, Stage::Hsaco) : *stage;
  if (failed(compilation.run(std::min(last, Stage::Fused))))
    return 1;
  if (line.verifyTokens || !line.verifySteps.empty())
    checkSteps(compilation, line.verification.steps);
  if (last > Stage::Fused && failed(compilation.resume(last)))
    return 1;
  if (line.explains) {
    std::string text =
        describePrecision(compilation) + "\n\n" + explain(compilation, line.explain.empty() ? ".*" : line.explain);
    if (!line.output.empty())
      writePackage(compilation, line);
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
  llvm::StringRef name = argc > 1 ? argv[1] : "";
  auto run = name == "kernel"      ? runKernelCommand
             : name == "calibrate" ? runCalibrateCommand
             : name == "compress"  ? runCompressCommand
             : name == "pack"      ? runPackCommand
                                   : nullptr;
  return support::runTool([&] { return run ? run(argc - 1, argv + 1) : runModelCommand(argc, argv); });
}
