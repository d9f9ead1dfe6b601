// The kernels and tuning from which a compilation chooses: those of templates/, and those of the user's folder (nstfc
// --templates=DIR), which override them. The folder has the same layout:
//
//   kernels/softmax.mlir                     replaces the shipped one, or adds a kernel under a new name
//   tuning/templates.yaml                    which operation uses which kernel; its rules precede the shipped ones
//   tuning/buckets.yaml                      replaces the shipped one
//   tuning/default/softmax/f32.yaml          replaces the shipped one; likewise tuning/gfx942/softmax/f32.yaml
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf {

class TemplateFiles {
public:
  /// Only the files of templates/.
  TemplateFiles() = default;
  /// Throws std::runtime_error if `folder` is not a folder, or has a file that would never be read.
  explicit TemplateFiles(const std::filesystem::path &folder);
  static const TemplateFiles &getShipped();

  /// The text of a file such as "kernels/softmax.mlir". It lives as long as this object.
  std::optional<std::string_view> find(const std::string &name) const;
  /// The path for messages: "templates/kernels/softmax.mlir", or a path below the user's folder.
  std::string getPath(const std::string &name) const;
  /// The path as --explain shows it: without "templates/" for a shipped file.
  std::string getShortPath(const std::string &name) const;
  bool isOwn(const std::string &name) const { return own.contains(name); }
  /// The names of all files, sorted.
  std::vector<std::string> list() const;

private:
  std::filesystem::path folder;
  std::map<std::string, std::string> own; ///< texts by name
};

} // namespace nstf
