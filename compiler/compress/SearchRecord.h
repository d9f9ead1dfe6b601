// The measurements of a search for formats, in a file beside the output folder, from which an interrupted search
// continues.
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
  /// Reads the record beside the output folder, if there is one. If its identity is this one, which covers everything
  /// the numbers depend on, the record goes on; else it starts anew. Throws std::runtime_error if the file is not a
  /// record of a search.
  SearchRecord(const std::filesystem::path &output, const std::string &identity);

  std::optional<std::vector<double>> find(const std::string &key) const;
  /// Stores numbers under a key. Entries with numbers that are not finite are not written to the file.
  void add(const std::string &key, const std::vector<double> &numbers);

  /// Removes the file, after the output has been written.
  void remove();

private:
  std::filesystem::path path;
  std::string identity;
  std::map<std::string, std::vector<double>> known;
};

} // namespace nstf::compress
