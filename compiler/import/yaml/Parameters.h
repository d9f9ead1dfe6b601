//===- Parameters.h - The numbers a graph description is written in -------------------------===//
//
// A model's configuration (config.json, later GGUF's metadata) becomes named values, each checked as the YAML says.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/yaml/GraphDescription.h"

#include <map>
#include <string>

namespace nstf {

/// Where parameters with a `key` come from.
class ParameterSource {
public:
  virtual ~ParameterSource() = default;
  /// The value of a key; null when it is absent. Dots lead into objects: "rope_scaling.type".
  virtual ParameterValue find(const std::string &key) const = 0;
  /// The file, for messages.
  virtual std::string name() const = 0;
};

using Parameters = std::map<std::string, ParameterValue>;

/// Looks names up in `parameters`. The map must outlive the scope.
Scope scopeOf(const Parameters &parameters);

/// Evaluates the parameters of `description` in their order, each may use those before it, then its checks and refused
/// keys. `source` may be null for a description without keys. Throws ImportError: with the source's name where the
/// source is at fault, with a line of the description otherwise.
Parameters evaluateParameters(const GraphDescription &description, const ParameterSource *source);

} // namespace nstf
