// A package that is being written: a folder beside the target until `commit`; without a commit it is removed.
#pragma once

#include "support/OutputFile.h"
#include "support/StagingFolder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace nstf {

class PackageFolder {
public:
  /// Creates the folder. Throws std::runtime_error if `target` exists and is not a package, or if nothing can be
  /// written beside it.
  explicit PackageFolder(const std::filesystem::path &target);

  /// Creates a file of `size` bytes. Reports a full disk here if the file system can reserve space.
  support::OutputFile create(const std::string &name, uint64_t size);
  /// Writes a whole file.
  void write(const std::string &name, std::string_view bytes);
  /// The package's path until `commit`; the package can be run there.
  const std::filesystem::path &path() const { return staging->content(); }
  /// Moves the folder to the target's path, in one step.
  void commit() { commitAs(target); }
  /// Moves it to another path in the same parent folder.
  void commitAs(const std::filesystem::path &place);
  const std::filesystem::path &getTarget() const { return target; }

private:
  std::filesystem::path target; ///< the package's final path
  std::optional<support::StagingFolder> staging;
};

} // namespace nstf
