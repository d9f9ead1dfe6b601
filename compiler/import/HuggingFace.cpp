// Imports models in Hugging Face's folder layout.
//
// config.json names an architecture, which a file of templates/models describes. Parameters come from config.json and
// weights from the safetensors files; GraphBuilder builds the module. This code is independent of the model.

#include "compiler/import/HuggingFace.h"

#include "compiler/description/Config.h"
#include "compiler/description/ForeignKeys.h"
#include "compiler/import/Diagnose.h"
#include "compiler/import/GenerationConfig.h"
#include "compiler/import/GraphBuilder.h"
#include "compiler/import/QuantizedWeights.h"
#include "compiler/import/WideProducts.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "templates/Templates.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;
using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::description;
using namespace nstf::import;
namespace fs = std::filesystem;

/// Reads all architecture files, the user's first. They are few and small, and their "architectures" determine which
/// one is used.
static std::vector<GraphDescription> readArchitectures(const std::vector<std::string> &files) {
  std::vector<GraphDescription> result;
  for (const std::string &file : files) {
    result.push_back(readGraphDescription(support::readTextFile(file), file));
    if (result.back().architectures.empty())
      support::Place::of(file, 1, 1).error("expected a key 'architectures' that names what the file describes");
  }
  static const std::vector<GraphDescription> own = [] {
    std::vector<GraphDescription> read;
    for (std::string_view name : templateNames("models/"))
      read.push_back(readGraphDescription(std::string(*templateText(name)), "templates/" + std::string(name)));
    return read;
  }();
  result.insert(result.end(), own.begin(), own.end());
  return result;
}

