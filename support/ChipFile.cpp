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

std::string readText(const YamlMap &map, const char *key) { return map.get(key, "a text").text("a text"); }

ChipConstant::Range readRange(const YamlValue &value, const ChipConstant &constant) {
  if (constant.mark != 'I' && constant.mark != 'U')
    value.place().error("expected a range beside mark I or U but got " + std::string(1, constant.mark));
  const YamlMap row = value.map("what the constant may be: a map", {"lowest", "highest", "why"});
  const ChipConstant::Range range = {readNumber(row.get("lowest", "a number")),
                                     readNumber(row.get("highest", "a number")), readText(row, "why")};
  if (range.lowest >= range.highest)
    value.place().error("expected lowest to be less than highest");
  if (constant.value < range.lowest || constant.value > range.highest)
    value.place().error("expected a range that holds the value");
  return range;
}

ChipConstant readConstant(const YamlEntry &entry) {
  const YamlMap row = entry.value.map("a constant: a map", {"value", "unit", "mark", "source", "rejected", "range"});
  ChipConstant constant;
  constant.place = entry.place;
  constant.value = readNumber(row.get("value", "a number"));
  constant.unit = readText(row, "unit");
  constant.source = readText(row, "source");
  const YamlValue &mark = row.get("mark", "D, M, I or U");
  const std::string letter = mark.text("D, M, I or U");
  if (letter != "D" && letter != "M" && letter != "I" && letter != "U")
    mark.fail("D, M, I or U");
  constant.mark = letter.front();
  if (const YamlValue *rejected = row.find("rejected"))
    for (const YamlValue &value : rejected->list("a list of values that are not taken")) {
      const YamlMap other = value.map("a value that is not taken: a map", {"value", "source", "why"});
      constant.rejected.push_back(
          {readNumber(other.get("value", "a number")), readText(other, "source"), readText(other, "why")});
    }
  if (const YamlValue *range = row.find("range"))
    constant.range = readRange(*range, constant);
  return constant;
}

constexpr unsigned maxBases = 4; // the longest chain of bases; the limit also stops a chip that is its own base

ChipFile readChip(const YamlValue &document, const ChipFile::Lookup &lookup, unsigned depth);

ChipFile readBuiltIn(const YamlValue &value, const ChipFile::Lookup &lookup, unsigned depth) {
  const std::string file = "targets/timing/" + value.text("a chip's name") + ".yaml";
  const auto text = lookup(file);
  if (!text || depth > maxBases)
    value.fail(text ? "a chip that is not based on itself" : "a built-in chip");
  return readChip(YamlValue::readText(*text, "templates/" + file), lookup, depth);
}

ChipFile readChip(const YamlValue &document, const ChipFile::Lookup &lookup, unsigned depth) {
  const YamlMap row = document.map("a chip: a map", {"name", "target", "description", "base", "constants"});
  ChipFile chip;
  if (const YamlValue *base = row.find("base"))
    chip = readBuiltIn(*base, lookup, depth + 1);
  chip.name = readText(row, "name");
  chip.description = readText(row, "description");
  const std::string target = readText(row, "target");
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

ChipFile ChipFile::builtIn(const YamlValue &name, const Lookup &lookup) { return readBuiltIn(name, lookup, 0); }

ChipFile ChipFile::named(const YamlValue &name, const Lookup &lookup) {
  const std::string text = name.text("a chip's name");
  if (!text.ends_with(".yaml"))
    return builtIn(name, lookup);
  return read(YamlValue::readFile(std::filesystem::path(name.place().getFile()).parent_path() / text), lookup);
}

const ChipConstant &ChipFile::get(const std::string &key, const std::string &unit) const {
  auto found = constants.find(key);
  if (found == constants.end())
    place.error("expected the constant '" + key + "' in " + unit + " but got none");
  const ChipConstant &constant = found->second;
  if (constant.unit != unit)
    constant.place.error("expected '" + key + "' in " + unit + " but got '" + escape(constant.unit) + "'");
  return constant;
}

uint64_t ChipFile::whole(const std::string &key, uint64_t min) const {
  auto found = constants.find(key);
  const double value = found == constants.end() ? -1 : found->second.value;
  if (!(value >= double(min)) || value != std::floor(value) || value > 0x1p53)
    (found == constants.end() ? place : found->second.place)
        .error("expected the constant '" + key + "' to be a whole number of at least " + std::to_string(min));
  return uint64_t(value);
}

} // namespace nstf::support
