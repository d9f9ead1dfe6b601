// Two callers share the code for removal: a writer that is done, and a signal handler. The code calls only functions
// that a signal handler may call (signal-safety(7)), hence Linux's getdents64 and not readdir.
#include "support/StagingFolder.h"
#include "support/OutputFile.h"
#include "support/Path.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace nstf::support {

static constexpr const char *marker = ".nstf-writing-";

// Removal

static bool removeTree(int parent, const char *name) {
  if (unlinkat(parent, name, 0) == 0)
    return true;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return false;
  alignas(dirent64) char buffer[4096];
  for (bool removedSome = true; removedSome;) { // starts over after each removal, which changes the listing
    removedSome = false;
    lseek(folder, 0, SEEK_SET);
    for (long size; (size = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
      for (long at = 0; at < size;) {
        auto *entry = reinterpret_cast<dirent64 *>(buffer + at);
        at += entry->d_reclen;
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
          removedSome |= removeTree(folder, entry->d_name);
      }
  }
  close(folder);
  return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/// Removes the lock last: if the removal is interrupted before that, the next write repeats it.
static bool removeStaging(const char *name) {
  int folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) {
    removeTree(folder, "content");
    close(folder);
  }
  return removeTree(AT_FDCWD, name);
}

// Signals

/// The staging folders of this process. The writer or the handler, whichever takes a name out of its slot, removes the
/// folder.
static std::array<std::atomic<const char *>, 64> folders;
static pid_t owner = 0;
static std::atomic<int> held = 0;
static std::atomic<bool> isEnding = false;

static void pauseForever() {
  for (;;)
    pause();
}

static void onSignal(int signal) {
  if (getpid() == owner) {       // not in a child of fork, which inherits the handler
    if (isEnding.exchange(true)) // another thread runs the handler
      pauseForever();
    while (held)
      poll(nullptr, 0, 1);
    for (std::atomic<const char *> &slot : folders)
      if (const char *name = slot.exchange(nullptr))
        for (int attempt = 0; attempt < 100 && !removeStaging(name) && errno != ENOENT; ++attempt)
          poll(nullptr, 0, 1); // other threads still write into the folder
  }
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  kill(getpid(), signal);
}

static constexpr int endingSignals[] = {SIGINT, SIGTERM, SIGHUP};

void removeStagingFoldersOnSignals() {
  owner = getpid();
  struct sigaction action = {}, former = {};
  action.sa_handler = onSignal;
  for (int signal : endingSignals)
    sigaddset(&action.sa_mask, signal);
  for (int signal : endingSignals)
    if (sigaction(signal, nullptr, &former) == 0 && former.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
}

static thread_local int depth = 0;

SignalsHeld::SignalsHeld() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : endingSignals)
    sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  ++held;
  if (depth++ == 0 && isEnding) { // another thread's handler removes the folders in use
    --held;
    pauseForever();
  }
}

SignalsHeld::~SignalsHeld() {
  --depth;
  --held;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void enter(const char *name) {
  for (std::atomic<const char *> &slot : folders) {
    const char *empty = nullptr;
    if (slot.compare_exchange_strong(empty, name))
      return;
  }
  // All slots are taken: a signal does not remove this folder; the next write does.
}

static void leave(const char *name) {
  for (std::atomic<const char *> &slot : folders) {
    const char *expected = name;
    if (slot.compare_exchange_strong(expected, nullptr))
      return;
  }
}

// Locks

enum class IfUnsupported { Refuse, GoOn };

/// Opens and locks the lock file of a staging folder. Returns -1 if there is none or another process holds the lock.
static int takeLock(const std::string &folder, int flags, IfUnsupported unsupported) {
  int file = open((folder + "/lock").c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
  if (file < 0)
    return -1;
  struct stat status;
  bool isTaken = flock(file, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && unsupported == IfUnsupported::GoOn);
  if (isTaken && fstat(file, &status) == 0 && status.st_nlink > 0)
    return file;
  close(file);
  return -1;
}

/// Removes the staging folders in `parent` whose writers ended without removing them.
static void removeDead(const fs::path &parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name[0] != '.' || name.find(marker) == std::string::npos)
      continue;
    std::string folder = entry->path().string();
    int lock = takeLock(folder, 0, IfUnsupported::Refuse);
    if (lock >= 0) {
      removeStaging(folder.c_str());
      close(lock);
    } else {
      rmdir(folder.c_str()); // empty if its writer ended right after creating it
    }
  }
}

// The folder

StagingFolder::StagingFolder(const fs::path &place) {
  fs::path parent = place.parent_path();
  removeDead(parent);
  std::string name = "." + place.filename().string().substr(0, 200) + marker + "XXXXXX";
  for (int attempt = 0; attempt < 100 && lock < 0; ++attempt) {
    folder = (parent / name).string();
    if (!mkdtemp(folder.data()))
      failErrno(place, "write");
    enter(folder.c_str());
    lock = takeLock(folder, O_CREAT | O_EXCL, IfUnsupported::GoOn);
    if (lock < 0) { // another writer removed it before it was locked
      leave(folder.c_str());
      removeStaging(folder.c_str());
    }
  }
  if (lock < 0)
    throw std::runtime_error(describePath(place) + ": cannot write: no lock to be had in its folder");
  inside = folder + "/content";
}

StagingFolder::~StagingFolder() {
  {
    SignalsHeld held; // from here on the handler ignores this folder
    leave(folder.c_str());
  }
  removeStaging(folder.c_str());
  close(lock);
}

void StagingFolder::publish(const fs::path &place) {
  SignalsHeld held;
  if (rename(inside.c_str(), place.c_str()) != 0)
    failErrno(place, "write");
}

void moveFolder(const fs::path &folder, const fs::path &place) {
  if (renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0)
    return;
  // The file system doesn't support RENAME_NOREPLACE; rename replaces at most an empty folder.
  if ((errno != ENOSYS && errno != EINVAL) || rename(folder.c_str(), place.c_str()) != 0)
    failErrno(place, "write");
}

void StagingFolder::exchange(const fs::path &place) {
  SignalsHeld held;
  if (renameat2(AT_FDCWD, inside.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0)
    return;
  if (errno != ENOSYS && errno != EINVAL)
    failErrno(place, "replace");
  // The file system doesn't support RENAME_EXCHANGE: the old content is moved aside, and moved back if the second
  // rename fails.
  std::string former = folder + "/former";
  if (rename(place.c_str(), former.c_str()) != 0)
    failErrno(place, "replace");
  if (rename(inside.c_str(), place.c_str()) != 0) {
    int reason = errno;
    rename(former.c_str(), place.c_str());
    errno = reason;
    failErrno(place, "replace");
  }
  rename(former.c_str(), inside.c_str());
}

} // namespace nstf::support
