// Reads tuning rows (TuningTable.h).
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

/// An end of a range. `infinity` is the text of an open end.
static int64_t readEnd(const YamlValue &value, const std::string &infinity, int64_t open) {
  if (value.isScalar() && value.scalar(infinity) == infinity)
    return open;
  return value.integer("an integer or " + infinity, INT64_MIN);
}

static std::pair<int64_t, int64_t> readRange(const YamlValue &value) {
  static const std::string expected = "a range [lowest, highest]";
  std::vector<YamlValue> ends = value.list(expected);
  if (ends.size() != 2)
    value.fail(expected);
  std::pair range(readEnd(ends[0], "-.inf", INT64_MIN), readEnd(ends[1], ".inf", INT64_MAX));
  if (range.first > range.second)
    value.place().error("expected " + expected + " but got [" + std::to_string(range.first) + ", " +
                        std::to_string(range.second) + "]");
  return range;
}

/// "1 to 16", "at least 3072"
static std::string describe(const std::pair<int64_t, int64_t> &range) {
  if (range.second == INT64_MAX)
    return "at least " + std::to_string(range.first);
  if (range.first == INT64_MIN)
    return "at most " + std::to_string(range.second);
  return std::to_string(range.first) + " to " + std::to_string(range.second);
}

/// Splits "K%64" into the extent and the divisor; without a divisor it is 1.
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

static support::Schedule readSchedule(const YamlValue &value) {
  support::Schedule schedule;
  const std::vector<std::string> fields(support::Schedule::fields.begin(), support::Schedule::fields.end());
  const YamlMap map = value.map("a map of fields", fields);
  for (const auto &[field, place, entry] : map.all()) {
    const std::string text = entry.scalar("a text");
    const std::string unit(support::Schedule::getUnit(field));
    if (std::string fault = schedule.set(field, text); !fault.empty())
      entry.place().error(fault);
    if (!unit.empty() && text != "all" && !text.ends_with("block") && !text.ends_with(unit))
      entry.place().error("expected " + field + " with its unit, '" + text + " " + unit + "', but got '" + text + "'");
    if (std::string fault = schedule.findFault(); !fault.empty())
      entry.place().error(fault);
  }
  return schedule;
}

static double readMicroseconds(const YamlValue &value) {
  static const std::string expected = "a time in us of at least 0";
  double time = value.number(expected).value;
  if (!(time >= 0))
    value.fail(expected);
  return time;
}

static TunedTime readTuned(const YamlValue &value) {
  YamlMap map = value.map("a map", {"by", "us", "interval", "runner_up", "chip", "compute_units", "clock"});
  auto text = [&](const char *key) { return map.get(key, "a text").scalar("a text"); };
  TunedTime tuned;
  tuned.by = text("by");
  if (tuned.by != "predicted" && tuned.by != "measured")
    map.find("by")->fail("predicted or measured");
  tuned.microseconds = readMicroseconds(map.get("us", "a time"));
  std::vector<YamlValue> ends = map.get("interval", "a range of times").list("a range [min, max]");
  if (ends.size() != 2)
    map.find("interval")->fail("a range [min, max]");
  tuned.min = readMicroseconds(ends[0]);
  tuned.max = readMicroseconds(ends[1]);
  if (tuned.min > tuned.microseconds || tuned.microseconds > tuned.max)
    map.find("interval")->place().error("expected an interval with the time in it but got one without");
  tuned.runnerUp = text("runner_up");
  tuned.chip = text("chip");
  tuned.computeUnits = readInteger(map.get("compute_units", "their number"), 1);
  tuned.clock = readInteger(map.get("clock", "a clock in MHz"), 1);
  return tuned;
}

/// Reads the ranges of `when`.
static TuningRanges readRanges(const YamlMap &map) {
  TuningRanges ranges;
  if (const YamlValue *when = map.find("when"))
    for (const auto &[name, place, range] : when->entries("a map of ranges")) {
      if (splitDivisor(name).second < 1)
        place.error("expected NAME or NAME%DIVISOR but got '" + support::escape(name) + "'");
      ranges.emplace(name, readRange(range));
    }
  return ranges;
}

