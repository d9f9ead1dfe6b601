#include "support/Path.h"
#include "support/Escape.h"

#include <iterator>
#include <stdexcept>

namespace fs = std::filesystem;

namespace nstf::support {

std::string describePath(const fs::path &path) { return escape(path.native(), longLimit); }

void checkPath(const fs::path &path) {
  if (path.native().find('\0') != std::string::npos)
    throw std::runtime_error(describePath(path) + ": expected a path without a NUL character");
}

const char *describeKind(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a FIFO"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISCHR(mode)  ? "a character device"
         : S_ISBLK(mode)  ? "a block device"
         : S_ISREG(mode)  ? "a file"
                          : "something else";
}

Target findTarget(const fs::path &path) {
  checkPath(path);
  std::error_code error;
  auto check = [&] {
    if (error)
      throw std::runtime_error(describePath(path) + ": cannot write: " + error.message());
  };
  fs::file_status status = fs::status(path, error);
  bool isSpecial = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  fs::path place = fs::absolute(path, error);
  check();
  if (!place.has_filename()) // "model.nstf/"
    place = place.parent_path();
  for (int links = 0; !isSpecial && fs::is_symlink(fs::symlink_status(place, error)); ++links) {
    // A link of /proc, such as /dev/stdout, leads to what is open, whatever name it has or had.
    fs::path parent = fs::canonical(place.parent_path(), error);
    check();
    if (*std::next(parent.begin()) == "proc")
      return {place, true};
    if (links == 40)
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    check();
    place = parent / fs::read_symlink(place, error);
    check();
  }
  return {place, isSpecial};
}

} // namespace nstf::support
