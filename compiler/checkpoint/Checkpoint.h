// Checkpoints of safetensors files.
#pragma once

#include "support/SafeTensors.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::checkpoint {

/// The tensors of one or several files, with names that are unique over all files.
class Checkpoint {
public:
  struct Entry {
    const support::SafeTensorsFile *file = nullptr;
    const support::StoredTensor *tensor = nullptr;
    explicit operator bool() const { return tensor != nullptr; }
  };

  /// A checkpoint without tensors, for `--weights=random|none`.
  Checkpoint() = default;

  /// `path` is a safetensors file, an index (*.json with "weight_map") or a folder. In a folder, the first of
  /// model.safetensors.index.json, model.safetensors and any *.safetensors except adapters' is used. Throws
  /// support::InputError.
  static Checkpoint open(const std::string &path);

  /// The tensor of this name, or an Entry that is false if there is none. `optionalPrefix` may be at the beginning of
  /// `name` and missing in the files.
  Entry find(std::string_view name, std::string_view optionalPrefix = {}) const;
  /// The tensor at this offset of this file, or an Entry that is false if there is none.
  Entry findAt(std::string_view path, uint64_t offset) const;
  size_t size() const { return byName.size(); }
  /// The path that was opened, for messages.
  const std::string &path() const { return origin; }
  /// A note on files of the folder that look like checkpoints but are not read; empty if there are none.
  const std::string &unread() const { return note; }

private:
  void add(const std::string &path);
  void addIndex(const std::string &path);
  void addFolder(const std::filesystem::path &folder);

  std::string origin, note;
  std::vector<std::unique_ptr<support::SafeTensorsFile>> files;
  std::map<std::string, Entry, std::less<>> byName;
};

} // namespace nstf::checkpoint
