// config.json of a Hugging Face folder.
#pragma once

#include "compiler/description/Parameters.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace nstf::description {

class Config : public ParameterSource {
public:
  /// Throws support::InputError if the file can't be read, isn't JSON or isn't an object.
  explicit Config(const std::string &path);
  /// Parses a text. `path` is the file's name in messages, and other files are looked up in its folder.
  Config(std::string_view text, const std::string &path);

  /// A key of another file in the folder is "1_Pooling/config.json#key"; it is absent if the file is. Objects, and
  /// lists of anything but numbers or texts, are returned as OpaqueValue.
  ParameterValue find(const std::string &key) const override;
  bool has(const std::string &key) const override;
  std::string name() const override { return path; }

  /// "architectures"; empty if it is absent, null or an empty list. Throws support::InputError if it isn't a list of
  /// texts.
  std::vector<std::string> architectures() const;
  /// "model_type", another name of the architecture; empty if it is absent. Throws support::InputError if it isn't a
  /// text.
  std::string modelType() const;

  /// The value of a key of the file if it is an object, else null.
  const nlohmann::json *findObject(const std::string &key) const;

private:
  const nlohmann::json *lookUp(const std::string &key) const;

  std::string path;
  nlohmann::json root;
  mutable std::map<std::string, nlohmann::json> others; // other files of the folder, read on first use
};

} // namespace nstf::description
