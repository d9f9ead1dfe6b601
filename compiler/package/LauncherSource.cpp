// Writes model.cpp: the tables, and the code that loads and runs a package (LauncherText.h, LauncherCode.h). Parts that
// a model does not need are omitted, so that the file compiles without warnings.
#include "compiler/package/LauncherChecks.h"
#include "compiler/package/LauncherCode.h"
#include "compiler/package/LauncherTables.h"
#include "compiler/package/LauncherText.h"

namespace nstf {

using namespace launcher;
using manifest::BufferKind;
using manifest::Manifest;

/// Which parts of the code a model needs.
static Features featuresOf(const Manifest &manifest, const Contents &contents) {
  const bool batches = manifest.control.requests > 1, hasContext = manifest.model.context.has_value();
  bool takesIds = false, choosesTokens = false;
  for (const manifest::Port &input : manifest.inputs)
    takesIds |= isIds(manifest, input);
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i)
    choosesTokens |= logitsBehind(manifest, i).has_value();
  return {{"STORED", contents.stored}, {"CONVERTED", contents.converted},
          {"GIVEN", contents.given},   {"IDS", takesIds},
          {"LOGITS", choosesTokens},   {"CONTEXT", hasContext},
          {"REQUESTS", batches},       {"COUNTS_POSITIONS", hasContext && !batches}};
}

static std::string constructor(const Contents &contents) {
  std::string text = "Model::Model(const std::string &packageFolder, ";
  text += contents.given ? "const WeightFunction &weights, " : "";
  text += "int device) : impl(std::make_unique<Impl>()) {\n  impl->open(packageFolder, device);\n";
  text += contents.stored ? "  impl->loadStored(packageFolder);\n" : "";
  text += contents.given ? "  impl->loadGiven(weights);\n" : "";
  return text + "}\n";
}

/// The number of elements of a port, as a C++ expression: "std::uint64_t(tokens) * 20".
static std::string elements(const manifest::Port &port, const std::string &tokens) {
  std::string fixed = std::to_string(port.shape.elements(1));
  return port.shape.hasTokens() ? "std::uint64_t(" + tokens + ") * " + fixed : fixed;
}

static std::string ports(const Manifest &manifest, const Names &names) {
  std::string parameters, copies;
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i) {
    const manifest::Port &port = manifest.inputs[i];
    parameters += "const " + cppType(port.type) + " *" + names.inputs[i] + ", ";
    if (isIds(manifest, port))
      copies += "  impl->checkIds(" + names.inputs[i] + ", " + elements(port, "tokens") + ");\n";
    copies += "  impl->copyIn(Buffer::" + names.buffers[port.buffer] + ", 0, " + names.inputs[i] + ", " +
              elements(port, "tokens") + " * " + std::to_string(sizeOf(port.type)) + ");\n";
  }
  std::string text;
  if (manifest.control.requests > 1) {
    std::string inputs;
    for (const std::string &name : names.inputs)
      inputs += name + ", ";
    text = "void Model::step(" + parameters +
           "int tokens) {\n  const Request request = {0, impl->position, tokens};\n  step(" + inputs +
           "&request, 1);\n  impl->position += tokens;\n}\n\nvoid Model::step(" + parameters +
           "const Request *requests, int count) {\n  int tokens = 0;\n"
           "  const auto &launches = impl->begin(requests, count, tokens);\n" +
           copies + "  impl->run(launches, tokens, requests, count);\n}\n";
  } else {
    text = "void Model::step(" + parameters + "int tokens) {\n  const auto &launches = impl->begin(tokens);\n" +
           copies + "  impl->run(launches, tokens);\n}\n";
  }
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i) {
    const manifest::Port &port = manifest.outputs[i];
    std::string type = "std::vector<" + cppType(port.type) + ">";
    std::optional<std::size_t> logits = logitsBehind(manifest, i);
    text += "\n" + type + " Model::" + names.outputs[i] + "() const {\n" +
            (logits ? "  impl->checkLogits(" + names.outputs[*logits] + "());\n" : "") + "  " + type + " values(" +
            elements(port, "impl->rows") + ");\n  impl->copyOut(Buffer::" + names.buffers[port.buffer] +
            ", values.data(), values.size() * " + std::to_string(sizeOf(port.type)) + ");\n  return values;\n}\n";
  }
  return text;
}

std::string launcherSourceText(const Manifest &manifest, std::string_view digest) {
  Names names = makeNames(manifest);
  Contents contents = getContents(manifest);
  std::string text = "// The launcher of the model " + comment(manifest.model.name) +
                     ": see model.h. First what the compiler decided, then what is the\n"
                     "// same for every model: load, launch, read.\n#include \"model.h\"\n\n";
  text += contents.stored ? "#include <algorithm>\n" : "";
  text += "#include <cstring>\n#include <filesystem>\n#include <fstream>\n#include <iterator>\n#include "
          "<limits>\n#include <stdexcept>\n\nnamespace " +
          names.space + " {\nnamespace {\n\nconstexpr char digest[] = " + literal(digest) + ";\n\n";
  text += launchTables(manifest, names);
  std::string states;
  std::size_t stateCount = 0;
  for (std::size_t i = 0; i < manifest.buffers.size(); ++i)
    if (manifest.buffers[i].kind == BufferKind::State || manifest.buffers[i].kind == BufferKind::Counters)
      states += (stateCount++ ? ", Buffer::" : "Buffer::") + names.buffers[i];
  text += "/// What lives from step to step.\nconstexpr std::array<Buffer, " + std::to_string(stateCount) +
          "> states = {" + states + "};\n\n";
  if (manifest.weights.buffer)
    text += "constexpr Buffer weightsBuffer = Buffer::" + names.buffers[*manifest.weights.buffer] + ";\n\n";
  text += weightTables(manifest) + launcherCode("code", featuresOf(manifest, contents));
  text += constructor(contents) + launcherCode("members") + ports(manifest, names);
  return text + "\n} // namespace " + names.space + "\n";
}

} // namespace nstf
