#include "tools/nstfc/Options.h"
#include "compiler/driver/OptionRegex.h"
#include "support/ControlBlock.h"
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

void nstf::addRopeFactors(CLI::App &app, description::RopeFactors &factors) {
  auto set = [&factors](const std::string &name) {
    using enum description::RopeFactors;
    factors = name == "short" ? Short : name == "long" ? Long : Auto;
  };
  app.add_option_function<std::string>(
         "--rope-factors", set,
         "which of longrope's two lists holds; auto is the long one where the context is longer than "
         "original_max_position_embeddings, for texts of every length")
      ->check(CLI::IsMember({"short", "long", "auto"}))
      ->default_str("auto")
      ->type_name("WHICH");
}

/// Options that determine a package's numbers and its kernels.
void nstf::addModelOptions(CLI::App &app, CompileOptions &compile, std::string &precision) {
  app.add_option("model", compile.input,
                 "Hugging Face folder (config.json, *.safetensors), YAML graph or .mlir in the nstf dialect")
      ->type_name("FOLDER|FILE");
  app.add_option("--target", compile.targets, "chip, an alias or a file that describes one; repeatable")
      ->type_name("FILE.yaml|" + getTargetNames())
      ->take_all();
  app.add_option("--context", compile.context, "positions of a run, where others are wanted than the model says")
      ->type_name("N");
  addRopeFactors(app, compile.ropeFactors);
  app.add_option("--architecture", compile.architectures,
                 "a .yaml file that describes an architecture, beside those nstfc knows; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FILE.yaml");
  app.add_option("--templates", compile.wishes.templates,
                 "a folder of kernels and tuning, over those nstfc has: templates/README.md")
      ->type_name("FOLDER");
  std::vector<std::string> precisionNames = {"auto"};
  for (Precision known : precisions)
    precisionNames.push_back(getName(known).str());
  app.add_option("--precision", precision,
                 "type of matrix operands, weights and KV caches; sums are f32. auto is the one that most bytes of the "
                 "weights' matrices are stored in, without weights that of config.json, or else f32")
      ->check(CLI::IsMember(precisionNames))
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option(
         "--quantize", compile.quantize,
         "weights of linears as codes, rounded to nearest: int4, int5, int6 or int8 with a scale a row, with _asym "
         "also a zero; with _g32, _g64 or _g128 a scale and a zero a group (int4_g128), with _sym no zeros; e4m3fnuz "
         "likewise, without zeros")
      ->type_name("FORMAT");
  app.add_option(
         "--activations", compile.activations,
         "rows that linears read, as codes with a scale a row: i8 where the weights are int8, e4m3fnuz where they are "
         "e4m3fnuz (default: what the checkpoint says, else none)")
      ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
      ->type_name("TYPE");
  app.add_option("--kv-cache", compile.kvCache,
                 "what caches hold of keys and values, as codes with a scale for each token and head: i8, or e4m3fnuz "
                 "on chips that have it (default: what the checkpoint says, else none)")
      ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
      ->type_name("TYPE");
  app.add_option("--kv-order", compile.kvOrder,
                 "how caches lie: rows, or operands, in the order in which matrix cores read them (default: operands)")
      ->check(CLI::IsMember({"rows", "operands"}))
      ->type_name("ORDER");
  app.add_option("--fuse", compile.fusions,
                 "what shares a launch beside elementwise operations: all, none, or of pairs (two products that one "
                 "operation reads) and launches (those that need nothing of each other) the ones named (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"all", "none", "pairs", "launches"}))
      ->type_name("NAME,...");
  app.add_option(
         "--max-batch", compile.maxBatch,
         "requests that a step may have rows of, each with a position and caches of its own; more than 1: a row gives "
         "the same bits alone and beside 15 others")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--batch-invariant", compile.batchInvariant,
         "on: in steps of 1 to 16 rows, a row's bits do not depend on how many rows there are; one row then has "
         "the kernels of 16 (default: on with --max-batch of more than 1, else off)")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("{on,off}");
  app.add_option("--max-tokens", compile.maxTokens,
                 "tokens of the largest step; longer prompts run in pieces (default: the context, at most 512)")
      ->type_name("N");
}

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

void nstf::parseModelOptions(CompileOptions &compile, const std::string &precision) {
  if (compile.input.empty())
    throw std::runtime_error("expected a model but got none (--help shows the options)");
  compile.precision = parsePrecision(precision); // nothing means auto
  if (compile.maxBatch < 1 || compile.maxBatch > support::ControlBlock::maxRequests)
    throw std::runtime_error("--max-batch: expected 1 to " + std::to_string(support::ControlBlock::maxRequests) +
                             " but got " + std::to_string(compile.maxBatch));
  if (compile.maxBatch > 1 && compile.batchInvariant == "off")
    throw std::runtime_error("--batch-invariant: expected on with --max-batch=" + std::to_string(compile.maxBatch) +
                             ", for a request's bits do not depend on others, but got off");
  if (compile.maxTokens && *compile.maxTokens < 1)
    throw std::runtime_error("--max-tokens: expected 1 or more but got " + std::to_string(*compile.maxTokens));
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
