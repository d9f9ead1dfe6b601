#include "compiler/package/LauncherChecks.h"

#include <algorithm>

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

static const char checkIds[] = R"cpp(  void checkIds(const int32_t *ids, uint64_t count) const {
    for (uint64_t i = 0; ids && i < count; ++i)
      if (ids[i] < 0 || ids[i] >= vocabulary)
        fail("expected token ids from 0 to " + std::to_string(vocabulary - 1) + " but got " + std::to_string(ids[i]));
  }

)cpp";

static const char checkLogits[] =
    R"cpp(  /// The device's choice passes over NaN, so that a token says nothing of the logits it was chosen from.
  void checkLogits(const std::vector<float> &logits) const {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::string place = "for the token at position " + std::to_string(position) + ": expected ";
    bool anyFinite = false;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (!(logits[i] < infinity))
        fail(place + "logits to be finite or -inf but the one of token " + std::to_string(i) + " is " +
             (logits[i] == infinity ? "+inf" : "NaN"));
      anyFinite = anyFinite || logits[i] > -infinity;
    }
    if (!anyFinite)
      fail(place + "a finite logit but all " + std::to_string(logits.size()) + " are -inf");
  }

)cpp";

std::string checkFunctions(const Manifest &manifest) {
  bool takesIds = std::any_of(manifest.inputs.begin(), manifest.inputs.end(),
                              [&](const Port &input) { return isIds(manifest, input); });
  bool chooses = false;
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i)
    chooses |= logitsBehind(manifest, i).has_value();
  return std::string(takesIds ? checkIds : "") + (chooses ? checkLogits : "");
}

} // namespace nstf::launcher
