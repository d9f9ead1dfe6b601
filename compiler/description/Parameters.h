// The parameters of a graph description: a model's configuration (config.json, later GGUF's metadata) as named values,
// of which each is checked as the YAML file requires.
#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/description/GraphDescription.h"

#include <map>
#include <string>

namespace nstf::description {

/// The source of parameters that have keys.
class ParameterSource {
public:
  virtual ~ParameterSource() = default;
  /// The value of a key; null if it is absent. Dots lead into objects: "rope_scaling.type".
  virtual ParameterValue find(const std::string &key) const = 0;
  /// Whether the key is present, even if it is null.
  virtual bool has(const std::string &key) const { return !std::holds_alternative<std::monostate>(find(key)); }
  /// The file's name, for messages.
  virtual std::string name() const = 0;
};

using Parameters = std::map<std::string, ParameterValue>;

/// Looks names up in `parameters`. The map must outlive the scope.
Scope getScope(const Parameters &parameters);

/// Evaluates the parameters of `description` in order (each may use those before it), then its checks and refused keys.
/// `source` may be null for a description without keys. Without `checkpoint`, parameters that refer to a tensor have
/// their default. `notes` gets a line for each value that differs from the source. Throws support::InputError, with the
/// source's name if the source is wrong, else with a line of the description.
Parameters evaluateParameters(const GraphDescription &description, const ParameterSource *source,
                              const checkpoint::Checkpoint *checkpoint = nullptr,
                              std::vector<std::string> *notes = nullptr);

/// Reads the scaling of rotary embeddings under `key` of `source`, an object like config.json's "rope_scaling". Throws
/// support::InputError with the source and the key.
RopeScaling readRopeScaling(const ParameterSource &source, const std::string &key);

} // namespace nstf::description
