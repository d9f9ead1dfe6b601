// The command lines of `nstfc calibrate` and `nstfc compress` (CompressOptions.h).
#include "tools/nstfc/CompressOptions.h"
#include "compiler/calibrate/CompressModel.h"
#include "compiler/calibrate/CostReport.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Registration.h"
#include "compiler/import/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "nstf/Npy.h"
#include "nstf/Tokenizer.h"
#include "support/ByteSize.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Number.h"
#include "support/Progress.h"
#include "support/WriteFile.h"

#include <iostream>

using namespace nstf;
using namespace nstf::calibrate;

namespace {

/// What both commands begin with: a model, imported.
struct ModelOptions {
  std::string model, weights = "files";
  std::vector<std::string> architectures;
  bool quiet = false;

  void add(CLI::App &app) {
    app.add_option("model", model, "Hugging Face folder (config.json, *.safetensors)")->required()->type_name("FOLDER");
    app.add_option("--weights", weights, "those of the folder, or generated from a seed")
        ->type_name("{files,random:SEED}")
        ->capture_default_str();
    app.add_option("--architecture", architectures,
                   "a .yaml file that describes an architecture, beside those nstfc knows; repeatable")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("FILE.yaml");
    app.add_flag("--quiet", quiet, "no progress on standard error");
  }

  std::optional<uint64_t> getSeed() const {
    llvm::StringRef text = weights;
    uint64_t seed;
    if (text == "files")
      return std::nullopt;
    if (!text.consume_front("random:") || text.getAsInteger(10, seed))
      throw std::runtime_error("--weights: expected files or random:SEED with an integer but got '" +
                               support::escape(weights) + "'");
    return seed;
  }
};

/// A context that knows every dialect, and prints what goes wrong.
class Models {
public:
  explicit Models(const ModelOptions &options) : options(options) {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    printDiagnostics(context);
  }

  /// Null where a diagnostic said why not.
  mlir::OwningOpRef<mlir::ModuleOp> load(const std::string &path, bool needWeights) {
    import::ImportOptions import;
    import.needWeights = needWeights;
    import.architectures = options.architectures;
    return import::importModel(path, &context, import);
  }

private:
  const ModelOptions &options;
  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
};

/// Token ids of a file, some of its rows perhaps.
struct TextOptions {
  std::string ids, rows;

  void add(CLI::App &app, const std::string &prefix, const std::string &about) {
    app.add_option(prefix.empty() ? "--ids" : "--" + prefix, ids, about)
        ->type_name(prefix.empty() ? "FILE.npy" : "FILE");
    app.add_option(prefix.empty() ? "--rows" : "--" + prefix + "-rows", rows, "rows of it, from 0 (8-23)")
        ->type_name("FIRST-LAST");
  }

