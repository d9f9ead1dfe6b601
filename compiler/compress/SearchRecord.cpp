#include "compiler/compress/SearchRecord.h"

#include "compiler/compress/WriteCheckpoint.h"
#include "support/MappedFile.h"
#include "support/Path.h"
#include "support/WriteFile.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace nstf;
using namespace nstf::compress;
namespace fs = std::filesystem;

SearchRecord::SearchRecord(const fs::path &output, const std::string &identity)
    : path(getPathBeside(output, ".search")), identity(identity) {
  if (!fs::exists(path))
    return;
  nlohmann::json found = nlohmann::json::parse(support::readTextFile(path), nullptr, /*allow_exceptions=*/false);
  try {
    if (found.at("nstf_search") == identity)
      found.at("measured").get_to(known);
  } catch (const nlohmann::json::exception &) {
    throw std::runtime_error(support::describePath(path) +
                             ": expected what an ended nstfc compress left but got something else");
  }
}

std::optional<std::vector<double>> SearchRecord::find(const std::string &key) const {
  auto entry = known.find(key);
  return entry == known.end() ? std::nullopt : std::optional(entry->second);
}

void SearchRecord::add(const std::string &key, const std::vector<double> &numbers) {
  known[key] = numbers;
  auto isFinite = [](const auto &entry) {
    return std::ranges::all_of(entry.second, [](double number) { return std::isfinite(number); });
  };
  nlohmann::json measured = nlohmann::json::object();
  for (const auto &entry : known)
    if (isFinite(entry))
      measured[entry.first] = entry.second;
  support::writeFile(path, nlohmann::json{{"nstf_search", identity}, {"measured", measured}}.dump() + "\n");
}

void SearchRecord::remove() { fs::remove(path); }
