// The command line of `nstfc kernel`. Options of a kernel are the parameters of its description, so that a new
// one needs no C++.
#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/KernelCommand.h"
#include "compiler/driver/OptionRegex.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Remarks.h"
#include "mlir/IR/MLIRContext.h"
#include "support/CommandLineError.h"
#include "support/Escape.h"
#include "support/Path.h"
#include "support/WriteFile.h"
#include "tools/nstfc/Commands.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

using namespace nstf;

namespace {

constexpr char version[] = "nstfc " NSTF_VERSION;

/// Every option takes its values as a list, so that one given twice is our own error.
using Values = std::vector<std::string>;

struct Arguments {
  Values targets, tuning, templates, plan, output, header, launch, name, emit, dump, waveSize, format, rowCodes,
      explain, reproducers;
  Values wave;                          ///< what --wave-size was called before
  std::map<std::string, Values> kernel; ///< by key
  Values maxRows;
};

std::string describe(const KernelOption &option) {
  std::string text = option.about;
  return option.fallback.empty() ? text + "; must be given"
                                 : text + " [" + llvm::StringRef(option.fallback).trim('\'').str() + "]";
}

void addOptions(CLI::App &app, const KernelDescription &description, Arguments &arguments) {
  auto add = [&](const std::string &flag, Values &values, const std::string &about) {
    return app.add_option(flag, values, about)->take_all()->type_name("")->allow_extra_args(false);
  };
  for (const KernelOption &option : description.getOptions()) {
    CLI::Option *added = add(KernelDescription::getFlag(option.key), arguments.kernel[option.key], describe(option));
    if (!option.oneOf.empty())
      added->type_name("{" + llvm::join(option.oneOf, ",") + "}");
    if (option.type == "boolean")
      added->expected(0, 1)->default_str("true");
    if (option.isRows)
      add(KernelDescription::getFlag("max_" + option.key), arguments.maxRows,
          "in place of " + KernelDescription::getFlag(option.key) +
              ": the most there can be, each launch says how many");
  }
  app.option_defaults()->group("Every kernel");
  add("--target", arguments.targets, "chips, aliases or files that describe one; several in one object with commas")
      ->type_name("FILE.yaml|" + getTargetNames())
      ->delimiter(',');
  add("-o,--output", arguments.output, "the code object; of several targets an offload bundle, as hipcc --genco writes")
      ->type_name("FILE");
  add("--header", arguments.header, "C header with arguments and launch geometry")->type_name("FILE");
  add("--launch", arguments.launch, "launch file, on random numbers and for the first target: nstf-emu run FILE.yaml")
      ->type_name("FILE.yaml");
  add("--name", arguments.name, "what names in the header begin with, and the symbol [" + description.getName() + "]");
  add("--set", arguments.tuning,
      "a tuning parameter (BM=64) or a field of the schedule (waves=2x4) over the table's; repeatable")
      ->type_name("NAME=VALUE");
  add("--w-format", arguments.format, "codes in place of the numbers of what products are with: int8, int4_g128, …")
      ->type_name("FORMAT");
  add("--x-format", arguments.rowCodes, "codes in place of the numbers of rows that products are of, with a scale each")
      ->type_name("{i8,e4m3fnuz}");
  add("--templates", arguments.templates, "folder of kernels and tuning, over those nstfc has")->type_name("FOLDER");
  add("--plan", arguments.plan,
      "what each loop of products does when, in place of what is chosen: --emit=plan prints it")
      ->type_name("FILE");
  add("--wave-size", arguments.waveSize, "lanes of a wave, where the target leaves a choice")->type_name("{32,64}");
  add("--wave", arguments.wave, "")->group("");
  add("--explain", arguments.explain, "print what the kernel is made of, and why")->expected(0, 1)->default_str(".*");
  add("--emit", arguments.emit, "prints a stage")->type_name("{nstf,fused,plan,systolic,gpu,llvm,isa}");
  add("--dump-stages", arguments.dump, "folder that gets the text of every stage")->type_name("FOLDER");
  add("--reproducer-dir", arguments.reproducers, "folder for what replays an internal error (default: the working one)")
      ->type_name("FOLDER");
  app.set_version_flag("--version", version, "print the version and leave");
}

/// The value of an option that can be given once.
std::optional<std::string> once(const std::string &flag, const Values &values) {
  if (values.size() > 1)
    throw std::runtime_error(flag + ": expected it once but got it " + std::to_string(values.size()) + " times");
  return values.empty() ? std::nullopt : std::optional(values.front());
}

int64_t readInteger(const std::string &flag, llvm::StringRef text) {
  int64_t value;
  if (text.getAsInteger(10, value))
    throw std::runtime_error(flag + ": expected a whole number but got '" + support::escape(text) + "'");
  return value;
}

KernelRequest makeRequest(const KernelDescription &description, const Arguments &arguments) {
  KernelRequest request;
  for (const auto &[key, values] : arguments.kernel)
    if (std::optional<std::string> value = once(KernelDescription::getFlag(key), values))
      request.values[key] = *value;
  std::string rows = description.getRowsKey();
  if (std::optional<std::string> max = once(KernelDescription::getFlag("max_" + rows), arguments.maxRows)) {
    if (!request.values.insert({rows, *max}).second)
      throw std::runtime_error("expected " + KernelDescription::getFlag(rows) + " or " +
                               KernelDescription::getFlag("max_" + rows) + " but got both");
    request.runtimeRows = true;
  }
  for (const std::string &setting : arguments.tuning)
    if (std::string fault = request.compile.wishes.tuning.add(setting); !fault.empty())
      throw std::runtime_error("--set: " + fault);
  request.name = once("--name", arguments.name).value_or("");
  request.compile.input = "kernel " + description.getName();
  request.compile.targets = arguments.targets;
  request.compile.wishes.templates = once("--templates", arguments.templates).value_or("");
  request.compile.wishes.plan = once("--plan", arguments.plan).value_or("");
  request.compile.quantize = once("--w-format", arguments.format).value_or("");
  request.rowCodes = once("--x-format", arguments.rowCodes).value_or("");
  request.compile.dumpStages = once("--dump-stages", arguments.dump).value_or("");
  request.compile.reproducerDir = once("--reproducer-dir", arguments.reproducers).value_or("");
  Values waveSize = arguments.waveSize;
  waveSize.insert(waveSize.end(), arguments.wave.begin(), arguments.wave.end());
  if (std::optional<std::string> size = once("--wave-size", waveSize))
    request.compile.waveSize = readInteger("--wave-size", *size);
  return request;
}

/// What comes out: files, or a stage, or an explanation.
struct Outputs {
  KernelCompilation::Files files;
  std::optional<Stage> stage; ///< that --emit names
  bool plans = false;         ///< those of Stage::Systolic alone
  std::optional<std::string> explain;
};

Outputs readOutputs(const Arguments &arguments) {
  Outputs outputs;
  outputs.files = {once("-o", arguments.output).value_or(""), once("--header", arguments.header).value_or(""),
                   once("--launch", arguments.launch).value_or("")};
  const auto &[object, header, launch] = outputs.files;
  outputs.explain = once("--explain", arguments.explain);
  if (outputs.explain)
    parseRegex("--explain", *outputs.explain);
  if (std::optional<std::string> name = once("--emit", arguments.emit)) {
    outputs.plans = *name == "plan";
    outputs.stage = outputs.plans ? Stage::Systolic : parseStage(*name);
    if (!outputs.stage || *outputs.stage > Stage::ISA)
      throw std::runtime_error("--emit: expected nstf, fused, plan, systolic, gpu, llvm or isa but got '" +
                               support::escape(*name) + "'");
    if (!header.empty() || !launch.empty() || outputs.explain)
      throw std::runtime_error("--emit: expected neither --header nor --launch nor --explain beside it");
  }
  if (arguments.targets.empty() && outputs.stage.value_or(Stage::Hsaco) > Stage::Fused)
    throw std::runtime_error(noTargetMessage);
  if (!launch.empty() && object.empty())
    throw std::runtime_error("--launch: expected -o beside it, for the code object that is launched");
  if (!outputs.stage && !outputs.explain && object.empty() && header.empty())
    throw std::runtime_error("-o: expected a file for the code object but got none");
  auto differ = [](const std::string &flags, const std::filesystem::path &one, const std::filesystem::path &other) {
    if (!one.empty() && one == other)
      throw std::runtime_error(flags + ": expected two files but got " + support::describePath(one) + " twice");
  };
  differ("-o and --header", object, header);
  differ("-o and --launch", object, launch);
  differ("--header and --launch", header, launch);
  return outputs;
}

int compile(const KernelDescription &description, KernelRequest request, const Outputs &outputs) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerCodegenTranslations(registry);
  mlir::MLIRContext context(registry);
  printDiagnostics(context);
  RemarkLog log;
  if (outputs.explain) {
    enableRemarks(context, std::nullopt, &log);
    request.compile.remarks = &log;
  }
  // What cannot be written is said before anything is computed.
  for (const std::filesystem::path &file : {outputs.files.object, outputs.files.header, outputs.files.launch})
    if (!file.empty())
      support::checkWritable(file);
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root = timing.getRootScope();
  KernelCompilation compilation(context, description, std::move(request), root);
  if (failed(compilation.run(outputs.stage.value_or(Stage::Hsaco))))
    return 1;
  if (!outputs.stage) {
    std::string text = outputs.explain ? explain(compilation.getCompilation(), *outputs.explain) : "";
    compilation.write(outputs.files);
    std::cout << text;
    return 0;
  }
  std::string text = outputs.plans ? compilation.getPlans() : compilation.getCompilation().getText(*outputs.stage);
  if (outputs.files.object.empty())
    std::cout << text;
  else
    support::writeFile(outputs.files.object, text);
  return 0;
}

