// config.json of a Hugging Face folder.

#include "compiler/description/Config.h"

#include "support/Json.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <filesystem>
#include <limits>

using namespace nstf;
using namespace nstf::description;
using nlohmann::json;

Config::Config(const std::string &path) : Config(support::readTextFile(path), path) {}

Config::Config(std::string_view text, const std::string &path) : path(path), root(support::parseJson(text, path)) {
  if (!root.is_object())
    throw support::InputError("'" + path + "': expected an object but got " + support::describeJson(root));
}

static bool fitsInteger(const json &value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() ||
          value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

const json *Config::lookUp(const std::string &key) const {
  const json *value = &root;
  size_t at = 0;
  if (size_t hash = key.find('#'); hash != std::string::npos) {
    std::filesystem::path file = std::filesystem::path(path).parent_path() / key.substr(0, hash);
    if (!std::filesystem::exists(file))
      return nullptr;
    auto [other, isNew] = others.try_emplace(file.string());
    if (isNew)
      other->second = support::parseJson(support::readTextFile(file.string()), file.string());
    value = &other->second;
    at = hash + 1;
  }
  while (at <= key.size()) {
    size_t dot = std::min(key.find('.', at), key.size());
    if (!value->is_object())
      return nullptr;
    auto found = value->find(key.substr(at, dot - at));
    if (found == value->end())
      return nullptr;
    value = &*found;
    at = dot + 1;
  }
  return value;
}

const json *Config::findObject(const std::string &key) const {
  const json *value = lookUp(key);
  return value && value->is_object() ? value : nullptr;
}

bool Config::has(const std::string &key) const { return lookUp(key) != nullptr; }

ParameterValue Config::find(const std::string &key) const {
  const json *value = lookUp(key);
  if (!value || value->is_null())
    return {};
  if (value->is_boolean())
    return value->get<bool>();
  if (fitsInteger(*value))
    return value->get<int64_t>();
  if (value->is_number_float())
    return value->get<double>();
  if (value->is_string())
    return value->get<std::string>();
  if (value->is_array() && !value->empty() && std::all_of(value->begin(), value->end(), fitsInteger))
    return value->get<std::vector<int64_t>>();
  bool areNumbers = value->is_array() && !value->empty() &&
                    std::all_of(value->begin(), value->end(), [](const json &item) { return item.is_number(); });
  if (areNumbers)
    return value->get<std::vector<double>>();
  bool areTexts = value->is_array() && !value->empty() &&
                  std::all_of(value->begin(), value->end(), [](const json &item) { return item.is_string(); });
  if (areTexts)
    return value->get<std::vector<std::string>>();
  return OpaqueValue{support::describeJson(*value)};
}

std::vector<std::string> Config::architectures() const {
  auto found = root.find("architectures");
  if (found == root.end() || found->is_null())
    return {};
  if (!found->is_array() ||
      !std::all_of(found->begin(), found->end(), [](const json &name) { return name.is_string(); }))
    throw support::InputError("'" + path + "': expected a list 'architectures' of names but got " +
                              support::describeJson(*found));
  return found->get<std::vector<std::string>>();
}

std::string Config::modelType() const {
  auto found = root.find("model_type");
  if (found == root.end() || found->is_null())
    return "";
  if (!found->is_string())
    throw support::InputError("'" + path + "': expected a name 'model_type' but got " + support::describeJson(*found));
  return found->get<std::string>();
}
