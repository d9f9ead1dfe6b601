// nstfc compress: writes a checkpoint of a model whose linears have fewer bits.
#include "compiler/calibrate/Holdout.h"
#include "compiler/compress/AdaptivePrecisionManager.h"
#include "compiler/compress/CompressModel.h"
#include "compiler/compress/CostReport.h"
#include "compiler/compress/RangeFault.h"
#include "compiler/compress/Rotation.h"
#include "compiler/quantize/Exactness.h"
#include "support/Escape.h"
#include "support/Number.h"
#include "support/Progress.h"
#include "support/WriteFile.h"
#include "tools/nstfc/CommandLine.h"
#include "tools/nstfc/Commands.h"
#include "tools/nstfc/RowTimes.h"
#include "tools/nstfc/TextModel.h"

#include <cmath>
#include <iostream>

using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;

namespace {

struct CompressLine {
  ModelOptions model;
  TextOptions judge;
  bool eachMatrix = false, lines = false, rotate = false;
  std::string format, plan, maxKl, maxPerplexityIncrease, maxBytes,
      formats = "int4_g32,int5_g32,int6_g32,int8", cost = "bytes", target = "gfx942", sensitivity = "forward",
      activations = "none", kvCache = "none", calibration, rounding = "auto", scaling = "auto", output, report;
  std::optional<std::string> holdout;

  void add(CLI::App &app) {
    model.add(app);
    auto *what = app.add_option_group("what the linears become");
    what->add_option("--format", format, "all in a format: as nstfc --quantize takes it")->type_name("FORMAT");
    what->add_option("--max-kl", maxKl,
                     "each in one of --formats or left alone, so that the whole loses at most this KL, on what is held "
                     "out and on what is fitted (--holdout)")
        ->type_name("NATS");
    what->add_option("--max-perplexity-increase", maxPerplexityIncrease, "the same by perplexity: 1%")
        ->type_name("PERCENT");
    what->add_option("--max-bytes", maxBytes, "the same, so that their matrices take at most this")->type_name("BYTES");
    what->add_option("--plan", plan, "what this plan.yaml says, which a compression wrote and people may have edited")
        ->type_name("FILE");
    what->require_option(1);
    app.add_option("--formats", formats,
                   "formats to choose from, by what each matrix loses alone on the calibration's text")
        ->type_name("FORMAT,…")
        ->capture_default_str();
    auto *byCost =
        app.add_option("--cost", cost,
                       "what they save: bytes, or the time that the products of one row are predicted to take")
            ->check(CLI::IsMember({"bytes", "time"}))
            ->capture_default_str();
    app.add_option("--target", target, "whose time: that of its default chip")
        ->needs(byCost)
        ->type_name(getTargetNames())
        ->capture_default_str();
    app.add_option(
           "--sensitivity", sensitivity,
           "what each matrix loses alone: by runs of the model, one for each matrix and format, or by the errors "
           "of its outputs, with a run for each layer")
        ->check(CLI::IsMember({"forward", "output"}))
        ->capture_default_str();
    app.add_option(
           "--activations", activations,
           "what linears read, as codes with a scale a row: int8 weights multiply with i8, those of e4m3fnuz with that")
        ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
        ->type_name("TYPE")
        ->capture_default_str();
    app.add_option("--kv-cache", kvCache,
                   "what caches are to hold of keys and values, as codes with a scale for each token and head; with "
                   "--format=f32, f16 or bf16 alone")
        ->check(CLI::IsMember({"i8", "e4m3fnuz", "none"}))
        ->type_name("TYPE")
        ->capture_default_str();
    app.add_option("--calibration", calibration, "what nstfc calibrate wrote of this model")->type_name("FOLDER");
    app.add_option(
           "--holdout", holdout,
           "what is kept out of all that is fitted, and tells what the whole loses: with --max-kl and "
           "--max-perplexity-increase what nstfc calibrate --holdout held out (default), with --max-bytes that if "
           "it is given; 0: nothing, and a budget is kept on the texts that were fitted. Without a budget all "
           "rows are fitted")
        ->type_name("SHARE|FIRST-LAST");
    app.add_option("--rounding", rounding, "how codes are chosen; auto: gptq where there is a calibration with sums")
        ->check(CLI::IsMember({"auto", "gptq", "nearest"}))
        ->capture_default_str();
    app.add_option(
           "--scale-channels", scaling,
           "inputs scaled before rounding, folded into norms, up and v; auto: awq where there is a calibration and "
           "the outputs gain by it, with --activations smooth")
        ->check(CLI::IsMember({"auto", "awq", "smooth", "off"}))
        ->capture_default_str();
    app.add_flag(
        "--rotate", rotate,
        "spread channels of the residual stream that stand out over all others, by an orthogonal matrix that is "
        "folded into embedding, linears and head; for models of RMS norms");
    app.add_option("-o,--output", output, "the checkpoint, a folder that isn't there yet")
        ->required()
        ->type_name("FOLDER");
    judge.add(app, "judge", "a text, or token ids, on which both models are compared; no part of it calibrated");
    app.add_flag("--lines", lines, "each line of that text is a text of its own");
    app.add_flag("--each", eachMatrix, "judge each matrix alone too, a run each");
    app.add_option("--report", report, "JSON file that gets what it cost")->type_name("FILE");
  }

