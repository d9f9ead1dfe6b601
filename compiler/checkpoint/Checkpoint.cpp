#include "compiler/checkpoint/Checkpoint.h"

#include "support/Escape.h"
#include "support/InputError.h"
#include "support/Json.h"

#include <algorithm>
#include <filesystem>

using namespace nstf;
using namespace nstf::checkpoint;
using nlohmann::json;
namespace fs = std::filesystem;

void Checkpoint::add(const std::string &path) {
  auto file = std::make_unique<support::SafeTensorsFile>(path);
  for (const support::StoredTensor &tensor : file->tensors())
    if (auto [entry, isNew] = byName.try_emplace(tensor.name, Entry{file.get(), &tensor}); !isNew)
      throw support::InputError("'" + path + "': tensor '" + support::escape(tensor.name) + "' is also in '" +
                                entry->second.file->path() + "'");
  files.push_back(std::move(file));
}

void Checkpoint::addIndex(const std::string &path) {
  json index = support::parseJson(support::readTextFile(path), path);
  auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (map == index.end() || !map->is_object())
    throw support::InputError("'" + path + "': expected an object 'weight_map' from tensors to files but it has none");
  std::map<std::string, std::string> fileOf;
  for (const auto &[tensor, name] : map->items()) {
    // A plain file name: an index must not lead out of its folder.
    if (!name.is_string() || name.get<std::string>().empty() ||
        fs::path(name.get<std::string>()).filename() != name.get<std::string>())
      throw support::InputError("'" + path + "': tensor '" + support::escape(tensor) +
                                "': expected the name of a file in the same folder but got " +
                                support::describeJson(name));
    fileOf[tensor] = name.get<std::string>();
  }
  std::map<std::string, bool> opened;
  for (const auto &[tensor, name] : fileOf)
    if (fs::path file = fs::path(path).parent_path() / name; opened.try_emplace(name, true).second) {
      if (!fs::exists(file))
        throw support::InputError("'" + path + "': expected the file '" + support::escape(name) +
                                  "', which should hold tensor '" + support::escape(tensor) +
                                  "', beside it but there is none");
      add(file.string());
    }
  for (const auto &[tensor, name] : fileOf) {
    Entry entry = find(tensor);
    if (!entry || fs::path(entry.file->path()).filename() != name)
      throw support::InputError("'" + path + "': tensor '" + support::escape(tensor) + "' is not in '" +
                                support::escape(name) + "', where the index says it is");
  }
}

Checkpoint Checkpoint::open(const std::string &path) {
  Checkpoint checkpoint;
  checkpoint.origin = path;
  if (!fs::is_directory(path)) {
    if (fs::path(path).extension() == ".json")
      checkpoint.addIndex(path);
    else
      checkpoint.add(path);
    return checkpoint;
  }
  fs::path folder(path);
  if (fs::exists(folder / "model.safetensors.index.json")) {
    checkpoint.addIndex((folder / "model.safetensors.index.json").string());
  } else if (fs::exists(folder / "model.safetensors")) {
    checkpoint.add((folder / "model.safetensors").string());
  } else {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".safetensors")
        found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    if (found.empty())
      throw support::InputError("'" + path + "': expected a file *.safetensors but there is none");
    for (const std::string &file : found)
      checkpoint.add(file);
  }
  return checkpoint;
}

Checkpoint::Entry Checkpoint::find(std::string_view name, std::string_view optionalPrefix) const {
  auto found = byName.find(name);
  if (found == byName.end() && name.starts_with(optionalPrefix))
    found = byName.find(name.substr(optionalPrefix.size()));
  return found == byName.end() ? Entry{} : found->second;
}

Checkpoint::Entry Checkpoint::findAt(std::string_view path, uint64_t offset) const {
  for (const auto &[name, entry] : byName)
    if (entry.tensor->offset == offset && entry.file->path() == path)
      return entry;
  return {};
}
