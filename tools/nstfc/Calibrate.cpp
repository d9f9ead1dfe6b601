// nstfc calibrate: records statistics of the inputs of a model's linears over texts.
#include "compiler/calibrate/Calibration.h"
#include "compiler/calibrate/Holdout.h"
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
  std::optional<std::string> holdout;
  DeviceKind device = DeviceKind::Auto;
  bool diagonal = false, lines = false;

  void add(CLI::App &app) {
    model.add(app);
    app.add_option("--text", text, "a text, which the model's tokenizer reads")->type_name("FILE");
    app.add_flag("--lines", lines, "each line of the text is a text of its own");
    ids.add(app, "", "token ids: one text, or a text a row");
    app.add_flag("--diagonal", diagonal, "leave out the sums of products of inputs, which GPTQ needs");
    app.add_option(
           "--holdout", holdout,
           "what nstfc compress can keep out of all that it fits, to measure there what a budget promises: a "
           "share of the rows (default 0.25: every fourth; of fewer rows than 4, the end of each), rows of what "
           "calibrates, from 0 (12-15), or 0: nothing. A row is a text, of --text as much as the context holds")
        ->type_name("SHARE|FIRST-LAST");
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
  Holdout holdout = line.holdout ? Holdout::parse(*line.holdout) : Holdout::quarter();
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
  if (isLanguageModel(*module))
    options.fitted = holdout.countFitted(texts);
  else if (line.holdout && !holdout.isNone())
    throw std::runtime_error("--holdout: expected a language model, whose KL a budget is of, but got an encoder");
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
