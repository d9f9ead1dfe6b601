#include "compiler/description/ForeignKeys.h"

#include <algorithm>

using namespace nstf;
using namespace nstf::description;

namespace {

struct ForeignKey {
  const char *name;
  std::optional<double> neutral; ///< a value without effect; absent: only null and false
};

} // namespace

/// Scales and limits of hidden states, scores and logits; norms of heads; experts.
static constexpr ForeignKey foreignKeys[] = {{"attention_multiplier", {}},
                                             {"embedding_multiplier", 1},
                                             {"residual_multiplier", 1},
                                             {"logits_scaling", 1},
                                             {"logit_scale", 1},
                                             {"attn_logit_softcapping", {}},
                                             {"final_logit_softcapping", {}},
                                             {"query_pre_attn_scalar", {}},
                                             {"clip_qkv", {}},
                                             {"alibi", {}},
                                             {"qk_layernorm", {}},
                                             {"use_qk_norm", {}},
                                             {"no_rope_layers", {}},
                                             {"num_experts", 1},
                                             {"num_local_experts", 1},
                                             {"n_routed_experts", 1}};

static bool changesNothing(const ParameterValue &value, const ForeignKey &key) {
  if (const bool *flag = std::get_if<bool>(&value))
    return !*flag;
  if (const int64_t *whole = std::get_if<int64_t>(&value))
    return key.neutral == double(*whole);
  if (const double *real = std::get_if<double>(&value))
    return key.neutral == *real;
  return std::holds_alternative<std::monostate>(value);
}

void nstf::description::refuseForeignKeys(const GraphDescription &description, const ParameterSource &source) {
  auto isRead = [&](const char *name) {
    return std::ranges::any_of(description.parameters, [&](const ParameterDescription &parameter) {
      return std::ranges::find(parameter.keys, name) != parameter.keys.end();
    });
  };
  for (const ForeignKey &key : foreignKeys)
    if (ParameterValue value = source.find(key.name); !changesNothing(value, key) && !isRead(key.name))
      throw support::InputError("'" + source.name() + "': " + key.name + " is not supported by the architecture '" +
                                description.name + "': expected " + (key.neutral ? "1 or " : "") + "none but got " +
                                describe(value));
}
