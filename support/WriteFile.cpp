// All files are written into staging folders first, and renamed to their places once every write has succeeded.
#include "support/WriteFile.h"
#include "support/OutputFile.h"
#include "support/Path.h"
#include "support/StagingFolder.h"

#include <cerrno>
#include <memory>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace nstf::support {
namespace {

std::span<const std::byte> getBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// One file that is being written.
class Write {
public:
  explicit Write(const fs::path &path) : path(path), target(findTarget(path)) {
    if (target.isInPlace)
      return;
    exists = ::stat(target.path.c_str(), &former) == 0;
    if (exists && S_ISDIR(former.st_mode)) {
      errno = EISDIR;
      failErrno(path, "write");
    }
    staging = std::make_unique<StagingFolder>(target.path);
  }

  void write(std::span<const std::string_view> pieces) {
    uint64_t size = 0, offset = 0;
    for (std::string_view piece : pieces)
      size += piece.size();
    OutputFile file =
        staging ? OutputFile::create(staging->content(), path.string(), size) : OutputFile::openInPlace(path);
    for (std::string_view piece : pieces) {
      if (staging)
        file.writeAt(offset, getBytes(piece));
      else
        file.append(getBytes(piece));
      offset += piece.size();
    }
    file.close();
    if (staging && exists)
      ::chmod(staging->content().c_str(), former.st_mode & 07777);
  }

  /// `keepsFormer`: keeps the previous file, so that undo can restore it.
  void publish(bool keepsFormer) {
    if (!staging)
      return;
    keepsFormer &= exists;
    keepsFormer ? staging->exchange(target.path) : staging->publish(target.path);
    (keepsFormer ? isExchanged : isPublished) = true;
  }

  void undo() {
    if (isExchanged)
      staging->exchange(target.path);
    else if (isPublished)
      ::unlink(target.path.c_str());
  }

  void checkPermission() const {
    if (target.isInPlace && ::access(path.c_str(), W_OK) != 0)
      failErrno(path, "write");
  }

private:
  fs::path path;
  Target target;
  bool exists = false, isExchanged = false, isPublished = false;
  struct stat former = {};
  std::unique_ptr<StagingFolder> staging; ///< null: written in place
};

} // namespace

void writeFile(const fs::path &path, std::initializer_list<std::string_view> pieces) {
  Write write(path);
  write.write(pieces);
  write.publish(/*keepsFormer=*/false);
}

void writeFile(const fs::path &path, std::string_view bytes) { writeFile(path, {bytes}); }

void writeFiles(const std::vector<std::pair<fs::path, std::string_view>> &files) {
  std::vector<Write> writes;
  for (const auto &[path, bytes] : files)
    writes.emplace_back(path).write({&bytes, 1});
  SignalsHeld held;
  try {
    for (Write &write : writes)
      write.publish(/*keepsFormer=*/writes.size() > 1);
  } catch (...) {
    for (Write &write : writes)
      write.undo();
    throw;
  }
}

void checkWritable(const fs::path &path) { Write(path).checkPermission(); }

} // namespace nstf::support
