#include "support/Path.h"
#include "support/Escape.h"

#include <iterator>
#include <stdexcept>

namespace fs = std::filesystem;

namespace nstf::support {

std::string describePath(const fs::path &path) {
  constexpr size_t nameLimit = 255; // no file system has longer names
  std::string result;
  std::string_view rest = path.native();
  for (size_t slash; (slash = rest.find('/')) != rest.npos && result.size() < longLimit;) {
    result += escape(rest.substr(0, slash), nameLimit) + "/";
    rest.remove_prefix(slash + 1);
  }
  return escape(result + escape(rest, nameLimit), longLimit);
}

void checkPath(const fs::path &path) {
  if (path.native().find('\0') != std::string::npos)
    throw std::runtime_error(describePath(path) + ": expected a path without a NUL character");
}

const char *describeKind(fs::file_type type) {
  switch (type) {
  case fs::file_type::regular:
    return "a file";
  case fs::file_type::directory:
    return "a folder";
  case fs::file_type::fifo:
    return "a FIFO";
  case fs::file_type::socket:
    return "a socket";
  case fs::file_type::character:
    return "a character device";
  case fs::file_type::block:
    return "a block device";
  default:
    return "something else";
  }
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
  if (!place.has_filename()) // a path with a slash at its end, "model.nstf/"
    place = place.parent_path();
  for (int links = 0; !isSpecial && fs::is_symlink(fs::symlink_status(place, error)); ++links) {
    // A link of /proc, such as /dev/stdout, refers to an open file, even if that file was renamed or deleted.
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
