#include "tools/nstfc/TextModel.h"

#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Registration.h"
#include "compiler/import/Import.h"
#include "nstf/Npy.h"
#include "nstf/Tokenizer.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "tools/nstfc/Options.h"

using namespace nstf;
using calibrate::Texts;

void ModelOptions::add(CLI::App &app) {
  app.add_option("model", model, "Hugging Face folder (config.json, *.safetensors)")->required()->type_name("FOLDER");
  app.add_option("--weights", weights, "those of the folder, or generated from a seed")
      ->type_name("{files,random:SEED}")
      ->capture_default_str();
  app.add_option("--architecture", architectures,
                 "a .yaml file that describes an architecture, beside those nstfc knows; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FILE.yaml");
  addRopeFactors(app, ropeFactors);
  app.add_flag("--quiet", quiet, "no progress on standard error");
}

std::optional<uint64_t> ModelOptions::getSeed() const {
  llvm::StringRef text = weights;
  uint64_t seed;
  if (text == "files")
    return std::nullopt;
  if (!text.consume_front("random:") || text.getAsInteger(10, seed))
    throw std::runtime_error("--weights: expected files or random:SEED with an integer but got '" +
                             support::escape(weights) + "'");
  return seed;
}

Models::Models(const ModelOptions &options) : options(options) {
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  printDiagnostics(context);
}

mlir::OwningOpRef<mlir::ModuleOp> Models::load(const std::string &path, bool needWeights) {
  import::ImportOptions import;
  import.needWeights = needWeights;
  import.architectures = options.architectures;
  import.ropeFactors = options.ropeFactors;
  return import::importModel(path, &context, import);
}

void TextOptions::add(CLI::App &app, const std::string &prefix, const std::string &about) {
  app.add_option(prefix.empty() ? "--ids" : "--" + prefix, ids, about)->type_name(prefix.empty() ? "FILE.npy" : "FILE");
  app.add_option(prefix.empty() ? "--rows" : "--" + prefix + "-rows", rows, "rows of it, from 0 (8-23)")
      ->type_name("FIRST-LAST");
}

Texts TextOptions::read(const std::string &flag) const {
  Texts texts = runtime::readTokenIds(ids);
  if (rows.empty())
    return texts;
  auto [first, last] = llvm::StringRef(rows).split('-');
  size_t from, to;
  if (first.getAsInteger(10, from) || (last.empty() ? first : last).getAsInteger(10, to) || from > to ||
      to >= texts.size())
    throw std::runtime_error(flag + ": expected FIRST-LAST within the " + std::to_string(texts.size()) + " rows of '" +
                             ids + "' but got '" + support::escape(rows) + "'");
  return {texts.begin() + from, texts.begin() + to + 1};
}

static int64_t getModelNumber(mlir::ModuleOp module, llvm::StringRef name, int64_t absent) {
  auto facts = module->getAttrOfType<mlir::DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto number = facts ? facts.getAs<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  return number ? number.getInt() : absent;
}

Texts nstf::readText(mlir::ModuleOp module, const std::string &file, bool byLine) {
  auto facts = module->getAttrOfType<mlir::DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto tokenizerFile = facts ? facts.getAs<mlir::StringAttr>("tokenizer") : mlir::StringAttr();
  if (!tokenizerFile || tokenizerFile.empty())
    throw std::runtime_error(file +
                             ": expected a model with a tokenizer, or token ids in a .npy file, but it has none");
  auto tokenizer = runtime::Tokenizer::load(tokenizerFile.str());
  int64_t modelBos = getModelNumber(module, "bos", -1);
  std::optional<int32_t> bos = tokenizer->beginOf(modelBos >= 0 ? std::optional(int32_t(modelBos)) : std::nullopt);
  size_t length = std::min<int64_t>(getModelNumber(module, "context", 2048), 2048) - bos.has_value();
  Texts texts;
  auto add = [&](llvm::StringRef text) {
    if (!calibrate::isLanguageModel(module)) { // an encoder processes a text in one step
      texts.push_back(tokenizer->encodePrompt(text, std::nullopt, length).ids);
      return;
    }
    std::vector<int32_t> ids = tokenizer->encode(text);
    for (size_t begin = 0; begin < ids.size(); begin += length) {
      std::vector<int32_t> &piece = texts.emplace_back();
      if (bos)
        piece.push_back(*bos);
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

void nstf::checkTexts(mlir::ModuleOp module, const Texts &texts, const std::string &file) {
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