  Texts read(const std::string &flag) const {
    Texts texts = runtime::readTokenIds(ids);
    if (rows.empty())
      return texts;
    auto [first, last] = llvm::StringRef(rows).split('-');
    size_t from, to;
    if (first.getAsInteger(10, from) || (last.empty() ? first : last).getAsInteger(10, to) || from > to ||
        to >= texts.size())
      throw std::runtime_error(flag + ": expected FIRST-LAST within the " + std::to_string(texts.size()) +
                               " rows of '" + ids + "' but got '" + support::escape(rows) + "'");
    return {texts.begin() + from, texts.begin() + to + 1};
  }
};

int64_t getModelNumber(mlir::ModuleOp module, llvm::StringRef name, int64_t absent) {
  auto facts = module->getAttrOfType<mlir::DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto number = facts ? facts.getAs<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  return number ? number.getInt() : absent;
}

/// A text, or one a line, in pieces that fit the context, each with what begins a text.
Texts readText(mlir::ModuleOp module, const std::string &file, bool byLine) {
  auto facts = module->getAttrOfType<mlir::DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto tokenizerFile = facts ? facts.getAs<mlir::StringAttr>("tokenizer") : mlir::StringAttr();
  if (!tokenizerFile || tokenizerFile.empty())
    throw std::runtime_error(file +
                             ": expected a model with a tokenizer, or token ids in a .npy file, but it has none");
  auto tokenizer = runtime::Tokenizer::load(tokenizerFile.str());
  int64_t bos = getModelNumber(module, "bos", -1);
  size_t length = std::min<int64_t>(getModelNumber(module, "context", 2048), 2048) - (bos >= 0);
  Texts texts;
  auto add = [&](llvm::StringRef text) {
    std::vector<int32_t> ids = tokenizer->encode(text);
    for (size_t begin = 0; begin < ids.size(); begin += length) {
      std::vector<int32_t> &piece = texts.emplace_back();
      if (bos >= 0)
        piece.push_back(int32_t(bos));
      piece.insert(piece.end(), ids.begin() + begin, ids.begin() + std::min(ids.size(), begin + length));
    }
    if (texts.size() > 1 && texts.back().size() < 2)
      texts.pop_back();
  };
  std::string content = support::readTextFile(file, size_t(1) << 30);
  llvm::SmallVector<llvm::StringRef> lines = {content};
  if (byLine) {
    lines.clear();
    llvm::StringRef(content).split(lines, '\n', -1, /*KeepEmpty=*/false);
  }
  for (llvm::StringRef line : lines)
    add(line);
  return texts;
}

void checkTexts(mlir::ModuleOp module, const Texts &texts, const std::string &file) {
  int64_t context = getModelNumber(module, "context", INT64_MAX),
          vocabulary = getModelNumber(module, "vocabulary", INT64_MAX);
  if (texts.empty())
    throw std::runtime_error(file + ": expected a text of at least 2 tokens but got 0");
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string where = file + ": text " + std::to_string(i + 1) + ": expected ";
    if (texts[i].size() < 2 || int64_t(texts[i].size()) > context)
      throw std::runtime_error(where + "2 to " + std::to_string(context) + " tokens but got " +
                               std::to_string(texts[i].size()));
    for (int32_t id : texts[i])
      if (id >= vocabulary)
        throw std::runtime_error(where + "ids of 0 to " + std::to_string(vocabulary - 1) + " but got " +
                                 std::to_string(id));
  }
}

// nstfc calibrate

struct CalibrateLine {
  ModelOptions model;
  TextOptions ids;
  std::string text, output;
  bool diagonal = false, lines = false;

