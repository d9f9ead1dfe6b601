#include "runtime/emulator/launch/YamlValue.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Yaml.h"

#include <algorithm>

namespace nstf::emulator {
namespace {

/// Letters to insert, delete or replace to make `b` of `a` (Levenshtein's distance).
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

} // namespace

void Place::error(const std::string &message) const {
  std::string where = file ? *file : "";
  if (line)
    where += ":" + std::to_string(line) + ":" + std::to_string(column);
  throw InputError(support::escape(where + ": error: " + message, support::longLimit));
}

std::string didYouMean(std::string_view name, const std::vector<std::string> &known) {
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  const std::string *nearest = nullptr;
  for (const std::string &candidate : known) {
    if (name.size() > 200 || candidate.size() > 200)
      continue;
    size_t distance = editDistance(name, candidate);
    if (distance < best && distance < name.size()) { // of one letter any other would be near
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest ? ", did you mean '" + *nearest + "'?" : "";
}

YamlValue YamlValue::readFile(const std::filesystem::path &path) {
  try {
    return readText(support::readTextFile(path), path.string());
  } catch (const InputError &) {
    throw;
  } catch (const std::runtime_error &error) {
    throw InputError(std::string("error: ") + error.what());
  }
}

YamlValue YamlValue::readText(const std::string &text, const std::string &name) {
  Place start{std::make_shared<const std::string>(name), 1, 1};
  try {
    YAML::Node root = support::loadYaml(text);
    return YamlValue(root, start);
  } catch (const YAML::Exception &error) {
    Place place = start;
    if (!error.mark.is_null()) {
      place.line = unsigned(error.mark.line) + 1;
      place.column = unsigned(error.mark.column) + 1;
    }
    place.error("expected YAML but got this: " + error.msg);
  }
}

YamlValue YamlValue::child(const YAML::Node &node, const Place &otherwise) const {
  Place place = otherwise;
  YAML::Mark mark = node.Mark();
  if (!mark.is_null() && !node.IsNull()) {
    place.line = unsigned(mark.line) + 1;
    place.column = unsigned(mark.column) + 1;
  }
  return YamlValue(node, place);
}

std::string YamlValue::describe() const {
  switch (node.Type()) {
  case YAML::NodeType::Scalar:
    return "'" + support::escape(node.Scalar(), 60) + "'";
  case YAML::NodeType::Sequence:
    return "a list of " + std::to_string(node.size());
  case YAML::NodeType::Map:
    return "a map";
  default:
    return "nothing";
  }
}

void YamlValue::fail(const std::string &expected) const {
  where.error("expected " + expected + " but got " + describe());
}

std::string YamlValue::text(const std::string &expected) const {
  if (!node.IsScalar() || node.Scalar().empty() || node.Scalar().find('\0') != std::string::npos)
    fail(expected);
  return node.Scalar();
}

Number YamlValue::number(const std::string &expected) const {
  std::optional<Number> number = node.IsScalar() ? Number::parse(node.Scalar()) : std::nullopt;
  if (!number)
    fail(expected);
  return *number;
}

uint64_t YamlValue::whole(const std::string &expected, uint64_t least, uint64_t most) const {
  std::optional<Number> number = node.IsScalar() ? Number::parse(node.Scalar()) : std::nullopt;
  uint64_t value = 0;
  if (!number || !encode(ElementType::U64, *number, reinterpret_cast<std::byte *>(&value)) || value < least ||
      value > most)
    fail(expected);
  return value;
}

bool YamlValue::boolean(const std::string &expected) const {
  std::string word = node.IsScalar() ? node.Scalar() : "";
  if (word != "true" && word != "false")
    fail(expected + ", true or false,");
  return word == "true";
}

std::vector<YamlValue> YamlValue::list(const std::string &expected) const {
  if (!node.IsSequence())
    fail(expected);
  std::vector<YamlValue> values;
  for (const YAML::Node &entry : node)
    values.push_back(child(entry, where));
  return values;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::entries(const std::string &expected) const {
  if (!node.IsMap())
    fail(expected);
  std::vector<std::pair<std::string, YamlValue>> result;
  for (const auto &entry : node) {
    YamlValue key = child(entry.first, where);
    std::string name = key.text("a name");
    for (const auto &[former, value] : result)
      if (former == name)
        key.place().error("expected every key once but got '" + name + "' again");
    result.emplace_back(name, child(entry.second, key.place()));
  }
  return result;
}

YamlMap YamlValue::map(const std::string &expected, std::initializer_list<std::string_view> known) const {
  YamlMap result;
  result.where = where;
  result.entries = entries(expected);
  std::vector<std::string> names(known.begin(), known.end());
  for (const auto &entry : node) {
    const std::string &name = entry.first.Scalar();
    if (std::find(names.begin(), names.end(), name) != names.end())
      continue;
    std::string all;
    for (const std::string &candidate : names)
      all += (all.empty() ? "" : ", ") + candidate;
    child(entry.first, where)
        .place()
        .error("expected one of the keys " + all + " but got '" + name + "'" + didYouMean(name, names));
  }
  return result;
}

const YamlValue *YamlMap::find(std::string_view key) const {
  for (const auto &[name, value] : entries)
    if (name == key)
      return &value;
  return nullptr;
}

const YamlValue &YamlMap::get(std::string_view key, const std::string &expected) const {
  const YamlValue *value = find(key);
  if (!value)
    where.error("expected the key '" + std::string(key) + "' with " + expected + " but there is none");
  return *value;
}

} // namespace nstf::emulator
