// nstfc MODEL: compiles a model to a package of AMD GPU code objects. A command line around compiler/driver/Compile.h.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Explain.h"
#include "compiler/driver/MemoryFit.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Remarks.h"
#include "compiler/driver/Verify.h"
#include "compiler/quantize/Exactness.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "nstf/PackageInfo.h"
#include "support/ByteSize.h"
#include "support/CommandLineError.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/Path.h"
#include "support/Progress.h"
#include "support/StandardOutput.h"
#include "support/Tool.h"
#include "support/WriteFile.h"
#include "tools/nstfc/Commands.h"
#include "tools/nstfc/Options.h"

#include <CLI/CLI.hpp>
#include <iostream>

using namespace nstf;

namespace {

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

std::string describePrecision(const Compilation &compilation) {
  const PrecisionChoice &precision = compilation.getPrecision();
  return "precision " + getName(precision.type).str() + ": " + precision.reason;
}

/// Compares e4m3fnuz with int8 if the command line chooses it.
std::string describeExactness(const CompileOptions &options) {
  auto isFloat = [](const std::optional<std::string> &type) { return type == "e4m3fnuz"; };
  std::string text = quantize::compareWithInt8({.weights = llvm::StringRef(options.quantize).starts_with("e4m3fnuz"),
                                                .rows = isFloat(options.activations),
                                                .caches = isFloat(options.kvCache)});
  return text.empty() ? "" : text + "\n";
}

/// Prints the memory that a run needs and that the chips have, and if it does not fit, the options with which it would.
void printMemory(const Compilation &compilation, const manifest::Manifest &manifest) {
  std::cerr << "device memory: " << runtime::describeMemory(manifest) << "; " << describePrecision(compilation) << "\n";
  manifest::DeviceMemory memory = manifest.deviceMemory();
  for (const manifest::Target &target : manifest.targets) {
    if (memory.total() <= target.deviceMemory)
      continue;
    std::cerr << "note: " << support::formatBytes(memory.total()) << " are more than the "
              << support::formatBytes(target.deviceMemory) << " of " << target.id;
    if (uint64_t fitting = getFittingContext(compilation.getOptions(), manifest, target.deviceMemory))
      std::cerr << ": --context=" << fitting << " fits";
    std::cerr << "\n";
  }
}

/// The path of a package kept by --keep-failed, beside its final path.
std::filesystem::path getFailedPlace(const CommandLine &line) {
  return support::findTarget(line.output).path.string() + ".failed";
}

/// Checks that files can be written before anything is computed.
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
  Stage stage = parseOptions(line);
  checkOutputs(line, stage);
  if (!line.quiet)
    support::showProgress();

  mlir::DefaultTimingManager timing;
  timing.setEnabled(line.timePasses);
  mlir::TimingScope root = timing.getRootScope();
  if (line.explains)
    line.compile.remarks = &line.log;
  Compilation compilation(context, line.compile, root);
  Stage last = line.output.empty() ? std::min(stage, Stage::Hsaco) : stage;
  if (failed(compilation.run(std::min(last, Stage::Fused))))
    return 1;
  if (line.verifyTokens || !line.verifySteps.empty())
    checkSteps(compilation, line.verification.steps);
  if (last > Stage::Fused && failed(compilation.resume(last)))
    return 1;
  if (line.explains) {
    std::string text = describePrecision(compilation) + "\n" + describeExactness(line.compile) + "\n" +
                       explain(compilation, line.explain.empty() ? ".*" : line.explain);
    if (!line.output.empty())
      writePackage(compilation, line);
    std::cout << text;
    return 0;
  }
  if (stage != Stage::Package) {
    std::string text = compilation.getText(stage);
    if (line.output.empty())
      std::cout << text;
    else
      support::writeFile(line.output, text);
    return 0;
  }
  return writePackage(compilation, line);
}

} // namespace

int nstf::runModelCommand(int argc, char **argv) {
  CommandLine line;
  CLI::App app("Compiles transformer models to AMD GPU code objects, with everything needed to launch them.", "nstfc");
  addOptions(app, line);
  const std::string first = argc > 1 ? argv[1] : "";
  if (std::error_code none; !std::filesystem::exists(first, none))
    if (std::string guess = support::didYouMean(first, {"kernel", "calibrate", "compress", "pack", "memory"});
        !guess.empty())
      throw std::runtime_error("expected a model, kernel, calibrate, compress, pack or memory but got '" +
                               support::escape(first) + "'" + guess);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    throw std::runtime_error(support::describeCommandLineError(app, error));
  }

  mlir::MLIRContext context(makeRegistry());
  printDiagnostics(context);
  line.explains = app.count("--explain") > 0;
  std::optional<std::string> printed;
  if (app.count("--remarks"))
    printed = line.remarks.empty() ? ".*" : line.remarks;
  if (printed || line.explains)
    enableRemarks(context, printed, line.explains ? &line.log : nullptr);
  return line.listTargets ? printTargets() : line.listOps ? printOps(context) : run(line, context);
}
