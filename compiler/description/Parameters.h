// The numbers a graph description is written in.
//
// A model's configuration (config.json, later GGUF's metadata) becomes named values, each checked as the YAML says.
#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/description/GraphDescription.h"

#include <map>
#include <string>

namespace nstf::description {

/// Where parameters with a `key` come from.
class ParameterSource {
public:
  virtual ~ParameterSource() = default;
  /// The value of a key; null when it is absent. Dots lead into objects: "rope_scaling.type".
  virtual ParameterValue find(const std::string &key) const = 0;
  /// Whether the key is there, be it null.
  virtual bool has(const std::string &key) const { return !std::holds_alternative<std::monostate>(find(key)); }
  /// The file, for messages.
  virtual std::string name() const = 0;
};

using Parameters = std::map<std::string, ParameterValue>;

/// Looks names up in `parameters`. The map must outlive the scope.
Scope scopeOf(const Parameters &parameters);

/// Evaluates the parameters of `description` in their order, each may use those before it, then its checks and refused
/// keys. `source` may be null for a description without keys; without `checkpoint` parameters that ask for a tensor
/// have their default. `notes` gets a line for each value that isn't what the source says. Throws support::InputError:
/// with the source's name where the source is at fault, with a line of the description otherwise.
Parameters evaluateParameters(const GraphDescription &description, const ParameterSource *source,
                              const checkpoint::Checkpoint *checkpoint = nullptr,
                              std::vector<std::string> *notes = nullptr);

/// The scaling of rotary embeddings that stands under `key` of `source`, an object as config.json's "rope_scaling".
/// Throws support::InputError that names the source and the key at fault.
RopeScaling readRopeScaling(const ParameterSource &source, const std::string &key);

} // namespace nstf::description
