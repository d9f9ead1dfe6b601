// See PackageFolder.h. Linux' renameat2 exchanges two folders in one step; where a file system lacks it, the old
// package is moved aside, the new one into its place, and back again if that fails.
#include "compiler/package/PackageFolder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace nstf {

namespace fs = std::filesystem;

[[noreturn]] static void failErrno(const std::string &name, const char *action) {
  throw std::runtime_error(name + ": cannot " + action + ": " + std::strerror(errno));
}

PackageFile::PackageFile(PackageFile &&other)
    : descriptor(std::exchange(other.descriptor, -1)), name(std::move(other.name)) {}

PackageFile::~PackageFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

void PackageFile::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      failErrno(name, "write");
    bytes = bytes.subspan(written);
    offset += written;
  }
}

void PackageFile::close() {
  if (::close(std::exchange(descriptor, -1)) != 0)
    failErrno(name, "write");
}

/// The names of the files a package with this manifest has. Empty: it is no package's manifest.
static std::set<std::string> filesOfPackage(const fs::path &manifestFile) {
  std::ifstream file(manifestFile);
  auto document = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("format", nlohmann::json()) != "nstf-package")
    return {};
  std::set<std::string> names = {"manifest.json", "weights.safetensors", "model.h", "model.cpp"};
  auto add = [&](const char *pointer) {
    auto value = document.value(nlohmann::json::json_pointer(pointer), nlohmann::json());
    if (value.is_string())
      names.insert(value.get<std::string>());
  };
  add("/model/tokenizer/file");
  add("/model/tokenizer/config");
  add("/model/tokenizer/chat_template");
  if (document.contains("targets") && document["targets"].is_array())
    for (size_t i = 0; i < document["targets"].size(); ++i)
      add(("/targets/" + std::to_string(i) + "/code_object").c_str());
  return names;
}

/// Whether `target` is a package that may be replaced (false: nothing is there, or an empty folder). Throws where
/// something else is in the way.
static bool checkReplaceable(const fs::path &target) {
  std::error_code error;
  fs::file_status status = fs::status(target, error);
  if (!fs::exists(status))
    return false;
  std::string name = target.string();
  if (!fs::is_directory(status))
    throw std::runtime_error(name + ": expected a package folder or nothing but got a file");
  if (fs::is_empty(target, error) && !error)
    return false;
  std::set<std::string> known = filesOfPackage(target / "manifest.json");
  if (known.empty())
    throw std::runtime_error(name + ": expected a package or nothing but got a folder that is not a package");
  fs::directory_iterator entries(target, error);
  if (error)
    throw std::runtime_error(name + ": cannot read: " + error.message());
  for (const fs::directory_entry &entry : entries)
    if (!known.count(entry.path().filename().string()))
      throw std::runtime_error(name + ": expected only files of the package to be replaced but got '" +
                               entry.path().filename().string() + "'");
  return true;
}

PackageFolder::PackageFolder(const fs::path &path) : target(fs::absolute(path).lexically_normal()) {
  if (!target.has_filename()) // "model.nstf/"
    target = target.parent_path();
  std::error_code error;
  if (fs::is_symlink(target, error)) // the package is where the link points
    target = fs::canonical(target);
  replaces = checkReplaceable(target);
  fs::path parent = target.parent_path();
  if (!fs::is_directory(parent, error))
    throw std::runtime_error(target.string() + ": expected a folder '" + parent.string() +
                             "' to write into but there is none");
  for (int attempt = 0;; ++attempt) {
    temporary = parent / ("." + target.filename().string() + ".writing-" + std::to_string(getpid()) + "-" +
                          std::to_string(attempt));
    if (mkdir(temporary.c_str(), 0777) == 0)
      return;
    if (errno != EEXIST)
      failErrno(target.string(), "create");
  }
}

PackageFolder::~PackageFolder() {
  std::error_code ignored;
  if (!temporary.empty())
    fs::remove_all(temporary, ignored);
}

PackageFile PackageFolder::create(const std::string &name, std::uint64_t size) {
  std::string finalName = (target / name).string();
  if (fs::path(name).has_parent_path() || name == "." || name == "..")
    throw std::runtime_error(finalName + ": expected a file name without a folder");
  int descriptor = open((temporary / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    failErrno(finalName, "create");
  PackageFile file(descriptor, finalName);
  if (size != 0 && fallocate(descriptor, 0, 0, static_cast<off_t>(size)) != 0) {
    if (errno != EOPNOTSUPP && errno != ENOSYS)
      failErrno(finalName, "write");
    if (ftruncate(descriptor, static_cast<off_t>(size)) != 0)
      failErrno(finalName, "write");
  }
  return file;
}

void PackageFolder::write(const std::string &name, std::string_view bytes) {
  PackageFile file = create(name, bytes.size());
  file.writeAt(0, std::as_bytes(std::span(bytes.data(), bytes.size())));
  file.close();
}

void PackageFolder::commit() {
  std::string name = target.string();
  if (!replaces) {
    if (rename(temporary.c_str(), target.c_str()) != 0)
      failErrno(name, "create");
    temporary.clear();
    return;
  }
  // After the exchange `temporary` is the old package, which the destructor removes.
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return;
  if (errno != ENOSYS && errno != EINVAL)
    failErrno(name, "replace");
  fs::path old = temporary;
  old += ".old";
  if (rename(target.c_str(), old.c_str()) != 0)
    failErrno(name, "replace");
  if (rename(temporary.c_str(), target.c_str()) != 0) {
    int reason = errno;
    rename(old.c_str(), target.c_str());
    errno = reason;
    failErrno(name, "replace");
  }
  temporary = old;
}

} // namespace nstf
