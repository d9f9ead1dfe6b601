// What a search has found so far, on disk as it is found: whoever begins it again goes on where it was stopped.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace nstf::tune {

/// What is known of a candidate that was compiled and timed, or why it could not be.
struct Trial {
  double microseconds = 0;
  int64_t registers = 0, ldsBytes = 0;
  std::string fault; ///< empty: none

  bool isValid() const { return fault.empty(); }
};

class Journal {
public:
  /// Of a search that `search` describes in one line. With `resumes` the trials that the file has of the same search
  /// are known from the start; without, or where it is of another one, it begins anew. Throws std::runtime_error where
  /// the file can't be written.
  Journal(std::filesystem::path file, const std::string &search, bool resumes);

  /// From any thread.
  std::optional<Trial> find(const std::string &candidate) const;
  void add(const std::string &candidate, const Trial &trial);
  /// The search is over.
  void remove();

private:
  void write() const;

  std::filesystem::path path;
  std::string begin; ///< its first line
  mutable std::mutex lock;
  std::map<std::string, Trial> trials;
};

} // namespace nstf::tune