std::string getSummary(const KernelDescription &kernel) {
  std::string required, optional;
  for (const KernelOption &option : kernel.getOptions()) {
    std::string fallback = llvm::StringRef(option.fallback).trim('\'').str();
    (fallback.empty() ? required : optional) +=
        " " + KernelDescription::getFlag(option.key) + (fallback.empty() ? "=" : "=" + fallback);
  }
  return kernel.getName() + ": " + kernel.getAbout() + "\n   " + required + "\n" +
         (optional.empty() ? "" : "   " + optional + "\n");
}

int list() {
  for (const KernelDescription &kernel : KernelDescription::list())
    std::cout << getSummary(kernel);
  return 0;
}

const char *usage =
    "Compiles one kernel to a code object, with a C header that says how to launch it and a launch file for nstf-emu.\n"
    "Usage: nstfc kernel KERNEL [OPTIONS] --target=CHIPS -o FILE.hsaco [--header FILE.h] [--launch FILE.yaml]\n\n"
    "  nstfc kernel --list         the kernels with their sizes and options' defaults\n"
    "  nstfc kernel KERNEL --help  the options of one\n\n"
    "KERNEL is one of the list, or a graph in a .yaml or .mlir file whose operations make one launch.\n\n";

} // namespace

std::string nstf::getTargetNames() {
  std::string names;
  for (const Target &target : listTargets()) {
    names += (names.empty() ? "{" : ",") + target.name;
    for (const std::string &alias : target.aliases)
      names += "," + alias;
  }
  return names + "}";
}

