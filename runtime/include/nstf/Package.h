// A model.nstf folder.
#pragma once

#include "nstf/Manifest.h"
#include "nstf/Tokenizer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

/// A package on disk: its manifest, read and checked, and its files by name. Opening one needs no device and reads no
/// weights.
class Package {
public:
  /// Throws std::runtime_error: no such folder, no manifest in it, or what parseManifest says of it.
  static Package open(const std::filesystem::path &folder);

  const manifest::Manifest &manifest() const { return contents; }
  const std::filesystem::path &folder() const { return root; }
  /// Where a file named in the manifest is: relative names are inside the package.
  std::filesystem::path resolve(const std::string &file) const { return root / file; }

  std::vector<std::string> targetIds() const;
  /// The target of that id, or the only one of that processor; throws std::runtime_error that lists the known ones.
  const manifest::Target &target(std::string_view id) const;
  /// The bytes of a target's code object; throws std::runtime_error when the file is missing or its hash differs.
  std::string codeObject(const manifest::Target &target) const;
  /// The package's tokenizer, nullptr when its kind is "none"; or the one in `file`, where that is given. Throws
  /// std::runtime_error when the file is missing or broken, or makes ids the model does not have.
  std::unique_ptr<Tokenizer> tokenizer(const std::filesystem::path &file = {}) const;
  /// What lies beside the package's tokenizer.
  TokenizerSideFiles tokenizerSideFiles() const;

private:
  Package(std::filesystem::path root, manifest::Manifest contents)
      : root(std::move(root)), contents(std::move(contents)) {}

  std::filesystem::path root;
  manifest::Manifest contents;
};

} // namespace nstf::runtime
