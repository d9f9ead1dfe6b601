#include "compiler/package/PackageFolder.h"
#include "support/Json.h"
#include "support/MappedFile.h"
#include "support/Path.h"

#include <set>
#include <span>
#include <stdexcept>
#include <sys/stat.h>

namespace nstf {

namespace fs = std::filesystem;

/// The names of all files of a package with this manifest; empty if the file is not a package's manifest.
static std::set<std::string> filesOfPackage(const fs::path &manifestFile) {
  nlohmann::json document;
  try {
    document = support::parseJson(support::readTextFile(manifestFile), manifestFile.string());
  } catch (const std::exception &) {
    return {};
  }
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
  add("/model/tokenizer/special_tokens");
  add("/model/tokenizer/added_tokens");
  add("/model/tokenizer/chat_template");
  if (document.contains("targets") && document["targets"].is_array())
    for (size_t i = 0; i < document["targets"].size(); ++i)
      add(("/targets/" + std::to_string(i) + "/code_object").c_str());
  return names;
}

/// Whether `target` is a package, which may be replaced; false if it does not exist or is an empty folder. Throws if it
/// is anything else.
static bool checkReplaceable(const fs::path &target) {
  std::error_code error;
  fs::file_status status = fs::status(target, error);
  if (!fs::exists(status))
    return false;
  std::string name = support::describePath(target);
  if (!fs::is_directory(status))
    throw std::runtime_error(name + ": expected a package folder or nothing but got " +
                             support::describeKind(status.type()));
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
                               support::describePath(entry.path().filename()) + "'");
  return true;
}

/// The folder of a package at `path`, after links are followed.
static fs::path findFolder(const fs::path &path) {
  fs::path target = support::findTarget(path).path;
  if (!fs::is_directory(target.parent_path()))
    throw std::runtime_error(support::describePath(target) + ": expected a folder '" +
                             support::describePath(target.parent_path()) + "' to write into but there is none");
  return target;
}

PackageFolder::PackageFolder(const fs::path &path) : target(findFolder(path)) {
  checkReplaceable(target);
  staging.emplace(target);
  if (mkdir(staging->content().c_str(), 0777) != 0)
    support::failErrno(target, "write");
}

support::OutputFile PackageFolder::create(const std::string &name, uint64_t size) {
  fs::path finalName = target / name;
  if (fs::path(name).has_parent_path() || name == "." || name == "..")
    throw std::runtime_error(support::describePath(finalName) + ": expected a file name without a folder");
  return support::OutputFile::create(staging->content() / name, finalName.string(), size);
}

void PackageFolder::write(const std::string &name, std::string_view bytes) {
  support::OutputFile file = create(name, bytes.size());
  file.writeAt(0, std::as_bytes(std::span(bytes.data(), bytes.size())));
  file.close();
}

void PackageFolder::commitAs(const fs::path &place) {
  if (checkReplaceable(place))
    staging->exchange(place); // the old package is removed with the staging folder
  else
    staging->publish(place);
  staging.reset();
}

} // namespace nstf
