// Targets from YAML rows: see Target.h. The keys of a row are checked both ways, so that a misspelt one is an error and
// not a number nobody reads.
#include "compiler/target/Target.h"

#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Yaml.h"
#include "templates/Templates.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

namespace nstf {

namespace {

/// One mapping of a row: takes its keys one by one, and complains about those that nobody took.
class Mapping {
public:
  Mapping(YAML::Node node, std::string file, std::string what)
      : node(std::move(node)), file(std::move(file)), what(std::move(what)) {
    if (!this->node.IsMap())
      fail(this->node, "expected " + this->what + " to be a mapping");
  }

  template <typename T> T take(const std::string &key, const char *kind) {
    taken.push_back(key);
    YAML::Node value = node[key];
    if (!value)
      fail(node, "expected " + what + " to have " + kind + " '" + key + "' but got none");
    try {
      return value.as<T>();
    } catch (const YAML::Exception &) {
      fail(value, "expected '" + key + "' to be " + kind + " but got " +
                      (value.IsScalar()     ? "'" + support::escape(value.Scalar()) + "'"
                       : value.IsSequence() ? "a list"
                       : value.IsMap()      ? "a mapping"
                                            : "nothing"));
    }
  }
  std::string text(const std::string &key) { return take<std::string>(key, "a text"); }
  int64_t number(const std::string &key, int64_t minimum) {
    auto value = take<int64_t>(key, "a whole number");
    if (value < minimum)
      fail(node[key],
           "expected '" + key + "' to be at least " + std::to_string(minimum) + " but got " + std::to_string(value));
    return value;
  }
  YAML::Node list(const std::string &key) {
    auto value = take<YAML::Node>(key, "a list");
    if (!value.IsSequence())
      fail(value, "expected '" + key + "' to be a list");
    return value;
  }
  void finish() {
    std::set<std::string> seen;
    for (const auto &entry : node) {
      if (!entry.first.IsScalar())
        fail(entry.first, "expected a key of " + what + " but got no text");
      const std::string &key = entry.first.Scalar();
      if (std::find(taken.begin(), taken.end(), key) == taken.end())
        fail(entry.first, "expected a key of " + what + " but got '" + support::escape(key) + "'");
      if (!seen.insert(key).second)
        fail(entry.first, "expected each key of " + what + " once but got '" + support::escape(key) + "' twice");
    }
  }
  [[noreturn]] void fail(const YAML::Node &at, const std::string &message) const {
    throw std::runtime_error(file + ":" + std::to_string(at.Mark().line + 1) + ": " + message);
  }

private:
  YAML::Node node;
  std::string file, what;
  std::vector<std::string> taken;
};

} // namespace

static Target::Instruction parseInstruction(const YAML::Node &node, const std::string &file) {
  Mapping row(node, file, "a matrix instruction");
  Target::Instruction result;
  result.name = row.text("name");
  result.a = row.text("a");
  result.b = row.text("b");
  result.c = row.text("c");
  result.m = row.number("m", 1);
  result.n = row.number("n", 1);
  result.k = row.number("k", 1);
  result.blocks = row.number("blocks", 1);
  result.passes = row.number("passes", 1);
  row.finish();
  return result;
}

Target parseTarget(std::string_view text, std::string_view fileName) {
  std::string file(fileName);
  YAML::Node root;
  try {
    root = support::loadYaml(std::string(text));
  } catch (const YAML::Exception &error) {
    throw std::runtime_error(file + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
  Mapping row(root, file, "a target");
  Target target;
  target.name = row.text("name");
  auto isNameCharacter = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  if (target.name.empty() || !std::all_of(target.name.begin(), target.name.end(), isNameCharacter))
    row.fail(root["name"],
             "expected 'name' to be letters, digits, '-', '_' and '.' but got '" + support::escape(target.name) + "'");
  target.description = row.text("description");
  target.chip = row.text("chip");
  target.fp8 = row.text("fp8");
  if (target.fp8 != "none" && target.fp8 != "fnuz" && target.fp8 != "ocp")
    row.fail(root["fp8"], "expected 'fp8' to be none, fnuz or ocp but got '" + support::escape(target.fp8) + "'");
  target.aliases = row.take<std::vector<std::string>>("aliases", "a list of names");
  target.waveSizes = row.take<std::vector<int64_t>>("wave_sizes", "a list of numbers");
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) target.name = row.number(#key, minimum);
#include "dialects/nstf/TargetFields.def"

  for (int64_t lanes : target.waveSizes)
    if (lanes != 32 && lanes != 64)
      row.fail(root["wave_sizes"], "expected a wave size of 32 or 64 but got " + std::to_string(lanes));
  std::sort(target.waveSizes.begin(), target.waveSizes.end());
  if (!std::count(target.waveSizes.begin(), target.waveSizes.end(), target.preferredWaveSize))
    row.fail(root["preferred_wave_size"], "expected 'preferred_wave_size' to be one of 'wave_sizes' but got " +
                                              std::to_string(target.preferredWaveSize));
  for (const YAML::Node &node : row.list("matrix_instructions"))
    target.matrixInstructions.push_back(parseInstruction(node, file));
  row.finish();
  return target;
}

static constexpr std::string_view folder = "targets/";

std::vector<Target> listTargets() {
  std::vector<Target> targets;
  for (std::string_view name : templateNames(folder))
    targets.push_back(parseTarget(*templateText(name), "templates/" + std::string(name)));
  return targets;
}

void requireOneTargetPerChip(const std::vector<Target> &targets) {
  std::map<std::string, std::string> names;
  for (const Target &target : targets) {
    auto [known, isNew] = names.insert({target.chip, target.name});
    if (!isNew)
      throw std::runtime_error("expected one target for each chip but got " + known->second + " and " + target.name +
                               " for " + target.chip);
  }
}

static bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Target findTarget(std::string_view name) {
  if (name.ends_with(".yaml"))
    return parseTarget(support::readTextFile(name), name);
  std::string known;
  for (Target &target : listTargets()) {
    std::string others;
    bool isMeant = equalsIgnoringCase(name, target.name);
    for (const std::string &alias : target.aliases) {
      isMeant |= equalsIgnoringCase(name, alias);
      others += (others.empty() ? "" : ", ") + alias;
    }
    if (isMeant)
      return std::move(target);
    known += (known.empty() ? "" : ", ") + target.name + (others.empty() ? "" : " (" + others + ")");
  }
  throw std::runtime_error("expected a known target but got '" + support::escape(name) + "'; known are " + known);
}

} // namespace nstf