support::CompletionCommand nstf::describeKernelCommand() {
  support::CompletionCommand command{"kernel", "one kernel by itself", {}, {{}, /*isFile=*/true}, {}};
  command.options = {{{"--list"}, "the kernels with their sizes and options' defaults"}, {{"-h", "--help"}, "help"}};
  for (const KernelDescription &kernel : KernelDescription::list()) {
    CLI::App app(kernel.getAbout(), kernel.getName());
    Arguments arguments;
    addOptions(app, kernel, arguments);
    command.commands.push_back(support::describeCommand(app));
  }
  return command;
}

int nstf::runKernelCommand(int argc, char **argv) {
  std::string kernel = argc > 1 ? argv[1] : "";
  if (kernel == "--list")
    return list();
  if (kernel == "--version") {
    std::cout << version << "\n";
    return 0;
  }
  if (kernel == "--help" || kernel == "-h") {
    std::cout << usage;
    return list();
  }
  if (kernel.empty() || kernel.front() == '-')
    throw std::runtime_error("expected the name of a kernel but got " + (kernel.empty() ? "none" : "'" + kernel + "'") +
                             " (nstfc kernel --list shows them)");
  KernelDescription description = KernelDescription::find(kernel);
  CLI::App app(description.getAbout(), "nstfc kernel " + kernel);
  app.option_defaults()->group("This kernel");
  Arguments arguments;
  addOptions(app, description, arguments);
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    throw std::runtime_error(support::describeCommandLineError(app, error));
  }
  KernelRequest request = makeRequest(description, arguments);
  return compile(description, std::move(request), readOutputs(arguments));
}
