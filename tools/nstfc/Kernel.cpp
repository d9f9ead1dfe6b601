// The command line of `nstfc kernel`. A kernel's options are the parameters of its description, so a new kernel needs
// no C++.
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/KernelCommand.h"
#include "compiler/driver/OptionRegex.h"
#include "compiler/driver/Remarks.h"
#include "mlir/IR/MLIRContext.h"
#include "support/CommandLineError.h"
#include "support/Escape.h"
#include "support/Path.h"
#include "support/WriteFile.h"
#include "tools/nstfc/Commands.h"
#include "tools/nstfc/KernelArguments.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

using namespace nstf;

namespace {

constexpr char version[] = "nstfc " NSTF_VERSION;

struct Arguments {
  KernelArguments kernel;
  OptionValues plan, output, header, launch, name, emit, dump, explain, reproducers;
};

void addOptions(CLI::App &app, const KernelDescription &description, Arguments &arguments) {
  arguments.kernel.add(app, description);
  auto add = [&](const std::string &flag, OptionValues &values, const std::string &about) {
    return addOption(app, flag, values, about);
  };
  add("-o,--output", arguments.output, "the code object; of several targets an offload bundle, as hipcc --genco writes")
      ->type_name("FILE");
  add("--header", arguments.header, "C header with arguments and launch geometry")->type_name("FILE");
  add("--launch", arguments.launch, "launch file, on random numbers and for the first target: nstf-emu run FILE.yaml")
      ->type_name("FILE.yaml");
  add("--name", arguments.name, "what names in the header begin with, and the symbol [" + description.getName() + "]");
  add("--plan", arguments.plan,
      "what each loop of products does when, in place of what is chosen: --emit=plan prints it")
      ->type_name("FILE");
  add("--explain", arguments.explain, "print what the kernel is made of, and why")->expected(0, 1)->default_str(".*");
  add("--emit", arguments.emit, "prints a stage")->type_name("{nstf,fused,cost,plan,systolic,gpu,llvm,isa}");
  add("--dump-stages", arguments.dump, "folder that gets the text of every stage")->type_name("FOLDER");
  add("--reproducer-dir", arguments.reproducers, "folder for what replays an internal error (default: the working one)")
      ->type_name("FOLDER");
  app.set_version_flag("--version", version, "print the version and leave");
}

KernelRequest makeRequest(const KernelDescription &description, const Arguments &arguments) {
  KernelRequest request = arguments.kernel.makeRequest(description);
  request.name = once("--name", arguments.name).value_or("");
  request.compile.overrides.plan = once("--plan", arguments.plan).value_or("");
  request.compile.dumpStages = once("--dump-stages", arguments.dump).value_or("");
  request.compile.reproducerDir = once("--reproducer-dir", arguments.reproducers).value_or("");
  return request;
}

/// The requested output: files, a stage's text, or an explanation.
struct Outputs {
  KernelCompilation::Files files;
  std::optional<Stage> stage; ///< the stage of --emit
  bool plans = false;         ///< only the plans of Stage::Systolic
  bool costs = false;         ///< the cost model's estimates after Stage::Fused
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
    outputs.costs = *name == "cost";
    outputs.stage = outputs.plans ? Stage::Systolic : outputs.costs ? Stage::Fused : parseStage(*name);
    if (!outputs.stage || *outputs.stage > Stage::ISA)
      throw std::runtime_error("--emit: expected nstf, fused, cost, plan, systolic, gpu, llvm or isa but got '" +
                               support::escape(*name) + "'");
    if (!header.empty() || !launch.empty() || outputs.explain)
      throw std::runtime_error("--emit: expected neither --header nor --launch nor --explain beside it");
  }
  if (!arguments.kernel.hasTargets() && (outputs.costs || outputs.stage.value_or(Stage::Hsaco) > Stage::Fused))
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
  mlir::MLIRContext context(makeRegistry());
  printDiagnostics(context);
  RemarkLog log;
  if (outputs.explain) {
    enableRemarks(context, std::nullopt, &log);
    request.compile.remarks = &log;
  }
  // Checks that files can be written before anything is computed.
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
  mlir::FailureOr<std::string> costs = outputs.costs ? compilation.getCosts() : std::string();
  if (failed(costs))
    return 1;
  std::string text = outputs.costs   ? *costs
                     : outputs.plans ? compilation.getPlans()
                                     : compilation.getCompilation().getText(*outputs.stage);
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
