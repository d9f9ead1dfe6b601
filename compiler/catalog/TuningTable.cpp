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
    table.provenance = readProvenance(root);
    YAML::Node rows = require(root, "rows");
    if (!rows.IsSequence())
      fail(rows.Mark(), "expected a list of rows");
    for (const YAML::Node &row : rows)
      table.rows.push_back(readRow(row));
    return table;
  }

  std::vector<TokenBucket> readBuckets(const YAML::Node &root) {
    checkKeys(root, {"provenance", "buckets"});
    readProvenance(root);
    YAML::Node list = require(root, "buckets");
    if (!list.IsSequence())
      fail(list.Mark(), "expected a list of buckets");
    std::vector<TokenBucket> buckets;
    for (const YAML::Node &node : list) {
      checkKeys(node, {"most", "because"});
      YAML::Node most = require(node, "most");
      int64_t least = buckets.empty() ? 1 : buckets.back().most + 1, tokens = readInteger(most);
      if (tokens < least)
        fail(most.Mark(), "expected at least " + std::to_string(least) + " but got " + std::to_string(tokens));
      buckets.push_back({tokens, readText(require(node, "because"))});
    }
    return buckets;
  }

  std::map<std::string, std::vector<TemplateRule>> readTemplateRules(const YAML::Node &root) {
    std::map<std::string, std::vector<TemplateRule>> rules;
    if (!root.IsMap())
      fail(root.Mark(), "expected a map");
    readProvenance(root);
    for (const auto &entry : root) {
      std::string operation = readText(entry.first);
      if (operation == "provenance")
        continue;
      if (!entry.second.IsSequence())
        fail(entry.second.Mark(), "expected a list of templates");
      for (const YAML::Node &node : entry.second) {
        checkKeys(node, {"rows", "take", "because"});
        std::pair<int64_t, int64_t> rows(1, INT64_MAX);
        if (YAML::Node range = node["rows"])
          rows = readRange(range);
        rules[operation].push_back({rows, readText(require(node, "take")), readText(require(node, "because"))});
      }
    }
    return rules;
  }

  [[noreturn]] void fail(const YAML::Mark &mark, const std::string &message) const {
    throw std::runtime_error(file + ":" + std::to_string(std::max(mark.line, 0) + 1) + ": " + message);
  }

private:
  /// "predicted, by hand, 2026-11-21"
  std::string readProvenance(const YAML::Node &root) {
    YAML::Node provenance = require(root, "provenance");
    checkKeys(provenance, {"date", "tool", "kind"});
    return readText(require(provenance, "kind")) + ", " + readText(require(provenance, "tool")) + ", " +
           readText(require(provenance, "date"));
  }

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

/// Reads a file's text; faults of YAML itself are told like the others.
template <typename Read> static auto parse(std::string_view text, const std::string &file, Read read) {
  Reader reader(file);
  try {
    return read(reader, support::loadYaml(std::string(text)));
  } catch (const YAML::Exception &error) {
    reader.fail(error.mark, error.msg);
  }
}

TuningTable nstf::parseTuning(std::string_view text, const std::string &file) {
  return parse(text, file, [](Reader &reader, const YAML::Node &root) { return reader.readTable(root); });
}

std::vector<TokenBucket> nstf::parseBuckets(std::string_view text, const std::string &file) {
  return parse(text, file, [](Reader &reader, const YAML::Node &root) { return reader.readBuckets(root); });
}

std::map<std::string, std::vector<TemplateRule>> nstf::parseTemplateRules(std::string_view text,
                                                                          const std::string &file) {
  return parse(text, file, [](Reader &reader, const YAML::Node &root) { return reader.readTemplateRules(root); });
}
