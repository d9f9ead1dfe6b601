// Files that appear whole or not at all (WriteFile.h): all are written beside their places first, and only when that
// went well renamed. A file that was there steps aside until the last one is in place.
#include "compiler/package/WriteFile.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

class AsideWriter {
public:
  ~AsideWriter() {
    for (Entry &entry : entries)
      if (!entry.isSpecial)
        undo(entry);
  }

  void write(const fs::path &path, std::string_view bytes) {
    // A link stays one; a device, such as /dev/null, must not become a file.
    std::error_code unknown;
    fs::path resolved = fs::weakly_canonical(path, unknown);
    Entry &entry = entries.emplace_back();
    entry.path = path;
    entry.file = unknown ? path : resolved;
    std::string suffix = std::to_string(getpid()) + "." + std::to_string(entries.size());
    entry.temporary = entry.file.string() + ".tmp" + suffix;
    entry.former = entry.file.string() + ".old" + suffix;
    entry.existed = fs::exists(entry.file, unknown);
    entry.isSpecial =
        entry.existed && !fs::is_regular_file(entry.file, unknown) && !fs::is_directory(entry.file, unknown);
    if (fs::is_directory(entry.file, unknown)) {
      errno = EISDIR;
      fail(entry);
    }
    std::ofstream stream(entry.isSpecial ? entry.file : entry.temporary, std::ios::binary | std::ios::trunc);
    if (stream)
      stream.write(bytes.data(), bytes.size());
    stream.close();
    if (!stream)
      fail(entry);
  }

  void commit() {
    for (Entry &entry : entries) {
      if (entry.isSpecial)
        continue;
      // One file alone is replaced at once; of several, the former ones come back where a later one fails.
      bool keep = entry.existed && entries.size() > 1;
      if (keep && std::rename(entry.file.c_str(), entry.former.c_str()) != 0)
        fail(entry);
      entry.isKept = keep;
      if (std::rename(entry.temporary.c_str(), entry.file.c_str()) != 0)
        fail(entry);
      entry.isInPlace = true;
    }
    std::error_code ignored;
    for (Entry &entry : entries)
      if (entry.isKept)
        fs::remove(entry.former, ignored);
    entries.clear();
  }

private:
  struct Entry {
    fs::path path, file, temporary, former;
    bool existed = false, isSpecial = false, isKept = false, isInPlace = false;
  };

  [[noreturn]] static void fail(const Entry &entry) {
    throw std::runtime_error(entry.path.string() + ": cannot write: " + std::strerror(errno));
  }

  static void undo(const Entry &entry) {
    std::error_code ignored;
    fs::remove(entry.temporary, ignored);
    if (entry.isKept)
      fs::rename(entry.former, entry.file, ignored);
    else if (entry.isInPlace && !entry.existed)
      fs::remove(entry.file, ignored);
  }

  std::vector<Entry> entries;
};

} // namespace

void nstf::writeFileAside(const fs::path &path, std::string_view bytes) { writeFilesAside({{path, bytes}}); }

void nstf::writeFilesAside(const std::vector<std::pair<fs::path, std::string_view>> &files) {
  AsideWriter writer;
  for (const auto &[path, bytes] : files)
    writer.write(path, bytes);
  writer.commit();
}
