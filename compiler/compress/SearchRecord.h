// What a search for formats has measured, in a file beside its output: a search that was ended goes on with it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nstf::compress {

class SearchRecord {
public:
  /// Goes on with the file of an output folder where it has this identity, which says what numbers depend on; else it
  /// begins anew. Throws std::runtime_error where there is a file of something else.
  SearchRecord(const std::filesystem::path &output, const std::string &identity);

  std::optional<std::vector<double>> find(const std::string &key) const;
  /// Numbers that are not finite are for this run only.
  void add(const std::string &key, const std::vector<double> &numbers);

  /// What was searched for is written.
  void remove();

private:
  std::filesystem::path path;
  std::string identity;
  std::map<std::string, std::vector<double>> known;
};

} // namespace nstf::compress