  /// Formats of numbers don't compress the linears, so without --kv-cache a format of codes is needed.
  bool needsCodes() const { return kvCache == "none"; }
  /// Whether formats are chosen for each matrix.
  bool hasBudget() const { return limitsLoss() || !maxBytes.empty(); }
  bool limitsLoss() const { return !maxKl.empty() || !maxPerplexityIncrease.empty(); }
};

CompressOptions makeOptions(const CompressLine &line) {
  CompressOptions options;
  options.model = line.model.model;
  options.randomSeed = line.model.getSeed();
  options.writePlan = line.format.empty();
  if (line.activations != "none") {
    options.activations = line.activations;
    std::string format = line.activations == "i8" ? "int8" : line.activations;
    if (line.format != format && line.format != format + "_tensor")
      throw std::runtime_error("--activations=" + line.activations + ": expected --format=" + format + " but got " +
                               (line.format.empty() ? "none" : support::escape(line.format)));
  }
  options.kvCache = line.kvCache == "none" ? "" : line.kvCache;
  return options;
}

/// Sets the rounding options in `context`.
void setRounding(const CompressLine &line, RoundingContext &context) {
  const Calibration *calibration = context.calibration;
  bool hasSums = calibration && !calibration->isDiagonal();
  if (line.sensitivity == "output" && !hasSums)
    throw std::runtime_error("--sensitivity=output: expected a --calibration without --diagonal");
  if (line.rounding == "gptq" && !hasSums)
    throw std::runtime_error("--rounding=gptq: expected a --calibration without --diagonal");
  if (line.rounding == "gptq" || (line.rounding == "auto" && hasSums))
    context.rounding = Rounding::Gptq;
  if (line.scaling != "auto" && line.scaling != "off" && !calibration)
    throw std::runtime_error("--scale-channels=" + line.scaling + ": expected a --calibration");
  if (line.scaling == "smooth")
    context.scaling = ChannelScaling::Smooth;
  else if (line.scaling == "awq")
    context.scaling = ChannelScaling::Awq;
  else if (line.scaling == "auto" && calibration)
    context.scaling = line.activations != "none" ? ChannelScaling::Smooth : ChannelScaling::Auto;
}

MatrixFormat parseFormat(const std::string &flag, llvm::StringRef name, bool codesOnly) {
  std::optional<MatrixFormat> format = MatrixFormat::parse(name);
  if (!format || (codesOnly && !format->codes))
    throw std::runtime_error(flag + ": expected " + MatrixFormat::getNames(codesOnly) + " but got '" +
                             support::escape(name) + "'");
  return *format;
}

/// "0.01", or "1%" if a share is allowed.
double parseBudget(const std::string &flag, llvm::StringRef text, bool isShare) {
  bool isPercent = isShare && text.consume_back("%");
  std::optional<support::Number> number = support::Number::parse(text);
  if (!number || !(number->value > 0) || !std::isfinite(number->value))
    throw std::runtime_error(flag + ": expected a number above 0" + (isShare ? ", as 1% or 0.01," : "") + " but got '" +
                             support::escape(text) + "'");
  return isPercent ? number->value / 100 : number->value;
}

PrecisionBudget parseBudget(const CompressLine &line) {
  PrecisionBudget budget;
  if (!line.maxKl.empty())
    budget.kl = parseBudget("--max-kl", line.maxKl, false);
  else if (!line.maxPerplexityIncrease.empty())
    budget.perplexityIncrease = parseBudget("--max-perplexity-increase", line.maxPerplexityIncrease, true);
  else if (std::optional<support::Number> bytes = support::Number::parse(line.maxBytes);
           bytes && bytes->getWhole() && !bytes->negative)
    budget.bytes = bytes->getWhole()->magnitude;
  else
    throw std::runtime_error("--max-bytes: expected a whole number but got '" + support::escape(line.maxBytes) + "'");
  return budget;
}

/// With a budget, excludes the held-out tokens from fitting.
void holdOut(const CompressLine &line, Calibration &calibration) {
  constexpr int64_t enough = 4096;
  if (calibration.getTokens() < enough)
    std::cerr << "warning: " << line.calibration << ": " << calibration.getTokens() << " tokens calibrate, fewer than "
              << enough << ": other texts may lose far more than those\n";
  if (!line.holdout) {
    if (line.limitsLoss())
      calibration.holdOut();
    return;
  }
  Holdout holdout = Holdout::parse(*line.holdout);
  if (holdout.isNone())
    return;
  calibration.holdOut();
  if (holdout.countFitted(calibration.readTexts()) != calibration.getFitted())
    throw std::runtime_error("--holdout=" + support::escape(*line.holdout) + ": expected what " + line.calibration +
                             " holds out, " + std::to_string(calibration.countHeldOut()) + " of its " +
                             std::to_string(calibration.getTokens()) +
                             " tokens, but got others; nstfc calibrate has the same option");
}

/// With one format for all matrices, only warns of products that exceed f16's range. Rows that become codes have
/// scales, so they need no warning.
void warnOfRange(const CompressLine &line, mlir::ModuleOp module, const RoundingContext &context) {
  MatrixFormat format = parseFormat("--format", line.format, false);
  if (!context.calibration || line.activations != "none")
    return;
  auto type = format.codes ? getProductType(module) : format.numbers;
  bool isAny = false;
  for (auto [i, site] : llvm::enumerate(context.found.sites))
    if (std::string fault = findRangeFault(context, i, type); !fault.empty()) {
      std::cerr << "warning: '" << support::escape(site.name) << "': " << fault << "\n";
      isAny = true;
    }
  if (isAny)
    std::cerr << "warning: f16 can't hold what these products read: compile with --precision=bf16, or let --max-kl or "
                 "--plan keep them in bf16\n";
}

/// Chooses the format of each linear.
PrecisionPlan makePlan(const CompressLine &line, mlir::ModuleOp module, const std::string &weightsHash,
                       const RoundingContext &context, std::optional<PrecisionPlan> given,
                       std::optional<SearchRecord> &record) {
  const LinearSites &found = context.found;
  const Calibration *calibration = context.calibration;
  std::string calibrationHash = calibration ? calibration->getHash() : std::string();
  if (!line.format.empty()) {
    MatrixFormat format = parseFormat("--format", line.format, line.needsCodes());
    for (const LinearSite &site : found.sites)
      if (!format.fits(site.getColumns()))
        throw std::runtime_error("--format=" + line.format + ": expected groups of at most the " +
                                 std::to_string(site.getColumns()) + " inputs of '" + support::escape(site.name) + "'");
    warnOfRange(line, module, context);
    return PrecisionPlan::makeUniform(found, format, weightsHash, calibrationHash);
  }
  if (line.hasBudget()) {
    std::vector<MatrixFormat> formats;
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(line.formats).split(names, ',');
    for (llvm::StringRef name : names)
      formats.push_back(parseFormat("--formats", name, /*codesOnly=*/false));
    PrecisionCost cost;
    std::optional<RowTimes> times;
    if (line.cost == "time") {
      times.emplace(line.target);
      cost = {"time on " + times->getChip() + ", predicted", "us",
              [&](const ProductShape &product) { return times->predict(product); }};
    }
    auto method = line.sensitivity == "output" ? SensitivityMethod::Output : SensitivityMethod::Forward;
    AdaptivePrecisionManager manager(module, context, weightsHash);
    record.emplace(line.output, manager.getIdentity());
    return manager.choose(formats, parseBudget(line), cost, method, *record, [&](const std::string &estimate) {
      if (!line.model.quiet)
        std::cerr << estimate << "\n";
    });
  }
  if (calibration)
    AdaptivePrecisionManager(module, context, weightsHash).measure(*given);
  return *given;
}

/// Checks the options that need no model.
void check(const CompressLine &line) {
  if (!line.format.empty())
    parseFormat("--format", line.format, line.needsCodes());
  if (line.hasBudget()) {
    parseBudget(line);
    if (line.calibration.empty())
      throw std::runtime_error("--max-kl, --max-perplexity-increase, --max-bytes: expected a --calibration, whose text "
                               "tells what each matrix loses");
  } else if (line.holdout) {
    throw std::runtime_error(
        "--holdout: expected --max-kl, --max-perplexity-increase or --max-bytes beside it; without "
        "them all rows are fitted");
  }
  if (line.holdout)
    Holdout::parse(*line.holdout);
  if (line.cost == "time") {
    findTarget(line.target);
    if (!line.limitsLoss())
      throw std::runtime_error("--cost=time: expected --max-kl or --max-perplexity-increase beside it");
  }
  if (std::filesystem::exists(std::filesystem::symlink_status(line.output)))
    throw std::runtime_error(line.output + ": expected a folder that isn't there but it exists");
  if (!line.report.empty())
    support::checkWritable(line.report);
}

int run(const CompressLine &line) {
  check(line);
  if (!line.model.quiet)
    support::showProgress();
  Models models(line.model);
  auto module = models.load(line.model.model, !line.model.getSeed());
  if (!module)
    return 1;
  std::string weightsHash = hashWeights(*module, line.model.getSeed());
  std::optional<Calibration> read;
  if (!line.calibration.empty())
    read.emplace(line.calibration, weightsHash);
  CompressOptions options = makeOptions(line);
  Texts texts;
  if (!line.judge.ids.empty()) {
    texts = llvm::StringRef(line.judge.ids).ends_with(".npy") ? line.judge.read("--judge-rows")
                                                              : readText(*module, line.judge.ids, line.lines);
    checkTexts(*module, texts, line.judge.ids);
  }
  LinearSites found = findLinearSites(*module);
  std::optional<PrecisionPlan> given;
  if (!line.plan.empty())
    given = PrecisionPlan::read(line.plan, found, weightsHash, read ? read->getHash() : "");
  if (line.hasBudget() && isLanguageModel(*module)) // for an encoder another error follows
    holdOut(line, *read);
  else if (given && given->heldOut > 0)
    read->holdOut();
  reference::WeightReader reader(options.randomSeed);
  KnownScales known;
  RoundingContext context{found, read ? &*read : nullptr, reader, Rounding::Nearest, ChannelScaling::Off, known};
  setRounding(line, context);
  std::optional<Rotation> rotation;
  if (line.rotate)
    context.rotation = &rotation.emplace(*module, found, reader);
  std::optional<SearchRecord> record;
  PrecisionPlan plan = makePlan(line, *module, weightsHash, context, given, record);
  CostReport report{line.format.empty() ? "by layer" : line.format,
                    compressModel(*module, context, plan, line.output, options)};
  addMeasured(plan, report);
  if (record) {
    record->remove();
    addLosses(plan, report);
  }
  auto compressed = models.load(line.output, true);
  if (!compressed)
    return 1;
  quantizeValues(*compressed);
  countSteps(*module, *compressed, report);
  if (!texts.empty())
    judgeModel(*module, *compressed, texts, {options.randomSeed, line.eachMatrix, context.rotation}, report);
  if (!line.report.empty())
    support::writeFile(line.report, describeJson(report).dump(1) + "\n");
  std::cout << describeTable(report);
  std::string better = quantize::compareWithInt8(
      {.weights = llvm::any_of(plan.getFormats(),
                               [](const MatrixFormat &format) { return format.codes && format.codes->isFloat; }),
       .rows = options.activations == "e4m3fnuz",
       .caches = options.kvCache == "e4m3fnuz"});
  if (!better.empty())
    std::cout << better << "\n";
  return 0;
}

constexpr char about[] = "Writes a checkpoint with the linears of a model in fewer bits.";

} // namespace

int nstf::runCompressCommand(int argc, char **argv) { return runCommand<CompressLine>(argc, argv, about); }

support::CompletionCommand nstf::describeCompressCommand() { return describeCommand<CompressLine>("compress", about); }
