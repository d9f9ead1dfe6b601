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
  /// Throws support::InputError when the file can't be read, isn't JSON or isn't an object.
  explicit Config(const std::string &path);
  /// The same of a text; `path` stands for the file in messages, and other files are beside it.
  Config(std::string_view text, const std::string &path);

  /// A key of another file of the folder is "1_Pooling/config.json#key": absent where the file is. Objects and lists of
  /// other things than numbers or texts come as OpaqueValue.
  ParameterValue find(const std::string &key) const override;
  bool has(const std::string &key) const override;
  std::string name() const override { return path; }

  /// "architectures"; empty where it is absent, null or an empty list. Throws support::InputError when it isn't a list
  /// of texts.
  std::vector<std::string> architectures() const;
  /// "model_type", which says the same in other words; empty where it is absent. Throws support::InputError when it
  /// isn't a text.
  std::string modelType() const;

  /// A key of the file that is an object; null where it is absent, null or no object.
  const nlohmann::json *findObject(const std::string &key) const;

private:
  const nlohmann::json *lookUp(const std::string &key) const;

  std::string path;
  nlohmann::json root;
  mutable std::map<std::string, nlohmann::json> others; // files beside it, read when asked for
};

} // namespace nstf::description
