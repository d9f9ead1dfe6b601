#include "tools/nstf-tune/Trial.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/emulator/launch/LaunchPredictor.h"
#include "support/Escape.h"
#include "support/Sha256.h"

#include <stdexcept>
#include <unistd.h>

using namespace nstf;
using namespace nstf::tune;

namespace fs = std::filesystem;

namespace {

class Predictor final : public Timer {
public:
  explicit Predictor(const std::string &name) : chip(emulator::timing::ChipTiming::choose(name)) {
    for (const emulator::timing::TimingField &field : emulator::timing::timingFields())
      if (auto constant = chip.file.constants.find(field.key);
          constant != chip.file.constants.end() && constant->second.range)
        for (double end : {constant->second.range->lowest, constant->second.range->highest})
          field.set(uncertain.emplace_back(chip), end);
  }

  std::string getName() const override { return "predicted"; }
  std::string getChip() const override { return chip.file.name; }
  int64_t getComputeUnits() const override { return chip.computeUnits; }
  int64_t getClock() const override { return int64_t(chip.peakClock); }
  std::string describe() const override {
    std::string constants;
    for (const auto &[constant, value] : chip.file.constants)
      constants += constant + "=" + std::to_string(value.value) + "\n";
    return chip.file.name + " " + support::sha256Hex(constants).substr(0, 16);
  }

  double time(const fs::path &launchFile, const std::atomic<bool> &stop) const override {
    return timeOn(chip, launchFile, stop);
  }

  double timeAtWorst(const fs::path &launchFile, const std::atomic<bool> &stop) const override {
    double worst = 0;
    for (const emulator::timing::ChipTiming &one : uncertain)
      worst = std::max(worst, timeOn(one, launchFile, stop));
    return worst;
  }

private:
  static double timeOn(const emulator::timing::ChipTiming &chip, const fs::path &launchFile,
                       const std::atomic<bool> &stop) {
    emulator::SessionOptions options;
    options.chip = &chip.file;
    emulator::LaunchSession session(emulator::LaunchFile::read(launchFile), options);
    emulator::timing::TimingOptions timing;
    timing.clockMhz = chip.peakClock;
    timing.sampledOnly = true;
    emulator::LaunchPredictor predictor(session, chip, timing);
    emulator::LaunchOptions how;
    how.threads = 1; // several candidates run at once
    how.alone = true;
    how.interrupt = &stop;
    emulator::PredictedLaunch predicted = predictor.predict(session.launches().front(), how);
    if (predicted.result.fault)
      throw std::runtime_error(predicted.result.fault->text());
    return predicted.predictions.front().prediction.executionNs / 1000;
  }

  emulator::timing::ChipTiming chip;
  std::vector<emulator::timing::ChipTiming> uncertain; ///< copies of the chip with one constant at one end of its range
};

/// A temporary folder that is removed with its owner.
class ScratchFolder {
public:
  ScratchFolder() {
    static std::atomic<unsigned> number = 0;
    path = fs::temp_directory_path() / ("nstf-tune-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    fs::create_directories(path);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

} // namespace

std::unique_ptr<Timer> nstf::tune::makePredictor(const std::string &chip) { return std::make_unique<Predictor>(chip); }

Trial nstf::tune::tryKernel(const KernelDescription &description, KernelRequest request, const Timer &timer,
                            bool isWorst, const std::atomic<bool> &stop) {
  Trial trial;
  mlir::MLIRContext context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && trial.fault.empty())
      trial.fault = support::escape(diagnostic.str());
    return mlir::success();
  });
  try {
    mlir::DefaultTimingManager timing;
    mlir::TimingScope root = timing.getRootScope();
    KernelCompilation compilation(context, description, std::move(request), root);
    if (mlir::failed(compilation.run(Stage::Hsaco))) {
      if (trial.fault.empty())
        trial.fault = "expected a kernel that compiles";
      return trial;
    }
    const KernelMetadata &metadata = compilation.getCompilation().getTargets().front().plan.variants.front().metadata;
    trial.registers = metadata.vgprs + metadata.agprs;
    trial.ldsBytes = metadata.ldsSize;
    ScratchFolder folder;
    compilation.write({folder.path / "kernel.hsaco", {}, folder.path / "launch.yaml"});
    const fs::path launch = folder.path / "launch.yaml";
    trial.microseconds = isWorst ? timer.timeAtWorst(launch, stop) : timer.time(launch, stop);
  } catch (const std::runtime_error &error) {
    trial.fault = support::escape(error.what());
  }
  return trial;
}
