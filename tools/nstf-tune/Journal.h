// Stores a search's results on disk as they are found, so that an interrupted search can be resumed.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace nstf::tune {

/// The result for a candidate that was compiled and timed, or the fault that prevented it.
struct Trial {
  double microseconds = 0;
  int64_t registers = 0, ldsBytes = 0;
  std::string fault; ///< empty if valid

  bool isValid() const { return fault.empty(); }
};

class Journal {
public:
  /// `search` describes the search in one line. With `resumes`, the file's trials are reused if they are of the same
  /// search; otherwise the journal starts empty. Throws std::runtime_error if the file can't be written.
  Journal(std::filesystem::path file, const std::string &search, bool resumes);

  /// May be called from any thread.
  std::optional<Trial> find(const std::string &candidate) const;
  void add(const std::string &candidate, const Trial &trial);
  /// Removes the file at the end of the search.
  void remove();

private:
  void write() const;

  std::filesystem::path path;
  std::string begin; ///< first line of the file
  mutable std::mutex lock;
  std::map<std::string, Trial> trials;
};

} // namespace nstf::tune
