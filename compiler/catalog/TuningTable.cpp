// Reader of tuning rows (TuningTable.h).
#include "compiler/catalog/TuningTable.h"
#include "support/Escape.h"
#include "support/Yaml.h"

#include <algorithm>
#include <set>
#include <stdexcept>

using namespace nstf;

namespace {

class Reader {
public:
  explicit Reader(const std::string &file) : file(file) {}

  TuningTable readTable(const YAML::Node &root) {
    checkKeys(root, {"provenance", "rows"});
    TuningTable table;
    YAML::Node provenance = require(root, "provenance");
    checkKeys(provenance, {"date", "tool", "kind"});
    table.provenance = readText(require(provenance, "kind")) + ", " + readText(require(provenance, "tool")) + ", " +
                       readText(require(provenance, "date"));
    YAML::Node rows = require(root, "rows");
    if (!rows.IsSequence())
      fail(rows.Mark(), "expected a list of rows");
    for (const YAML::Node &row : rows)
      table.rows.push_back(readRow(row));
    return table;
  }

  [[noreturn]] void fail(const YAML::Mark &mark, const std::string &message) const {
    throw std::runtime_error(file + ":" + std::to_string(std::max(mark.line, 0) + 1) + ": " + message);
  }

private:
  TuningRow readRow(const YAML::Node &node) {
    checkKeys(node, {"when", "set", "because"});
    TuningRow row;
    if (YAML::Node when = node["when"]) {
      if (!when.IsMap())
        fail(when.Mark(), "expected a map of ranges");
      for (const auto &entry : when)
        if (!row.ranges.insert({readText(entry.first), readRange(entry.second)}).second)
          fail(entry.first.Mark(), "expected one range for each extent but got a second for " + readText(entry.first));
    }
    YAML::Node set = require(node, "set");
    if (!set.IsMap())
      fail(set.Mark(), "expected a map of parameters");
    for (const auto &entry : set) {
      int64_t value = readInteger(entry.second);
      if (value < 1)
        fail(entry.second.Mark(), "expected a value of at least 1 but got " + std::to_string(value));
      if (!row.parameters.insert({readText(entry.first), value}).second)
        fail(entry.first.Mark(), "expected one value for each parameter but got a second for " + readText(entry.first));
    }
    row.because = readText(require(node, "because"));
    return row;
  }

  std::pair<int64_t, int64_t> readRange(const YAML::Node &node) {
    if (!node.IsSequence() || node.size() != 2)
      fail(node.Mark(), "expected a range [lowest, highest]");
    std::pair range(readInteger(node[0]), readInteger(node[1]));
    if (range.first > range.second)
      fail(node.Mark(), "expected a range [lowest, highest] but got [" + std::to_string(range.first) + ", " +
                            std::to_string(range.second) + "]");
    return range;
  }

  void checkKeys(const YAML::Node &node, const std::set<std::string> &known) {
    if (!node.IsMap())
      fail(node.Mark(), "expected a map");
    for (const auto &entry : node)
      if (!known.contains(readText(entry.first)))
        fail(entry.first.Mark(), "expected a known key but got '" + support::escape(readText(entry.first)) + "'");
  }

  YAML::Node require(const YAML::Node &node, const char *key) {
    YAML::Node value = node[key];
    if (!value)
      fail(node.Mark(), std::string("expected key '") + key + "' but got none");
    return value;
  }

  std::string readText(const YAML::Node &node) {
    if (!node.IsScalar())
      fail(node.Mark(), "expected a text");
    return node.Scalar();
  }

  int64_t readInteger(const YAML::Node &node) {
    try {
      return node.as<int64_t>();
    } catch (const YAML::Exception &) {
      fail(node.Mark(), "expected an integer but got '" + (node.IsScalar() ? node.Scalar() : "no scalar") + "'");
    }
  }

  std::string file;
};

} // namespace

std::string TuningRow::getMismatch(const std::map<std::string, int64_t> &extents) const {
  for (const auto &[name, range] : ranges) {
    auto extent = extents.find(name);
    if (extent == extents.end())
      return "there is no " + name;
    if (extent->second < range.first || extent->second > range.second)
      return name + " is " + std::to_string(extent->second) + ", not " + std::to_string(range.first) + " to " +
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
  if (type == "bf16")
    types.push_back("f16");
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
  Reader reader(file);
  try {
    return reader.readTable(support::loadYaml(std::string(text)));
  } catch (const YAML::Exception &error) {
    reader.fail(error.mark, error.msg);
  }
}
