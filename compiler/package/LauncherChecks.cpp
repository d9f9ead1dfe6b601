#include "compiler/package/LauncherChecks.h"

namespace nstf::launcher {

using namespace manifest;

bool isIds(const Manifest &manifest, const Port &port) {
  return port.name == "ids" && port.type == ElementType::I32 && manifest.model.vocabulary;
}

std::optional<std::size_t> logitsBehind(const Manifest &manifest, std::size_t output) {
  const Port &next = manifest.outputs[output];
  bool isToken = next.name == "next" && next.type == ElementType::I32 &&
                 next.shape.dimensions == std::vector<int64_t>{manifest.control.requests};
  const Port *logits = manifest.findOutput("logits");
  if (!isToken || !logits || logits->type != ElementType::F32 || logits->shape.hasTokens())
    return std::nullopt;
  return logits - manifest.outputs.data();
}

} // namespace nstf::launcher
