// All importers.

#include "compiler/import/Import.h"

#include "compiler/description/Config.h"
#include "compiler/import/Diagnose.h"
#include "compiler/import/HuggingFace.h"
#include "compiler/import/YamlGraph.h"
#include "dialects/nstf/NSTF.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Path.h"
#include "support/TextLimits.h"

#include "mlir/Parser/Parser.h"

#include <filesystem>
#include <utility>

using namespace mlir;
using namespace nstf;
using namespace nstf::import;
namespace fs = std::filesystem;

/// Makes a weight's path relative to the working directory, and checks that the file contains its bytes.
static LogicalResult resolveSource(WeightOp weight, const fs::path &folder) {
  SourceAttr source = *weight.getSource();
  fs::path file = folder / source.getPath().str();
  std::error_code error;
  uint64_t fileSize = fs::file_size(file, error);
  if (error)
    return weight.emitOpError() << "cannot open '" << support::describePath(file) << "': " << error.message();
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t elements = 1;
  bool overflow = false;
  for (int64_t extent : type.getShape())
    overflow |= __builtin_mul_overflow(elements, extent, &elements);
  std::optional<int64_t> bytes = overflow ? std::nullopt : source.getByteSpan(elements);
  uint64_t offset = source.getOffset();
  if (!bytes || offset > fileSize || static_cast<uint64_t>(*bytes) > fileSize - offset)
    return weight.emitOpError() << "expected " << type << " of " << source.getStoredType() << " at offset " << offset
                                << " of '" << file.string() << "' but the file has " << fileSize << " bytes";
  weight.setSourceAttr(SourceAttr::get(weight.getContext(), file.string(), source.getOffset(), source.getStoredType(),
                                       source.getSizes(), source.getStrides()));
  return success();
}

namespace {

/// While it lives, only the first error is reported: MLIR's parser continues after some errors.
class FirstError : public ScopedDiagnosticHandler {
public:
  explicit FirstError(MLIRContext *context) : ScopedDiagnosticHandler(context) {
    setHandler([this](Diagnostic &diagnostic) {
      const bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success(isError && std::exchange(told, isError)); // failure passes it to earlier handlers
    });
  }

private:
  bool told = false;
};

} // namespace

OwningOpRef<ModuleOp> nstf::import::importMlir(const std::string &path, MLIRContext *context,
                                               const ImportOptions &options) {
  return diagnose(context, [&]() -> OwningOpRef<ModuleOp> {
    std::string text = support::readTextFile(path, size_t(1) << 30); // MLIR's parser is recursive
    if (std::optional<std::string> excess = support::findMlirExcess(text))
      throw support::InputError("'" + path + "': " + *excess);
    FirstError first(context);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(context), path);
    if (!module)
      return nullptr;
    if (module->getOps<GraphOp>().empty())
      support::Place::of(path, 1, 1).error("expected an nstf.graph but the module has none");
    for (WeightOp weight : module->getOps<WeightOp>()) {
      if (!options.needWeights)
        weight.removeSourceAttr();
      else if (weight.getSource() && failed(resolveSource(weight, fs::path(path).parent_path())))
        return nullptr;
    }
    return module;
  });
}

/// Reports a folder without config.json, which may contain only a LoRA adapter.
[[noreturn]] static void refuseFolder(const fs::path &folder) {
  fs::path adapter = folder / "adapter_config.json";
  if (!fs::exists(adapter))
    throw support::InputError("'" + folder.string() + "': expected a model folder with a config.json but it has none");
  description::ParameterValue base = description::Config(adapter.string()).find("base_model_name_or_path");
  const auto *name = std::get_if<std::string>(&base);
  throw support::InputError("'" + adapter.string() + "': expected a model but got an adapter" +
                            (name ? " of '" + support::escape(*name) + "'" : "") +
                            ": adapters are not taken, merge it into its model");
}

OwningOpRef<ModuleOp> nstf::import::importModel(const std::string &path, MLIRContext *context,
                                                const ImportOptions &options) {
  context->loadDialect<NSTFDialect>();
  return diagnose(context, [&]() -> OwningOpRef<ModuleOp> {
    std::string extension = fs::path(path).extension().string();
    if (fs::is_directory(path)) {
      if (!fs::exists(fs::path(path) / "config.json"))
        refuseFolder(path);
      return importHuggingFace(path, context, options);
    }
    if (!fs::exists(path))
      throw support::InputError("'" + path + "': no such file or folder");
    if (options.ropeFactors != description::RopeFactors::Auto)
      throw support::InputError("'" + path + "': expected a model folder with --rope-factors but got a file");
    if (extension == ".yaml" || extension == ".yml")
      return importYamlGraph(path, context, options);
    if (extension == ".mlir")
      return importMlir(path, context, options);
    throw support::InputError("'" + path + "': expected a model folder, a .yaml graph or a .mlir module");
  });
}
