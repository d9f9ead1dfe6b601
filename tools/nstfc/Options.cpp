#include "tools/nstfc/Options.h"
#include "compiler/driver/OptionRegex.h"
#include "support/Escape.h"
#include "support/Tool.h"
#include "tools/nstfc/Commands.h"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

using namespace nstf;

namespace {

/// Named commands have their own command lines.
support::CompletionCommand describeCommands(CLI::App &app) {
  support::CompletionCommand command = support::describeCommand(app);
  for (auto describe : {describeKernelCommand, describeCalibrateCommand, describeCompressCommand, describePackCommand,
                        describeMemoryCommand})
    command.commands.push_back(describe());
  return command;
}

void parseWeights(CommandLine &line) {
  using manifest::WeightsMode;
  llvm::StringRef mode = line.weights;
  if (mode.consume_front("random:")) {
    line.compile.weights = WeightsMode::Random;
    if (mode.getAsInteger(10, line.compile.seed))
      throw std::runtime_error("--weights: expected random:SEED with an integer but got '" +
                               support::escape(line.weights) + "'");
    return;
  }
  if (mode != "pack" && mode != "reference" && mode != "none")
    throw std::runtime_error("--weights: expected pack, reference, random:SEED or none but got '" +
                             support::escape(line.weights) + "'");
  line.compile.weights = mode == "pack"        ? WeightsMode::Pack
                         : mode == "reference" ? WeightsMode::Reference
                                               : WeightsMode::None;
}

/// Parses the steps and inputs of --verify.
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
      throw std::runtime_error("--verify-steps: expected TOKENS or TOKENS@POSITION but got '" + support::escape(text) +
                               "'");
    line.verification.steps.push_back({count, hasPosition ? std::optional(start) : std::nullopt});
  }
  std::map<std::string, runtime::HostTensor> values;
  for (const std::string &text : line.verifyInputs) {
    auto [name, file] = llvm::StringRef(text).split('=');
    if (name.empty() || file.empty())
      throw std::runtime_error("--verify-input: expected NAME=FILE.npy but got '" + support::escape(text) + "'");
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

} // namespace

void nstf::addOptions(CLI::App &app, CommandLine &line) {
  addModelOptions(app, line.compile, line.precision);
  app.add_option("-o,--output", line.output, "package folder, or file for --emit of another stage (default: stdout)")
      ->type_name("FOLDER|FILE");
  app.add_option("--emit", line.emit, "stage to end with")
      ->type_name("{nstf,fused,systolic,gpu,llvm,isa,hsaco,package}")
      ->capture_default_str();
  app.add_option("--dump-stages", line.compile.dumpStages, "folder that gets the text of every stage")
      ->type_name("FOLDER");
  app.add_option("--weights", line.weights, "packed, left where they are, generated from a seed, or given at run time")
      ->type_name("{pack,reference,random:SEED,none}")
      ->capture_default_str();
  app.add_option("--chat-template", line.compile.chatTemplate,
                 "what makes a prompt of a conversation, in place of the model's own: a file of Jinja, or none "
                 "(nstf-run --chat; runtime/model/chat_template says what it may hold)")
      ->type_name("FILE|{none}");
  app.add_option("--tokenizer", line.compile.tokenizer,
                 "tokenizer that the package gets instead of the model's: *.json (tokenizer.json), *.model "
                 "(sentencepiece), *.bin (tok512) or none")
      ->type_name("FILE|{none}");
  app.add_option("--wave-size", line.compile.waveSize, "lanes of a wave; 0: chosen")
      ->type_name("{0,32,64}")
      ->capture_default_str();
  auto setWaveSize = [&line](int64_t size) { // the option's former name
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
             "What device memory a package would take, and whether a chip has it: nstfc memory --help\n"
             "A checkpoint in fewer bits: nstfc calibrate --help, nstfc compress --help; a matrix: nstfc pack --help");
  support::addCommonOptions(app, "nstfc " NSTF_VERSION, [&app] { return describeCommands(app); });
}

Stage nstf::parseOptions(CommandLine &line) {
  parseModelOptions(line.compile, line.precision);
  std::optional<Stage> stage = parseStage(line.emit);
  if (!stage)
    throw std::runtime_error("--emit: expected nstf, fused, systolic, gpu, llvm, isa, hsaco or package but got '" +
                             support::escape(line.emit) + "'");
  parseWeights(line);
  if (line.compile.targets.empty() && *stage > Stage::Fused)
    throw std::runtime_error(noTargetMessage);
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
    throw std::runtime_error("-o: expected a folder for the package, such as -o model.nstf, but got none");
  if (*stage == Stage::Hsaco && line.compile.targets.size() != 1)
    throw std::runtime_error("--emit=hsaco: expected one target but got " +
                             std::to_string(line.compile.targets.size()));
  if (line.keepFailed && !line.verify)
    throw std::runtime_error("--keep-failed: expected --verify beside it");
  return *stage;
}
