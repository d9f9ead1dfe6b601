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

/// A package on disk: its manifest, read and checked, and its files by name. Opening a package needs no device and
/// reads no weights.
class Package {
public:
  /// Throws std::runtime_error when there is no such folder or no manifest in it, and where parseManifest does.
  static Package open(const std::filesystem::path &folder);

  const manifest::Manifest &manifest() const { return contents; }
  const std::filesystem::path &folder() const { return root; }
  /// The path of a file that the manifest names: relative names are inside the package.
  std::filesystem::path resolve(const std::string &file) const { return root / file; }

  std::vector<std::string> targetIds() const;
  /// The target with this id, or the only one of this processor; throws std::runtime_error that lists the package's
  /// targets.
  const manifest::Target &target(std::string_view id) const;
  /// The bytes of a target's code object; throws std::runtime_error when the file is missing or its hash differs.
  std::string codeObject(const manifest::Target &target) const;
  /// The package's tokenizer, or the one in `file` if given; nullptr when the tokenizer's kind is "none". Throws
  /// std::runtime_error when the file is missing or broken, or makes ids that the model does not have.
  std::unique_ptr<Tokenizer> tokenizer(const std::filesystem::path &file = {}) const;
  /// The side files of the package's tokenizer.
  TokenizerSideFiles tokenizerSideFiles() const;

private:
  Package(std::filesystem::path root, manifest::Manifest contents)
      : root(std::move(root)), contents(std::move(contents)) {}

  std::filesystem::path root;
  manifest::Manifest contents;
};

} // namespace nstf::runtime