  void add(CLI::App &app) {
    model.add(app);
    app.add_option("--text", text, "a text, which the model's tokenizer reads")->type_name("FILE");
    app.add_flag("--lines", lines, "each line of the text is a text of its own");
    ids.add(app, "", "token ids: one text, or a text a row");
    app.add_flag("--diagonal", diagonal, "leave out the sums of products of inputs, which GPTQ needs");
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

// nstfc compress

struct CompressLine {
  ModelOptions model;
  TextOptions judge;
  bool eachMatrix = false, lines = false;
  std::string format, calibration, rounding = "auto", scaling = "auto", output, report;

  void add(CLI::App &app) {
    model.add(app);
    app.add_option("--format", format, "format of the linears' weights: as nstfc --quantize takes it")
        ->required()
        ->type_name("FORMAT");
    app.add_option("--calibration", calibration, "what nstfc calibrate wrote of this model")->type_name("FOLDER");
    app.add_option("--rounding", rounding, "how codes are chosen; auto: gptq where there is a calibration with sums")
        ->check(CLI::IsMember({"auto", "gptq", "nearest"}))
        ->capture_default_str();
    app.add_option(
           "--scale-channels", scaling,
           "inputs scaled before rounding, folded into norms, up and v; auto: awq where there is a calibration and "
           "the outputs gain by it")
        ->check(CLI::IsMember({"auto", "awq", "smooth", "off"}))
        ->capture_default_str();
    app.add_option("-o,--output", output, "the checkpoint, a folder that isn't there yet")
        ->required()
        ->type_name("FOLDER");
    judge.add(app, "judge", "a text, or token ids, on which both models are compared; no part of it calibrated");
    app.add_flag("--lines", lines, "each line of that text is a text of its own");
    app.add_flag("--each", eachMatrix, "judge each matrix alone too, a run each");
    app.add_option("--report", report, "JSON file that gets what it cost")->type_name("FILE");
  }
};

CompressOptions makeOptions(const CompressLine &line, const Calibration *calibration) {
  CompressOptions options;
  options.model = line.model.model;
  options.randomSeed = line.model.getSeed();
  options.formatName = line.format;
  options.format = *parseWeightFormat(line.format);
  bool hasSums = calibration && !calibration->isDiagonal();
  if (line.rounding == "gptq" && !hasSums)
    throw std::runtime_error("--rounding=gptq: expected a --calibration without --diagonal");
  if (line.rounding == "gptq" || (line.rounding == "auto" && hasSums))
    options.rounding = Rounding::Gptq;
  if (line.scaling != "auto" && line.scaling != "off" && !calibration)
    throw std::runtime_error("--scale-channels=" + line.scaling + ": expected a --calibration");
  if (line.scaling == "smooth")
    options.scaling = ChannelScaling::Smooth;
  else if (line.scaling == "awq")
    options.scaling = ChannelScaling::Awq;
  else if (line.scaling == "auto" && calibration)
    options.scaling = ChannelScaling::Auto;
  return options;
}

int run(const CompressLine &line) {
  if (!parseWeightFormat(line.format))
    throw std::runtime_error("--format: expected " + getWeightFormatNames() + " but got '" +
                             support::escape(line.format) + "'");
  if (std::filesystem::exists(std::filesystem::symlink_status(line.output)))
    throw std::runtime_error(line.output + ": expected a folder that isn't there but it exists");
  if (!line.report.empty())
    support::checkWritable(line.report);
  if (!line.model.quiet)
    support::showProgress();
  Models models(line.model);
  auto module = models.load(line.model.model, !line.model.getSeed());
  if (!module)
    return 1;
  std::optional<Calibration> calibration;
  if (!line.calibration.empty())
    calibration.emplace(line.calibration, hashWeights(*module, line.model.getSeed()));
  CompressOptions options = makeOptions(line, calibration ? &*calibration : nullptr);
  Texts texts;
  if (!line.judge.ids.empty()) {
    texts = llvm::StringRef(line.judge.ids).ends_with(".npy") ? line.judge.read("--judge-rows")
                                                              : readText(*module, line.judge.ids, line.lines);
    checkTexts(*module, texts, line.judge.ids);
  }
  CostReport report{
      line.format, compressModel(*module, calibration ? &*calibration : nullptr, line.output, options), {}};
  if (!texts.empty()) {
    auto compressed = models.load(line.output, true);
    if (!compressed)
      return 1;
    judgeModel(*module, *compressed, texts, {options.randomSeed, line.eachMatrix}, report);
  }
  if (!line.report.empty())
    support::writeFile(line.report, describeJson(report).dump(1) + "\n");
  std::cout << describeTable(report);
  return 0;
}

template <typename Line> int runCommand(int argc, char **argv, const char *about) {
  Line line;
  std::string name = "nstfc " + std::string(argv[0]);
  CLI::App app(about, name);
  line.add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help
      return app.exit(error);
    throw std::runtime_error(std::string(error.what()) + " (" + name + " --help lists the options)");
  }
  return run(line);
}

template <typename Line> support::CompletionCommand describe(const char *name, const char *about) {
  Line line;
  CLI::App app(about, name);
  line.add(app);
  return support::describeCommand(app);
}

constexpr char calibrateAbout[] = "Runs the reference on a text and keeps what the linears of a model see.";
constexpr char compressAbout[] = "Writes a checkpoint with the linears of a model in fewer bits.";

} // namespace

int nstf::runCalibrateCommand(int argc, char **argv) { return runCommand<CalibrateLine>(argc, argv, calibrateAbout); }

int nstf::runCompressCommand(int argc, char **argv) { return runCommand<CompressLine>(argc, argv, compressAbout); }

std::vector<support::CompletionCommand> nstf::describeCompressCommands() {
  return {describe<CalibrateLine>("calibrate", calibrateAbout), describe<CompressLine>("compress", compressAbout)};
}