static TuningRow readRow(const YamlValue &value) {
  YamlMap map = value.map("a row: a map", {"when", "set", "schedule", "precedence", "because", "tuned"});
  TuningRow row;
  row.place = value.place();
  row.ranges = readRanges(map);
  for (const auto &[name, place, parameter] : map.get("set", "the parameters").entries("a map of parameters")) {
    if (std::string field(support::Schedule::getFieldInPlaceOf(name)); !field.empty())
      place.error("expected the field " + field + " of schedule in place of the parameter but got '" + name + "'");
    row.parameters.emplace(name, readInteger(parameter, 0));
  }
  if (const YamlValue *schedule = map.find("schedule"))
    row.schedule = readSchedule(*schedule);
  if (const YamlValue *precedence = map.find("precedence"))
    row.precedence = readInteger(*precedence);
  row.because = readReason(map);
  if (const YamlValue *tuned = map.find("tuned"))
    row.tuned = readTuned(*tuned);
  return row;
}

std::string nstf::getMismatch(const TuningRanges &ranges, const std::map<std::string, int64_t> &extents) {
  for (const auto &[name, range] : ranges) {
    auto [axis, divisor] = splitDivisor(name);
    auto extent = extents.find(axis);
    if (extent == extents.end())
      return "there is no " + axis;
    int64_t value = divisor > 1 ? extent->second % divisor : extent->second;
    if (value < range.first || value > range.second)
      return name + " is " + std::to_string(value) + ", not " + describe(range);
  }
  return "";
}

bool TuningRow::isInside(const TuningRow &other) const {
  for (const auto &[name, range] : other.ranges) {
    auto own = ranges.find(name);
    if (own == ranges.end() || own->second.first < range.first || own->second.second > range.second)
      return false;
  }
  return true;
}

bool TuningRow::isBefore(const TuningRow &other) const {
  return precedence != other.precedence ? precedence > other.precedence : isInside(other);
}

/// Whether no extents lie in the ranges of both rows.
static bool areApart(const TuningRow &row, const TuningRow &other) {
  for (const auto &[name, range] : row.ranges)
    if (auto its = other.ranges.find(name);
        its != other.ranges.end() && (its->second.first > range.second || its->second.second < range.first))
      return true;
  return false;
}

/// Checks that of any two rows that can hold at once, one decides.
static void checkOverlaps(const std::vector<TuningRow> &rows) {
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const TuningRow &row = rows[i], &other = rows[j];
      if (row.precedence == other.precedence && !areApart(row, other) && row.isInside(other) == other.isInside(row))
        row.place.error("expected ranges apart from those of row " + std::to_string(j + 1) + " (line " +
                        std::to_string(other.place.line) +
                        "), one inside the other, or another precedence, but got row " + std::to_string(i + 1) +
                        " that overlaps it with the same");
    }
}

std::optional<size_t> TuningTable::find(const std::map<std::string, int64_t> &extents) const {
  std::optional<size_t> found;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].getMismatch(extents).empty() && (!found || rows[i].isBefore(rows[*found])))
      found = i;
  return found;
}

std::vector<std::string> nstf::listTuningFiles(const std::vector<std::string> &chips, const std::string &templateName,
                                               const std::string &type) {
  std::vector<std::string> folders = chips, types = {type};
  folders.push_back("default");
  static const std::map<std::string, std::string> alike = {
      {"bf16", "f16"}, {"e4m3fnuz", "i8"}, {"int5", "int4"}, {"int6", "int4"}};
  if (auto other = alike.find(type); other != alike.end())
    types.push_back(other->second);
  types.push_back("f32"); // templates without products compute in f32
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
  checkOverlaps(table.rows);
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
      YamlMap rule = value.map("a rule: a map", {"rows", "when", "take", "because"});
      std::pair<int64_t, int64_t> rows(1, INT64_MAX);
      if (const YamlValue *range = rule.find("rows"))
        rows = readRange(*range);
      rules[operation].push_back(
          {rows, readRanges(rule), rule.get("take", "a template").scalar("a text"), readReason(rule), value.place()});
    }
  }
  return rules;
}
