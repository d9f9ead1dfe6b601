#include "support/ChipFile.h"
#include "support/Escape.h"

#include <cmath>

namespace nstf::support {
namespace {

double readNumber(const YamlValue &value) {
  const Number number = value.number("a number");
  if (!std::isfinite(number.value))
    value.fail("a finite number");
  return number.value;
}

ChipConstant readConstant(const YamlEntry &entry) {
  const YamlMap row = entry.value.map("a constant: a map", {"value", "unit", "mark", "source", "rejected"});
  auto text = [](const YamlMap &map, const char *key) { return map.get(key, "a text").text("a text"); };
  ChipConstant constant;
  constant.place = entry.place;
  constant.value = readNumber(row.get("value", "a number"));
  constant.unit = text(row, "unit");
  constant.source = text(row, "source");
  const YamlValue &mark = row.get("mark", "D, M, I or U");
  const std::string letter = mark.text("D, M, I or U");
  if (letter != "D" && letter != "M" && letter != "I" && letter != "U")
    mark.fail("D, M, I or U");
  constant.mark = letter.front();
  if (const YamlValue *rejected = row.find("rejected"))
    for (const YamlValue &value : rejected->list("a list of values that are not taken")) {
      const YamlMap other = value.map("a value that is not taken: a map", {"value", "source", "why"});
      constant.rejected.push_back(
          {readNumber(other.get("value", "a number")), text(other, "source"), text(other, "why")});
    }
  return constant;
}

/// `depth`: how many chips this one is the base of.
ChipFile readChip(const YamlValue &document, const ChipFile::Lookup &lookup, unsigned depth) {
  const YamlMap row = document.map("a chip: a map", {"name", "target", "description", "base", "constants"});
  auto text = [&](const char *key) { return row.get(key, "a text").text("a text"); };
  ChipFile chip;
  if (const YamlValue *base = row.find("base")) {
    const std::string name = base->text("a chip's name");
    const auto found = lookup(name);
    if (!found || depth == 4)
      base->fail(found ? "a chip that has no base of its own" : "a built-in chip");
    chip = readChip(YamlValue::readText(*found, "templates/targets/timing/" + name + ".yaml"), lookup, depth + 1);
  }
  chip.name = text("name");
  chip.description = text("description");
  const std::string target = text("target");
  if (!chip.target.empty() && chip.target != target)
    row.find("target")->fail("the base's target " + chip.target);
  chip.target = target;
  const YamlValue &constants = row.get("constants", "a map");
  chip.place = constants.place();
  for (const YamlEntry &entry : constants.entries("constants by name: a map"))
    chip.constants[entry.name] = readConstant(entry);
  return chip;
}

} // namespace

ChipFile ChipFile::read(const YamlValue &document, const Lookup &lookup) { return readChip(document, lookup, 0); }

const ChipConstant &ChipFile::get(const std::string &key, const std::string &unit) const {
  auto found = constants.find(key);
  if (found == constants.end())
    place.error("expected the constant '" + key + "' in " + unit + " but got none");
  const ChipConstant &constant = found->second;
  if (constant.unit != unit)
    constant.place.error("expected '" + key + "' in " + unit + " but got '" + escape(constant.unit) + "'");
  return constant;
}

} // namespace nstf::support
