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
    // Only a plain file name: an index must not refer to files outside its folder.
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

/// Whether the file belongs to a LoRA adapter, which changes the weights of a model stored elsewhere.
static bool isOfAdapter(const std::string &name) { return name.starts_with("adapter_"); }

/// The names of a folder's files for which `isWanted` is true, sorted.
template <typename Predicate> static std::vector<std::string> listFiles(const fs::path &folder, Predicate isWanted) {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder))
    if (isWanted(entry.path()))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// "'a'", "'a' and 'b'", "'a' and 2 more".
static std::string describeNames(const std::vector<std::string> &names) {
  std::string text = "'" + support::escape(names.front()) + "'";
  if (names.size() == 2)
    text += " and '" + support::escape(names.back()) + "'";
  else if (names.size() > 2)
    text += " and " + std::to_string(names.size() - 1) + " more";
  return text;
}

static std::string isOrAre(const std::vector<std::string> &names) { return names.size() == 1 ? "is" : "are"; }

/// Describes the other formats that a folder without safetensors contains.
static std::string describeOthers(const fs::path &folder) {
  std::vector<std::string> adapters = listFiles(folder, [](const fs::path &file) {
    return file.extension() == ".safetensors" && isOfAdapter(file.filename().string());
  });
  if (!adapters.empty())
    return "got only " + describeNames(adapters) + ", an adapter's";
  std::vector<std::string> others = listFiles(folder, [](const fs::path &file) {
    static constexpr std::string_view formats[] = {".pt",   ".pth", ".ckpt",    ".gguf",
                                                   ".ggml", ".h5",  ".msgpack", ".onnx"};
    std::string extension = file.extension().string();
    return std::ranges::find(formats, extension) != std::end(formats) ||
           (extension == ".bin" && file.filename().string().starts_with("pytorch_model"));
  });
  return others.empty() ? "there is none"
                        : "got only " + describeNames(others) + ", which " + isOrAre(others) + " not read";
}

void Checkpoint::addFolder(const fs::path &folder) {
  std::vector<std::string> found = listFiles(folder, [](const fs::path &file) {
    return file.extension() == ".safetensors" && !isOfAdapter(file.filename().string());
  });
  std::string chosen = "model.safetensors.index.json";
  if (fs::exists(folder / chosen)) {
    addIndex((folder / chosen).string());
  } else if (chosen = "model.safetensors"; fs::exists(folder / chosen)) {
    add((folder / chosen).string());
  } else {
    if (found.empty())
      throw support::InputError("'" + origin + "': expected a file *.safetensors but " + describeOthers(folder));
    for (const std::string &file : found)
      add((folder / file).string());
  }
  for (const auto &file : files)
    std::erase(found, fs::path(file->path()).filename().string());
  if (!found.empty())
    note = "'" + (folder / chosen).string() + "' is read; " + describeNames(found) + " beside it " + isOrAre(found) +
           " not";
}

Checkpoint Checkpoint::open(const std::string &path) {
  Checkpoint checkpoint;
  checkpoint.origin = path;
  if (fs::is_directory(path))
    checkpoint.addFolder(path);
  else if (fs::path(path).extension() == ".json")
    checkpoint.addIndex(path);
  else
    checkpoint.add(path);
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
