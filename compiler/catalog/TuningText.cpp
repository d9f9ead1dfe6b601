#include "compiler/catalog/TuningText.h"

#include <cstdio>

using namespace nstf;

static std::string formatNumber(int64_t number) {
  return number == INT64_MAX ? ".inf" : number == INT64_MIN ? "-.inf" : std::to_string(number);
}

static std::string formatTime(double microseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", microseconds);
  return text;
}

/// A YAML string in double quotes.
static std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "\"";
}

/// "{BM: 64, BN: 64}"
template <typename Entries> static std::string formatMap(const Entries &entries) {
  std::string text;
  for (const auto &[name, value] : entries)
    text += (text.empty() ? "" : ", ") + name + ": " + value;
  return "{" + text + "}";
}

static std::string formatRanges(const TuningRow &row) {
  std::map<std::string, std::string> entries;
  for (const auto &[name, range] : row.ranges)
    entries[name] = "[" + formatNumber(range.first) + ", " + formatNumber(range.second) + "]";
  return formatMap(entries);
}

std::string nstf::formatRow(const TuningRow &row) {
  std::map<std::string, std::string> parameters;
  for (const auto &[name, value] : row.parameters)
    parameters[name] = std::to_string(value);
  std::string text = "  - when: " + formatRanges(row) + "\n    set: " + formatMap(parameters) + "\n";
  std::vector<std::pair<std::string, std::string>> fields;
  for (std::string_view field : support::Schedule::fields)
    if (std::string value = row.schedule.get(field); !value.empty()) {
      const std::string unit(support::Schedule::getUnit(field));
      fields.emplace_back(field, unit.empty() || value == "all" ? value : value + " " + unit);
    }
  if (!fields.empty())
    text += "    schedule: " + formatMap(fields) + "\n";
  if (row.precedence)
    text += "    precedence: " + std::to_string(row.precedence) + "\n";
  if (row.tuned) {
    const TunedTime &tuned = *row.tuned;
    text += "    tuned: " +
            formatMap(std::vector<std::pair<std::string, std::string>>{
                {"by", tuned.by},
                {"us", formatTime(tuned.microseconds)},
                {"interval", "[" + formatTime(tuned.min) + ", " + formatTime(tuned.max) + "]"},
                {"runner_up", quote(tuned.runnerUp)},
                {"chip", tuned.chip},
                {"compute_units", std::to_string(tuned.computeUnits)},
                {"clock", std::to_string(tuned.clock)}}) +
            "\n";
  }
  return text + "    because: " + quote(row.because) + "\n";
}

/// The offset of each line of a text, and at the end the text's size.
static std::vector<size_t> findLines(std::string_view text) {
  std::vector<size_t> lines = {0};
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      lines.push_back(i + 1);
  if (lines.back() != text.size())
    lines.push_back(text.size());
  return lines;
}

std::string nstf::putRow(std::string_view text, const std::string &file, const TuningRow &row,
                         const std::string &header, const std::string &provenance) {
  std::string result(text);
  if (result.empty())
    result = header + "provenance: " + provenance + "\nrows:\n" + formatRow(row);
  else {
    const TuningTable table = parseTuning(text, file);
    if (result.back() != '\n')
      result += "\n";
    const std::vector<size_t> lines = findLines(result);
    size_t begin = result.size(), end = result.size();
    for (size_t i = 0; i < table.rows.size(); ++i)
      if (table.rows[i].ranges == row.ranges && table.rows[i].precedence == row.precedence) {
        begin = lines.at(table.rows[i].place.line - 1);
        end = i + 1 < table.rows.size() ? lines.at(table.rows[i + 1].place.line - 1) : result.size();
      }
    result = result.substr(0, begin) + formatRow(row) + result.substr(end);
  }
  parseTuning(result, file);
  return result;
}
