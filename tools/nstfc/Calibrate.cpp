// nstfc calibrate: what the linears of a model see when it reads a text.
#include "compiler/calibrate/Calibration.h"
#include "support/ByteSize.h"
#include "support/Progress.h"
#include "tools/nstfc/CommandLine.h"
#include "tools/nstfc/Commands.h"
#include "tools/nstfc/TextModel.h"

#include <iostream>

using namespace nstf;
using namespace nstf::calibrate;

namespace {

struct CalibrateLine {
  ModelOptions model;
  TextOptions ids;
  std::string text, output, package;
  DeviceKind device = DeviceKind::Auto;
  bool diagonal = false, lines = false;

  void add(CLI::App &app) {
    model.add(app);
    app.add_option("--text", text, "a text, which the model's tokenizer reads")->type_name("FILE");
    app.add_flag("--lines", lines, "each line of the text is a text of its own");
    ids.add(app, "", "token ids: one text, or a text a row");
    app.add_flag("--diagonal", diagonal, "leave out the sums of products of inputs, which GPTQ needs");
    auto *run = app.add_option("--package", package,
                               "what runs the texts instead of the reference: this model compiled, whose weights are "
                               "numbers; with --precision=f32 both see the same");
    run->type_name("FOLDER");
    app.add_option_function<std::string>(
           "--device", [this](const std::string &name) { device = parseDeviceKind(name); },
           "where the package runs; auto takes a GPU where one answers, else the emulator")
        ->check(CLI::IsMember({"auto", "hip", "emulator"}))
        ->default_str("auto")
        ->needs(run)
        ->type_name("NAME");
    app.add_option("-o,--output", output, "folder of the calibration; one that was ended goes on where it was")
        ->required()
        ->type_name("FOLDER");
  }
};

int run(const CalibrateLine &line) {
  if (line.text.empty() == line.ids.ids.empty())
    throw std::runtime_error("expected either --text or --ids");
  if (!line.model.quiet)
    support::showProgress();
  Models models(line.model);
  CalibrationOptions options;
  options.diagonal = line.diagonal;
  options.randomSeed = line.model.getSeed();
  options.package = line.package;
  options.device = line.device;
  auto module = models.load(line.model.model, !options.randomSeed);
  if (!module)
    return 1;
  Texts texts = line.text.empty() ? line.ids.read("--rows") : readText(*module, line.text, line.lines);
  checkTexts(*module, texts, line.text.empty() ? line.ids.ids : line.text);
  options.onSize = [&](uint64_t bytes) {
    if (!line.model.quiet)
      std::cerr << line.output << " takes " << support::formatBytes(bytes) << " on disk\n";
  };
  calibrate::calibrate(*module, texts, line.output, options);
  return 0;
}

constexpr char about[] = "Runs the reference on a text and keeps what the linears of a model see.";

} // namespace

int nstf::runCalibrateCommand(int argc, char **argv) { return runCommand<CalibrateLine>(argc, argv, about); }

support::CompletionCommand nstf::describeCalibrateCommand() {
  return describeCommand<CalibrateLine>("calibrate", about);
}