static std::vector<std::string> namesOf(const std::vector<GraphDescription> &architectures) {
  std::vector<std::string> names;
  for (const GraphDescription &architecture : architectures)
    names.insert(names.end(), architecture.architectures.begin(), architecture.architectures.end());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> nstf::import::knownArchitectures() { return namesOf(readArchitectures({})); }

/// Chooses by "architectures", or for a config without it by "model_type", which is a description's name.
static GraphDescription chooseArchitecture(const Config &config, const std::vector<std::string> &files) {
  std::vector<GraphDescription> descriptions = readArchitectures(files);
  std::vector<std::string> wanted = config.architectures();
  const std::string type = wanted.empty() ? config.modelType() : "";
  auto isWanted = [&](const std::string &name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  for (GraphDescription &description : descriptions) {
    const std::vector<std::string> &names = description.architectures;
    if (wanted.empty() ? description.name == type : std::any_of(names.begin(), names.end(), isWanted))
      return std::move(description);
  }
  if (wanted.empty() && type.empty())
    throw support::InputError("'" + config.name() + "': expected 'architectures' or 'model_type' but got neither");
  std::vector<std::string> known = namesOf(descriptions);
  if (wanted.empty()) {
    known.clear();
    for (const GraphDescription &description : descriptions)
      known.push_back(description.name);
    std::sort(known.begin(), known.end());
  }
  const std::string &got = wanted.empty() ? type : wanted[0];
  throw support::InputError("'" + config.name() + "': unknown " + (wanted.empty() ? "model_type '" : "architecture '") +
                            support::escape(got) + "' (known: " + support::listNames(known) +
                            "; --architecture FILE.yaml adds one)");
}

/// Replaces the model's number of positions by the user's, which may be at most that or `longest_context`.
static void setContext(Parameters &parameters, int64_t wanted, const Config &config) {
  auto own = parameters.find("context"), longest = parameters.find("longest_context");
  auto max = longest == parameters.end() ? own : longest;
  const int64_t *limit = max == parameters.end() ? nullptr : std::get_if<int64_t>(&max->second);
  if (!limit || own == parameters.end())
    throw support::InputError("'" + config.name() +
                              "': this architecture has no parameter 'context' that could be set");
  if (wanted < 1 || wanted > *limit)
    throw support::InputError("'" + config.name() + "': expected a context of 1 to " + std::to_string(*limit) +
                              " but got " + std::to_string(wanted));
  own->second = wanted;
}

static const RopeScaling *findLongRope(const Parameters &parameters) {
  for (const auto &[name, value] : parameters)
    if (const auto *rope = std::get_if<RopeScaling>(&value); rope && rope->kind == RopeScaling::longrope)
      return rope;
  return nullptr;
}

static void setRopeFactors(Parameters &parameters, RopeFactors wanted, const Config &config) {
  if (wanted == RopeFactors::Auto)
    return;
  if (!findLongRope(parameters))
    throw support::InputError("'" + config.name() +
                              "': expected a model with rope scaling of the kind longrope, whose factors "
                              "--rope-factors chooses, but it has none");
  for (auto &[name, value] : parameters)
    if (auto *rope = std::get_if<RopeScaling>(&value))
      rope->factors = wanted;
}

/// A note if short texts get other results than elsewhere because longrope's factors depend on the compiled context
/// here, not on each text's length; else "".
static std::string describeRopeFactors(const Parameters &parameters, const Config &config) {
  const RopeScaling *rope = findLongRope(parameters);
  auto context = parameters.find("context");
  const int64_t *length = context == parameters.end() ? nullptr : std::get_if<int64_t>(&context->second);
  if (!rope || !rope->original || !length || rope->factors != RopeFactors::Auto ||
      !rope->isLong(*rope->original, double(*length)))
    return "";
  std::string trained = std::to_string(int64_t(*rope->original));
  return "'" + config.name() + "': the context of " + std::to_string(*length) + " is longer than longrope's " +
         trained +
         " positions, so texts of every length get its long factors; --rope-factors=short, or --context=" + trained +
         ", takes the short ones";
}

/// Describes a LoRA adapter in the model's folder; empty if there is none.
static std::string describeAdapter(const fs::path &folder) {
  for (const char *name : {"adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"})
    if (fs::exists(folder / name))
      return "'" + (folder / name).string() + "': adapters are not taken: this is the model without it";
  return "";
}

static std::string tokenizerOf(const fs::path &folder) {
  for (const char *name : {"tokenizer.json", "tokenizer.model", "tok512.bin"})
    if (fs::exists(folder / name))
      return (folder / name).string();
  return "";
}

/// "bfloat16" for "bfloat16" and "torch.bfloat16", from "dtype" in newer folders; empty if the config has no type.
static std::string dtypeOf(const Config &config) {
  for (const char *key : {"dtype", "torch_dtype"}) {
    ParameterValue value = config.find(key);
    if (std::holds_alternative<std::monostate>(value))
      continue;
    const std::string *name = std::get_if<std::string>(&value);
    if (!name)
      throw support::InputError("'" + config.name() + "': expected '" + key + "' to be a text but got " +
                                describe(value));
    return name->starts_with("torch.") ? name->substr(6) : *name;
  }
  return "";
}

/// The folder's name, also for "checkpoints/tiny/" and ".".
static std::string modelName(const fs::path &folder) {
  fs::path absolute = fs::absolute(folder).lexically_normal();
  return (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
}

/// Adds generation_config.json to the graph. If that file has tokens that end a text and config.json doesn't, the
/// architecture's default is not used.
static std::optional<GenerationConfig> readGeneration(const fs::path &folder, const Config &config,
                                                      ExpandedGraph &graph, MLIRContext *context) {
  auto found = graph.model.find("vocabulary");
  const int64_t *known = found == graph.model.end() ? nullptr : std::get_if<int64_t>(&found->second);
  int64_t vocabulary = known ? *known : std::numeric_limits<int32_t>::max();
  for (int64_t id : getEnds(graph))
    if (id < 0 || id >= vocabulary)
      throw support::InputError("'" + config.name() + "': expected ids from 0 to " + std::to_string(vocabulary - 1) +
                                " in 'eos_token_id' but got " + std::to_string(id));
  auto generation = GenerationConfig::read(folder, vocabulary);
  if (!generation)
    return std::nullopt;
  if (!generation->eos.empty() && std::holds_alternative<std::monostate>(config.find("eos_token_id")))
    graph.model.erase("eos");
  if (!generation->ignored.empty())
    emitWarning(UnknownLoc::get(context))
        << "'" << generation->name << "': " << llvm::join(generation->ignored, ", ")
        << (generation->ignored.size() == 1 ? " is" : " are") << " not followed by --sampling=model";
  return generation;
}

OwningOpRef<ModuleOp> nstf::import::importHuggingFace(const std::string &folder, MLIRContext *context,
                                                      const ImportOptions &options) {
  return diagnose(context, [&]() -> OwningOpRef<ModuleOp> {
    if (!fs::is_directory(folder))
      throw support::InputError("'" + folder + "': no such folder");
    Config config((fs::path(folder) / "config.json").string());
    GraphDescription description = chooseArchitecture(config, options.architectures);
    std::optional<Checkpoint> checkpoint;
    if (options.needWeights)
      checkpoint = Checkpoint::open(folder);
    refuseForeignKeys(description, config);
    std::vector<std::string> notes;
    Parameters parameters = evaluateParameters(description, &config, checkpoint ? &*checkpoint : nullptr, &notes);
    if (options.context)
      setContext(parameters, *options.context, config);
    setRopeFactors(parameters, options.ropeFactors, config);
    ExpandedGraph graph = expandGraph(description, parameters);
    std::optional<GenerationConfig> generation = readGeneration(folder, config, graph, context);
    std::optional<QuantizationConfig> quantization = QuantizationConfig::read(config);
    std::optional<QuantizedWeights> quantized;
    if (quantization && options.needActivations && !quantization->getActivationsFault().empty())
      emitWarning(UnknownLoc::get(context)) << quantization->getPlace() << ": " << quantization->getActivationsFault()
                                            << "; linears read numbers, as with --activations=none";
    if (quantization)
      quantized.emplace(*quantization, checkpoint ? &*checkpoint : nullptr, context);
    OwningOpRef<ModuleOp> module = buildModule(graph,
                                               {description.name, modelName(folder), tokenizerOf(folder),
                                                dtypeOf(config), quantization ? quantization->getActivations() : "",
                                                quantization ? quantization->getKvCache() : "", generation},
                                               checkpoint ? &*checkpoint : nullptr, "'" + config.name() + "'",
                                               /*locateInFile=*/true, context, quantized ? &*quantized : nullptr);
    if (!module)
      return nullptr;
    setWideProducts(*module, config);
    notes.insert(notes.end(), {describeAdapter(folder), checkpoint ? checkpoint->unread() : "",
                               quantized ? quantized->getVersionFault() : "", describeRopeFactors(parameters, config)});
    for (const std::string &note : notes)
      if (!note.empty())
        tell(context, note);
    return module;
  });
}
