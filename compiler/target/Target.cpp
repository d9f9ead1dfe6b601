// Reads targets from YAML files (Target.h). Missing and unknown keys are errors, so that a misspelt key can't be
// ignored.
#include "compiler/target/Target.h"

#include "support/ChipFile.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/LdsPhases.h"
#include "support/MappedFile.h"
#include "support/Yaml.h"
#include "templates/Templates.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>

namespace nstf {

using support::YamlMap;
using support::YamlValue;

static std::string readText(const YamlMap &row, const std::string &key) {
  return row.get(key, "a text").scalar("'" + key + "' to be a text");
}

static int64_t readNumber(const YamlMap &row, const std::string &key, int64_t minimum) {
  const std::string kind = "a whole number of at least " + std::to_string(minimum);
  return row.get(key, kind).integer("'" + key + "' to be " + kind, minimum);
}

/// A number of the row or, if the row lacks it, of its chip.
static int64_t readChipNumber(const YamlMap &row, const support::ChipFile &chip, const std::string &key,
                              int64_t minimum) {
  return row.has(key) ? readNumber(row, key, minimum) : int64_t(chip.whole(key, minimum));
}

static std::vector<YamlValue> readList(const YamlMap &row, const std::string &key) {
  return row.get(key, "a list").list("'" + key + "' to be a list");
}

static Target::Instruction parseInstruction(const YamlValue &value) {
  YamlMap row = value.map("a matrix instruction: a map", {"name", "a", "b", "c", "m", "n", "k", "blocks", "passes"});
  Target::Instruction result;
  result.name = readText(row, "name");
  result.a = readText(row, "a");
  result.b = readText(row, "b");
  result.c = readText(row, "c");
  result.m = readNumber(row, "m", 1);
  result.n = readNumber(row, "n", 1);
  result.k = readNumber(row, "k", 1);
  result.blocks = readNumber(row, "blocks", 1);
  result.passes = readNumber(row, "passes", 1);
  return result;
}

Target parseTarget(std::string_view text, std::string_view file) {
  const std::vector<std::string> keys = {
      "name", "description", "chip", "default_chip", "fp8", "aliases", "wave_sizes", "matrix_instructions",
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) #key,
#include "dialects/nstf/TargetFields.def"
  };
  YamlMap row = YamlValue::readText(text, std::string(file)).map("a target: a map", keys);
  Target target;
  target.name = readText(row, "name");
  auto isNameCharacter = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  if (target.name.empty() || !std::all_of(target.name.begin(), target.name.end(), isNameCharacter))
    row.find("name")->fail("'name' to be letters, digits, '-', '_' and '.'");
  target.description = readText(row, "description");
  target.chip = readText(row, "chip");
  target.fp8 = readText(row, "fp8");
  if (target.fp8 != "none" && target.fp8 != "fnuz" && target.fp8 != "ocp")
    row.find("fp8")->fail("'fp8' to be none, fnuz or ocp");
  for (const YamlValue &alias : readList(row, "aliases"))
    target.aliases.push_back(alias.text("a name"));
  for (const YamlValue &lanes : readList(row, "wave_sizes")) {
    target.waveSizes.push_back(lanes.integer("a wave size of 32 or 64", 32, 64));
    if (target.waveSizes.back() != 32 && target.waveSizes.back() != 64)
      lanes.fail("a wave size of 32 or 64");
  }
  const support::ChipFile facts = support::ChipFile::named(row.get("default_chip", "a chip's name"), templateText);
  target.defaultChip = facts.name;
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) target.name = readNumber(row, #key, minimum);
#define NSTF_CHIP_NUMBER(key, name, minimum, doc) target.name = readChipNumber(row, facts, #key, minimum);
#include "dialects/nstf/TargetFields.def"
  if (target.ldsBanks > support::maxLdsBanks)
    (row.has("lds_banks") ? row.find("lds_banks")->place() : facts.constants.at("lds_banks").place)
        .error("expected 'lds_banks' to be at most " + std::to_string(support::maxLdsBanks) + " but got " +
               std::to_string(target.ldsBanks));

  std::sort(target.waveSizes.begin(), target.waveSizes.end());
  if (!std::count(target.waveSizes.begin(), target.waveSizes.end(), target.preferredWaveSize))
    row.find("preferred_wave_size")->fail("'preferred_wave_size' to be one of 'wave_sizes'");
  for (const YamlValue &instruction : readList(row, "matrix_instructions"))
    target.matrixInstructions.push_back(parseInstruction(instruction));
  return target;
}

static constexpr std::string_view folder = "targets/";

std::vector<Target> listTargets() {
  std::vector<Target> targets;
  for (std::string_view name : templateNames(folder))
    if (name.find('/', folder.size()) == name.npos) // subfolders have the chips
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
  std::vector<std::string> names;
  for (Target &target : listTargets()) {
    std::string others;
    bool isMeant = equalsIgnoringCase(name, target.name);
    for (const std::string &alias : target.aliases) {
      isMeant |= equalsIgnoringCase(name, alias);
      others += (others.empty() ? "" : ", ") + alias;
    }
    if (isMeant)
      return std::move(target);
    names.push_back(target.name);
    names.insert(names.end(), target.aliases.begin(), target.aliases.end());
    known += (known.empty() ? "" : ", ") + target.name + (others.empty() ? "" : " (" + others + ")");
  }
  throw std::runtime_error("expected a known target but got '" + support::escape(name) + "'" +
                           support::didYouMean(name, names) + "; known are " + known);
}

} // namespace nstf
