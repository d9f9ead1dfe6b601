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

/// The tensors of one or several files under one set of names.
class Checkpoint {
public:
  struct Entry {
    const support::SafeTensorsFile *file = nullptr;
    const support::StoredTensor *tensor = nullptr;
    explicit operator bool() const { return tensor != nullptr; }
  };

  /// No tensors: what `--weights=random|none` imports with.
  Checkpoint() = default;

  /// `path` is a safetensors file, an index (*.json with "weight_map") or a folder with model.safetensors.index.json,
  /// model.safetensors or any *.safetensors but adapters', looked for in this order. Throws support::InputError.
  static Checkpoint open(const std::string &path);

  /// An Entry that is false when there is no such tensor. `optionalPrefix` is what the name may start with here and
  /// lack in the files.
  Entry find(std::string_view name, std::string_view optionalPrefix = {}) const;
  /// The tensor at this place of this file; an Entry that is false where there is none.
  Entry findAt(std::string_view path, uint64_t offset) const;
  size_t size() const { return byName.size(); }
  /// What was opened, for messages.
  const std::string &path() const { return origin; }
  /// Which files of the folder could have been meant and are not read; empty: there are none.
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
