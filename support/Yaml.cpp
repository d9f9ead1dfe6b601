#include "support/Yaml.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/TextLimits.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <yaml-cpp/eventhandler.h>

namespace nstf::support {

namespace {

constexpr size_t maxListedKeys = 20; // a message with more does not help

/// Checks the nesting of a document without building it.
class NestingCheck : public YAML::EventHandler {
public:
  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    for (YAML::anchor_t around : open)
      if (around == anchor)
        throw YAML::ParserException(mark, "expected a value but got an alias of the value around it");
  }
  void OnScalar(const YAML::Mark &, const std::string &, YAML::anchor_t, const std::string &) override {}
  void OnSequenceStart(const YAML::Mark &mark, const std::string &, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnSequenceEnd() override { open.pop_back(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnMapEnd() override { open.pop_back(); }

private:
  void enter(const YAML::Mark &mark, YAML::anchor_t anchor) {
    if (open.size() == maxNesting)
      throw YAML::ParserException(mark, "expected values nested at most " + std::to_string(maxNesting) + " deep");
    open.push_back(anchor);
  }
  std::vector<YAML::anchor_t> open; // anchors of the enclosing lists and maps; 0: no anchor
};

/// Parses the first document of `text`, within the limits. Throws YAML::ParserException.
YAML::Node loadYaml(const std::string &text) {
  if (text.size() > maxYamlBytes)
    throw YAML::ParserException(YAML::Mark(), "expected at most " + std::to_string(maxYamlBytes) +
                                                  " bytes of YAML but got " + std::to_string(text.size()));
  std::istringstream stream(text);
  NestingCheck check;
  YAML::Parser(stream).HandleNextDocument(check);
  return YAML::Load(text);
}

} // namespace

YamlValue YamlValue::readFile(const std::filesystem::path &path) {
  std::string text;
  try {
    text = readTextFile(path);
  } catch (const std::runtime_error &error) {
    throw InputError(error.what());
  }
  return readText(text, path.string());
}

YamlValue YamlValue::readText(std::string_view text, const std::string &file) {
  Place start = Place::of(file, 1, 1);
  try {
    return YamlValue(loadYaml(std::string(text)), start);
  } catch (const YAML::Exception &error) {
    Place place = start;
    if (!error.mark.is_null()) {
      place.line = error.mark.line + 1;
      place.column = error.mark.column + 1;
    }
    bool isLimit = error.msg.starts_with("expected ");
    place.error(isLimit ? error.msg : "expected YAML but got this: " + error.msg);
  }
}

YamlValue YamlValue::child(const YAML::Node &node, const Place &otherwise) const {
  Place place = otherwise;
  YAML::Mark mark = node.Mark();
  if (!mark.is_null() && !node.IsNull()) {
    place.line = mark.line + 1;
    place.column = mark.column + 1;
  }
  return YamlValue(node, place);
}

std::string YamlValue::describe() const {
  switch (node.Type()) {
  case YAML::NodeType::Scalar:
    return "'" + escape(node.Scalar(), 60) + "'";
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

std::string YamlValue::scalar(const std::string &expected) const {
  if (!node.IsScalar() || node.Scalar().find('\0') != std::string::npos)
    fail(expected);
  return node.Scalar();
}

std::string YamlValue::text(const std::string &expected) const {
  std::string text = scalar(expected);
  if (text.empty())
    fail(expected);
  return text;
}

Number YamlValue::number(const std::string &expected) const {
  std::optional<Number> number = node.IsScalar() ? Number::parse(node.Scalar()) : std::nullopt;
  if (!number)
    fail(expected);
  return *number;
}

std::optional<Number> YamlValue::whole() const {
  std::optional<Number> number = node.IsScalar() ? Number::parse(node.Scalar()) : std::nullopt;
  return number ? number->getWhole() : std::nullopt;
}

uint64_t YamlValue::whole(const std::string &expected, uint64_t min, uint64_t max) const {
  std::optional<Number> number = whole();
  if (!number || (number->negative && number->magnitude) || number->magnitude < min || number->magnitude > max)
    fail(expected);
  return number->magnitude;
}

int64_t YamlValue::integer(const std::string &expected, int64_t min, int64_t max) const {
  std::optional<Number> number = whole();
  const uint64_t largest = uint64_t(INT64_MAX) + (number && number->negative);
  if (!number || number->magnitude > largest)
    fail(expected);
  const auto value = static_cast<int64_t>(number->negative ? 0 - number->magnitude : number->magnitude);
  if (value < min || value > max)
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

std::vector<YamlEntry> YamlValue::entries(const std::string &expected) const {
  if (!node.IsMap())
    fail(expected);
  std::vector<YamlEntry> result;
  std::unordered_set<std::string> names;
  for (const auto &entry : node) {
    YamlValue key = child(entry.first, where);
    std::string name = key.text("a name");
    if (!names.insert(name).second)
      key.where.error("expected every key once but got '" + escape(name) + "' again");
    result.push_back({name, key.where, child(entry.second, key.where)});
  }
  return result;
}

YamlMap YamlValue::map(const std::string &expected) const {
  YamlMap result;
  result.where = where;
  result.entries = entries(expected);
  return result;
}

YamlMap YamlValue::map(const std::string &expected, const std::vector<std::string> &known) const {
  YamlMap result = map(expected);
  for (const auto &[name, place, value] : result.entries) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string all;
    for (const std::string &candidate : known)
      all += (all.empty() ? "" : ", ") + candidate;
    if (known.size() > maxListedKeys)
      all = "that are known";
    place.error("expected one of the keys " + all + " but got '" + escape(name) + "'" + didYouMean(name, known));
  }
  return result;
}

const YamlValue *YamlMap::find(std::string_view key) const {
  for (const YamlEntry &entry : entries)
    if (entry.name == key)
      return &entry.value;
  return nullptr;
}

const YamlValue &YamlMap::get(std::string_view key, const std::string &expected) const {
  const YamlValue *value = find(key);
  if (!value)
    where.error("expected the key '" + std::string(key) + "' with " + expected + " but got none");
  return *value;
}

} // namespace nstf::support
