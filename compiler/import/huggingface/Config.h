//===- Config.h - config.json of a Hugging Face folder ------------------------------------===//
#pragma once

#include "compiler/import/yaml/Parameters.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nstf {

class Config : public ParameterSource {
public:
  /// Throws ImportError when the file can't be read, isn't JSON or isn't an object.
  explicit Config(const std::string &path);

  /// Objects and lists that aren't of whole numbers come as OpaqueValue.
  ParameterValue find(const std::string &key) const override;
  std::string name() const override { return path; }

  /// "architectures". Throws ImportError when it isn't a list of texts with at least one entry.
  std::vector<std::string> architectures() const;

private:
  std::string path;
  nlohmann::json root;
};

} // namespace nstf
