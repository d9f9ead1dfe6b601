// Writes model.h, the launcher's interface for applications (LauncherText.h).
#include "compiler/package/LauncherChecks.h"
#include "compiler/package/LauncherNames.h"
#include "compiler/package/LauncherText.h"

#include <algorithm>

namespace nstf {

using namespace manifest;
using namespace launcher;

static bool hasGivenWeights(const Manifest &manifest) {
  return std::any_of(manifest.weights.tensors.begin(), manifest.weights.tensors.end(),
                     [](const Weight &weight) { return !weight.source; });
}

/// The comment at the beginning of the file: what the file is, and how it is used.
static std::string opening(const Manifest &manifest, const Names &names) {
  const Model &model = manifest.model;
  std::string targets, text = "// Launches the model " + comment(model.name);
  if (!model.architecture.empty())
    text += " (" + comment(model.architecture) + ")";
  for (const Target &target : manifest.targets)
    targets += (targets.empty() ? "" : ", ") + comment(target.id);
  text += ", compiled for " + targets + ".\n//\n";
  text +=
      "// Written by " + comment(manifest.compiler) +
      " with the package it lies in. model.h and model.cpp need\n"
      "// C++17 and HIP, and nothing else: what the compiler decided stands in model.cpp as tables, code and weights\n"
      "// are read from the package's folder.\n//\n";
  text += hasGivenWeights(manifest) ? "//   " + names.space + "::Model model(\"model.nstf\", [&](const " + names.space +
                                          "::Weight &weight) { return find(weight.name); });\n"
                                    : "//   " + names.space + "::Model model(\"model.nstf\");\n";
  text += "//   model.step(";
  for (const std::string &name : names.inputs)
    text += name + ".data(), ";
  text += "tokens);\n";
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i) {
    const std::string &name = names.outputs[i];
    text += "//   std::vector<" + cppType(manifest.outputs[i].type) + "> " + name + " = model." + name + "();\n";
  }
  return text + "//\n//   g++ -std=c++17 -D__HIP_PLATFORM_AMD__ application.cpp model.cpp -lamdhip64\n";
}

static std::string constants(const Manifest &manifest) {
  const Model &model = manifest.model;
  std::string text;
  auto add = [&](const std::string &what, const std::string &type, const std::string &name, const std::string &value) {
    text +=
        "/// " + what + "\ninline constexpr " + type + (type.back() == '*' ? "" : " ") + name + " = " + value + ";\n";
  };
  if (model.context)
    add("Positions that a sequence can have.", "std::int64_t", "context", std::to_string(*model.context));
  if (manifest.control.requests > 1)
    add("Requests that a step may have rows of; slots of the caches.", "int", "maxRequests",
        std::to_string(manifest.control.requests));
  if (model.vocabulary)
    add("Token ids are 0 to vocabulary - 1.", "std::int64_t", "vocabulary", std::to_string(*model.vocabulary));
  if (model.bos)
    add("The token that begins a text.", "std::int32_t", "bos", std::to_string(*model.bos));
  if (!model.eos.empty()) {
    std::string list;
    for (int32_t id : model.eos)
      list += (list.empty() ? "" : ", ") + std::to_string(id);
    add("Each of these tokens ends a text.", "std::array<std::int32_t, " + std::to_string(model.eos.size()) + ">",
        "eos", "{" + list + "}");
  }
  if (model.tokenizer.kind != "none")
    add("The tokenizer's file in the package, of kind " + comment(model.tokenizer.kind) + ".", "const char *",
        "tokenizer", literal(model.tokenizer.file));
  return text.empty() ? text : text + "\n";
}

static const char requestType[] =
    R"cpp(/// What a request has of a step: so many rows, from `position` of its text on, and the part `slot` of the caches.
struct Request {
  int slot; // 0 to maxRequests - 1
  std::int64_t position;
  int rows;
};

)cpp";

static std::string bufferTables(const Manifest &manifest, const Names &names) {
  std::string enumerators, rows;
  for (std::size_t i = 0; i < manifest.buffers.size(); ++i) {
    const Buffer &buffer = manifest.buffers[i];
    enumerators += "  " + names.buffers[i] + ", // " + std::string(nameOf(buffer.kind));
    if (buffer.type)
      enumerators += " " + std::string(nameOf(*buffer.type));
    if (buffer.shape)
      enumerators += " " + buffer.shape->str();
    enumerators += "\n";
    rows += "    {" + literal(buffer.name) + ", " + std::to_string(buffer.size) + "},\n";
  }
  return "/// The model's device memory, one allocation each.\nenum class Buffer : std::uint32_t {\n" + enumerators +
         "};\nstruct BufferInfo {\n  const char *name;\n  std::uint64_t size; // bytes\n};\n"
         "/// By Buffer.\ninline constexpr std::array<BufferInfo, " +
         std::to_string(manifest.buffers.size()) + "> buffers = {{\n" + rows + "}};\n\n";
}

