// Where something is written before it takes its place: a hidden folder beside that place.
//
// The folder holds a file `lock`, on which its writer has a lock as long as it lives, and the `content`. What a killed
// writer left is known by the lock that nobody holds, and removed at the next write beside it. (A process number would
// not do: another container or host may mean another process by it.)
#pragma once

#include <csignal>
#include <filesystem>
#include <string>

namespace nstf::support {

class StagingFolder {
public:
  /// Makes the folder. `place`, a path without links (findTarget), is what the content is to become.
  explicit StagingFolder(const std::filesystem::path &place);
  StagingFolder(const StagingFolder &) = delete;
  /// Removes the folder with all that is in it.
  ~StagingFolder();

  /// A file or folder of the caller's making.
  const std::filesystem::path &content() const { return inside; }

  /// Renames the content to `place`, in the same folder. A file that is there is replaced.
  void publish(const std::filesystem::path &place);
  /// Puts each in the other's place: afterwards the content is what stood there before.
  void exchange(const std::filesystem::path &place);

private:
  std::filesystem::path inside;
  std::string folder;
  int lock = -1;
};

/// A folder that is complete takes its place, where nothing may stand yet. Throws std::runtime_error.
void moveFolder(const std::filesystem::path &folder, const std::filesystem::path &place);

/// From now on SIGINT, SIGTERM and SIGHUP remove the staging folders of this process before they end it. For programs,
/// not libraries. A signal that is ignored stays ignored.
void removeStagingFoldersOnSignals();

/// While it lives, those signals wait: between renames that belong together.
class SignalsHeld {
public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld &) = delete;

private:
  sigset_t before;
};

} // namespace nstf::support
