// A package while it is written: a folder of its own beside the target until `commit`, gone if that never comes.
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
  /// Makes the folder to write into. Throws std::runtime_error where `target` is there and is no package, or where
  /// nothing can be written beside it.
  explicit PackageFolder(const std::filesystem::path &target);

  /// Makes a file of `size` bytes; where the file system can say so, a full disk is an error already here.
  support::OutputFile create(const std::string &name, uint64_t size);
  /// A whole file.
  void write(const std::string &name, std::string_view bytes);
  /// Where the package is until `commit`, and can be run.
  const std::filesystem::path &path() const { return staging->content(); }
  /// Puts the folder in the target's place, in one step.
  void commit() { commitAs(target); }
  /// Puts it in another place of the same folder.
  void commitAs(const std::filesystem::path &place);
  const std::filesystem::path &getTarget() const { return target; }

private:
  std::filesystem::path target; ///< the package to be
  std::optional<support::StagingFolder> staging;
};

} // namespace nstf