static const char weightTypes[] =
    R"cpp(/// A weight that the package does not hold. Row-major, the outermost dimension first.
struct Weight {
  const char *name;
  const char *type;          // of an element: "f32"
  const int64_t *shape; // `rank` dimensions
  std::size_t rank;
  uint64_t size; // bytes
};
/// Gives the bytes of a weight, which are read before the next call. nullptr is an error.
using WeightFunction = std::function<const void *(const Weight &)>;

)cpp";

static std::string stepDeclaration(const Manifest &manifest, const Names &names) {
  std::string text =
      "  /// Runs one step of `tokens` rows, 1 to maxTokens()" +
      std::string(manifest.model.context ? ", at position(), and moves position() on.\n" : ".\n") +
      "  /// Returns when the work is submitted to stream(); the inputs, in host memory, are free then.\n";
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i)
    text += "  ///   " + names.inputs[i] + ": " + describe(manifest.inputs[i]) + "\n";
  text += "  void step(";
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i)
    text += "const " + cppType(manifest.inputs[i].type) + " *" + names.inputs[i] + ", ";
  text += "int tokens);\n";
  if (manifest.control.requests > 1) {
    text +=
        "  /// The same for `count` requests, whose rows stand in the inputs one request behind the other. position() "
        "stays. What\n"
        "  /// an output has of last rows, it has for each request in their order, maxRequests rows. An error: more\n"
        "  /// requests than that, one without rows or past the context, a slot that is none or taken twice.\n  void "
        "step(";
    for (std::size_t i = 0; i < manifest.inputs.size(); ++i)
      text += "const " + cppType(manifest.inputs[i].type) + " *" + names.inputs[i] + ", ";
    text += "const Request *requests, int count);\n";
  }
  return text + "\n";
}

static std::string modelClass(const Manifest &manifest, const Names &names) {
  bool given = hasGivenWeights(manifest);
  std::string text =
      "struct Impl;\n\n"
      "/// The model on a device, with the memory of one sequence. Functions throw std::runtime_error, which names "
      "what\n"
      "/// failed and HIP's error. Not for two threads at a time; any number of models may exist.\n"
      "class Model {\npublic:\n"
      "  /// Loads the code for HIP's device number `device`, allocates all memory and uploads the weights.\n"
      "  /// An error: a folder that is not the package of this launcher, or without code for that device.\n";
  text += given ? "  /// `weights` is called once for each weight that the package does not hold.\n"
                  "  explicit Model(const std::string &packageFolder, const WeightFunction &weights, int device = 0);\n"
                : "  explicit Model(const std::string &packageFolder, int device = 0);\n";
  text += "  Model(Model &&) noexcept;\n  Model &operator=(Model &&) noexcept;\n  ~Model();\n\n";
  text += stepDeclaration(manifest, names);
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i)
    text += "  /// " + describe(manifest.outputs[i]) + " of the last step, which it waits for.\n" +
            (logitsBehind(manifest, i) ? "  /// An error where the logits are no choice: one is NaN or +inf, or all "
                                         "are -inf. They are read for that;\n"
                                         "  /// address() is where the token stands unread.\n"
                                       : "") +
            "  std::vector<" + cppType(manifest.outputs[i].type) + "> " + names.outputs[i] + "() const;\n";
  return text + R"cpp(
  /// Starts a new sequence: position 0, states zero.
  void reset();
  /// Rows of this sequence so far; always 0 in a model without a context.
  int64_t position() const;
  /// The most rows of a step. Longer inputs are for several steps.
  int maxTokens() const;
  /// The target of the code in use.
  const char *target() const;

  /// What the work runs on, for those who put their own behind it, and where the buffers are on the device.
  hipStream_t stream() const;
  void *address(Buffer buffer) const;

private:
  std::unique_ptr<Impl> impl;
};
)cpp";
}

std::string launcherHeaderText(const Manifest &manifest) {
  Names names = makeNames(manifest);
  bool given = hasGivenWeights(manifest);
  std::string text = opening(manifest, names);
  text +=
      "#pragma once\n\n#include <hip/hip_runtime_api.h>\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n";
  text += given ? "#include <functional>\n" : "";
  text += "#include <memory>\n#include <string>\n#include <vector>\n\nnamespace " + names.space + " {\n\n";
  text += constants(manifest) + (manifest.control.requests > 1 ? requestType : "") + bufferTables(manifest, names);
  text += given ? weightTypes : "";
  return text + modelClass(manifest, names) + "\n} // namespace " + names.space + "\n";
}

} // namespace nstf
