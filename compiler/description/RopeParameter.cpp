// Reads the scaling of rotary embeddings from a configuration.
//
// The keys are those of transformers (modeling_rope_utils.py). "original_max_position_embeddings" beside the object has
// priority over that in the object.

#include "compiler/description/Parameters.h"

#include <algorithm>
#include <cmath>

using namespace nstf;
using namespace nstf::description;

namespace {

class RopeReader {
public:
  RopeReader(const ParameterSource &source, const std::string &key) : source(source), object(key) {}

  RopeScaling read() {
    RopeScaling scaling;
    scaling.kind = kind();
    switch (scaling.kind) {
    case RopeScaling::none:
      break;
    case RopeScaling::linear:
    case RopeScaling::dynamic:
      scaling.factor = required("factor");
      break;
    case RopeScaling::llama3:
      scaling.factor = required("factor");
      scaling.original = original();
      scaling.lowFrequencyFactor = required("low_freq_factor");
      scaling.highFrequencyFactor = required("high_freq_factor");
      if (scaling.highFrequencyFactor <= scaling.lowFrequencyFactor)
        fail(object + ".high_freq_factor",
             "a number greater than low_freq_factor, " + describe(scaling.lowFrequencyFactor));
      break;
    case RopeScaling::yarn:
      scaling.factor = positive("factor");
      scaling.original = original();
      scaling.betaFast = positive("beta_fast").value_or(scaling.betaFast);
      scaling.betaSlow = positive("beta_slow").value_or(scaling.betaSlow);
      scaling.attentionFactor = positive("attention_factor");
      scaling.mscale = number("mscale");
      scaling.mscaleAllDims = number("mscale_all_dim");
      scaling.truncate = flag("truncate", /*absent=*/true);
      break;
    case RopeScaling::longrope:
      scaling.factor = positive("factor");
      scaling.original = original();
      scaling.attentionFactor = positive("attention_factor");
      scaling.shortFactors = factors("short_factor");
      scaling.longFactors = factors("long_factor");
      break;
    }
    return scaling;
  }

private:
  [[noreturn]] void fail(const std::string &key, const std::string &expected) {
    throw support::InputError("'" + source.name() + "': expected " + key + " to be " + expected + " but got " +
                              describe(source.find(key)));
  }

  RopeScaling::Kind kind() {
    if (ParameterValue value = source.find(object);
        !std::holds_alternative<OpaqueValue>(value) || std::get<OpaqueValue>(value).text[0] != '{')
      fail(object, "an object");
    for (const char *layers : {"full_attention", "sliding_attention"})
      if (source.has(object + "." + layers))
        throw support::InputError("'" + source.name() + "': " + object + "." + layers +
                                  " is not supported: expected one rope for all layers");
    for (const char *name : {"rope_type", "type"}) { // "type" is from before transformers 4.43
      std::string key = object + "." + name;
      if (!source.has(key))
        continue;
      ParameterValue value = source.find(key);
      const std::string *text = std::get_if<std::string>(&value);
      if (text && *text == "su") // longrope's first name
        return RopeScaling::longrope;
      auto found = std::find(RopeScaling::kindNames.begin(), RopeScaling::kindNames.end(), text ? *text : "");
      if (found == RopeScaling::kindNames.end()) {
        std::string known;
        for (std::string_view kind : RopeScaling::kindNames)
          known += (known.empty()                           ? "'"
                    : kind == RopeScaling::kindNames.back() ? " or '"
                                                            : ", '") +
                   std::string(kind) + "'";
        fail(key, known);
      }
      return static_cast<RopeScaling::Kind>(found - RopeScaling::kindNames.begin());
    }
    return RopeScaling::none;
  }

  std::optional<double> numberAt(const std::string &key) {
    ParameterValue value = source.find(key);
    if (std::holds_alternative<std::monostate>(value))
      return std::nullopt;
    if (const int64_t *whole = std::get_if<int64_t>(&value))
      return static_cast<double>(*whole);
    if (const double *real = std::get_if<double>(&value); real && std::isfinite(*real))
      return *real;
    fail(key, "a number");
  }

  std::optional<double> positiveAt(const std::string &key) {
    std::optional<double> value = numberAt(key);
    if (value && *value <= 0)
      fail(key, "a number greater than 0");
    return value;
  }

  std::optional<double> number(const char *name) { return numberAt(object + "." + name); }
  std::optional<double> positive(const char *name) { return positiveAt(object + "." + name); }

  double required(const char *name) {
    if (auto value = positive(name))
      return *value;
    throw support::InputError("'" + source.name() + "': expected a key '" + object + "." + name + "' but it has none");
  }

  std::vector<double> factors(const char *name) {
    std::string key = object + "." + name;
    ParameterValue value = source.find(key);
    std::vector<double> list;
    if (const auto *whole = std::get_if<std::vector<int64_t>>(&value))
      list.assign(whole->begin(), whole->end());
    else if (const auto *real = std::get_if<std::vector<double>>(&value))
      list = *real;
    bool arePositive = std::all_of(list.begin(), list.end(), [](double x) { return x > 0 && std::isfinite(x); });
    if (list.empty() || !arePositive)
      fail(key, "a list of numbers greater than 0");
    return list;
  }

  std::optional<double> original() {
    auto beside = positiveAt("original_max_position_embeddings");
    return beside ? beside : positive("original_max_position_embeddings");
  }

  bool flag(const char *name, bool absent) {
    std::string key = object + "." + name;
    ParameterValue value = source.find(key);
    if (std::holds_alternative<std::monostate>(value))
      return absent;
    if (const bool *set = std::get_if<bool>(&value))
      return *set;
    fail(key, "true or false");
  }

  const ParameterSource &source;
  std::string object;
};

} // namespace

RopeScaling nstf::description::readRopeScaling(const ParameterSource &source, const std::string &key) {
  return RopeReader(source, key).read();
}
