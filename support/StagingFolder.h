// A hidden folder beside the final path of a file or folder. The content is written there first and then renamed.
//
// The folder holds the `content` and a file `lock`, which its writer keeps locked as long as it lives. A folder whose
// lock nobody holds was left by a killed writer; the next write in the same parent folder removes it. (A process number
// would not identify the writer: in another container or on another host it may belong to another process.)
#pragma once

#include <csignal>
#include <filesystem>
#include <string>

namespace nstf::support {

class StagingFolder {
public:
  /// Creates the folder. `place`, a path without links (findTarget), is the content's final path.
  explicit StagingFolder(const std::filesystem::path &place);
  StagingFolder(const StagingFolder &) = delete;
  /// Removes the folder with all its content.
  ~StagingFolder();

  /// The path at which the caller creates a file or folder.
  const std::filesystem::path &content() const { return inside; }

  /// Renames the content to `place`, in the parent folder of the staging folder. Replaces an existing file.
  void publish(const std::filesystem::path &place);
  /// Swaps the content and `place`: afterwards `place` has the content, and `content()` is the path of what was at
  /// `place`.
  void exchange(const std::filesystem::path &place);

private:
  std::filesystem::path inside;
  std::string folder;
  int lock = -1;
};

/// Renames a complete folder to `place`, where nothing may exist yet. Throws std::runtime_error.
void moveFolder(const std::filesystem::path &folder, const std::filesystem::path &place);

/// From now on SIGINT, SIGTERM and SIGHUP remove the staging folders of this process before they end it. Only programs
/// may call this, not libraries. A signal that is ignored stays ignored.
void removeStagingFoldersOnSignals();

/// Blocks these signals while it lives, for several renames that belong together.
class SignalsHeld {
public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld &) = delete;

private:
  sigset_t before;
};

} // namespace nstf::support
