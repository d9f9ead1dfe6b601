// Reader of tuning rows (TuningTable.h).
#include "compiler/catalog/TuningTable.h"
#include "support/Escape.h"
#include "support/Yaml.h"

#include <algorithm>
#include <charconv>

using namespace nstf;

using support::YamlMap;
using support::YamlValue;

/// "predicted, by hand, 2026-11-21"
static std::string readProvenance(const YamlMap &root) {
  YamlMap provenance = root.get("provenance", "who says so").map("a map", {"date", "tool", "kind"});
  auto text = [&](const char *key) { return provenance.get(key, "a text").scalar("a text"); };
  return text("kind") + ", " + text("tool") + ", " + text("date");
}

static std::string readReason(const YamlMap &row) { return row.get("because", "a reason").scalar("a text"); }

static int64_t readInteger(const YamlValue &value, int64_t min = INT64_MIN) {
  return value.integer(min == INT64_MIN ? "an integer" : "an integer of at least " + std::to_string(min), min);
}

static std::pair<int64_t, int64_t> readRange(const YamlValue &value) {
  static const std::string expected = "a range [lowest, highest]";
  std::vector<YamlValue> ends = value.list(expected);
  if (ends.size() != 2)
    value.fail(expected);
  std::pair range(readInteger(ends[0]), readInteger(ends[1]));
  if (range.first > range.second)
    value.place().error("expected " + expected + " but got [" + std::to_string(range.first) + ", " +
                        std::to_string(range.second) + "]");
  return range;
}

/// What a range is of: an extent, or with a divisor (1: none) the rest of it.
static std::pair<std::string, int64_t> splitDivisor(const std::string &name) {
  size_t sign = name.find('%');
  int64_t divisor = 1;
  if (sign != std::string::npos) {
    const char *end = name.data() + name.size();
    auto [rest, error] = std::from_chars(name.data() + sign + 1, end, divisor);
    if (error != std::errc() || rest != end)
      divisor = 0;
  }
  return {name.substr(0, sign), divisor};
}

static TuningRow readRow(const YamlValue &value) {
  YamlMap map = value.map("a row: a map", {"when", "set", "because"});
  TuningRow row;
  if (const YamlValue *when = map.find("when"))
    for (const auto &[name, place, range] : when->entries("a map of ranges")) {
      if (splitDivisor(name).second < 1)
        place.error("expected NAME or NAME%DIVISOR but got '" + support::escape(name) + "'");
      row.ranges.emplace(name, readRange(range));
    }
  for (const auto &[name, place, parameter] : map.get("set", "the parameters").entries("a map of parameters"))
    row.parameters.emplace(name, readInteger(parameter, 0));
  row.because = readReason(map);
  return row;
}

std::string TuningRow::getMismatch(const std::map<std::string, int64_t> &extents) const {
  for (const auto &[name, range] : ranges) {
    auto [axis, divisor] = splitDivisor(name);
    auto extent = extents.find(axis);
    if (extent == extents.end())
      return "there is no " + axis;
    int64_t value = divisor > 1 ? extent->second % divisor : extent->second;
    if (value < range.first || value > range.second)
      return name + " is " + std::to_string(value) + ", not " + std::to_string(range.first) + " to " +
             std::to_string(range.second);
  }
  return "";
}

std::optional<size_t> TuningTable::find(const std::map<std::string, int64_t> &extents) const {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].getMismatch(extents).empty())
      return i;
  return std::nullopt;
}

std::vector<std::string> nstf::listTuningFiles(const std::vector<std::string> &chips, const std::string &templateName,
                                               const std::string &type) {
  std::vector<std::string> folders = chips, types = {type};
  folders.push_back("default");
  static const std::map<std::string, std::string> alike = {
      {"bf16", "f16"}, {"e4m3fnuz", "i8"}, {"int5", "int4"}, {"int6", "int4"}};
  if (auto other = alike.find(type); other != alike.end())
    types.push_back(other->second);
  types.push_back("f32"); // templates without matrix products compute alike whatever memory holds
  std::vector<std::string> files;
  for (const std::string &typeName : types)
    for (const std::string &folder : folders) {
      std::string file = "tuning/" + folder + "/" + templateName + "/" + typeName + ".yaml";
      if (std::find(files.begin(), files.end(), file) == files.end())
        files.push_back(file);
    }
  return files;
}

TuningTable nstf::parseTuning(std::string_view text, const std::string &file) {
  YamlMap root = YamlValue::readText(text, file).map("a map", {"provenance", "rows"});
  TuningTable table;
  table.provenance = readProvenance(root);
  for (const YamlValue &row : root.get("rows", "a list of rows").list("a list of rows"))
    table.rows.push_back(readRow(row));
  return table;
}

std::vector<TokenBucket> nstf::parseBuckets(std::string_view text, const std::string &file) {
  YamlMap root = YamlValue::readText(text, file).map("a map", {"provenance", "buckets"});
  readProvenance(root);
  std::vector<TokenBucket> buckets;
  for (const YamlValue &value : root.get("buckets", "a list of buckets").list("a list of buckets")) {
    YamlMap bucket = value.map("a bucket: a map", {"max", "because"});
    const int64_t min = buckets.empty() ? 1 : buckets.back().max + 1;
    buckets.push_back({readInteger(bucket.get("max", "tokens"), min), readReason(bucket)});
  }
  return buckets;
}

std::map<std::string, std::vector<TemplateRule>> nstf::parseTemplateRules(std::string_view text,
                                                                          const std::string &file) {
  YamlMap root = YamlValue::readText(text, file).map("a map");
  readProvenance(root);
  std::map<std::string, std::vector<TemplateRule>> rules;
  for (const auto &[operation, place, list] : root.all()) {
    if (operation == "provenance")
      continue;
    for (const YamlValue &value : list.list("a list of templates")) {
      YamlMap rule = value.map("a rule: a map", {"rows", "take", "because"});
      std::pair<int64_t, int64_t> rows(1, INT64_MAX);
      if (const YamlValue *range = rule.find("rows"))
        rows = readRange(*range);
      rules[operation].push_back({rows, rule.get("take", "a template").scalar("a text"), readReason(rule)});
    }
  }
  return rules;
}
