// The kernels and tuning that a compile chooses from: those of templates/, and over them those of a folder of one's own
// (nstfc --templates=DIR), which is laid out like it:
//
//   kernels/softmax.mlir                     in the place of the shipped one, or under a new name
//   tuning/templates.yaml                    which operation takes which kernel, asked before the shipped rules
//   tuning/buckets.yaml                      in the place of the shipped one
//   tuning/default/softmax/f32.yaml          in the place of the shipped one; tuning/gfx942/softmax/f32.yaml
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
  /// Those of templates/ alone.
  TemplateFiles() = default;
  /// Throws std::runtime_error where `folder` is no folder, or has a file that would never be read.
  explicit TemplateFiles(const std::filesystem::path &folder);
  static const TemplateFiles &getShipped();

  /// The text of "kernels/softmax.mlir"; lives as long as this does.
  std::optional<std::string_view> find(const std::string &name) const;
  /// Where its text stands, for messages: "templates/kernels/softmax.mlir" or a path below the folder.
  std::string getPath(const std::string &name) const;
  /// The same as people know it from --explain: a shipped file without "templates/".
  std::string getShortPath(const std::string &name) const;
  bool isOwn(const std::string &name) const { return own.contains(name); }
  /// All names, sorted.
  std::vector<std::string> list() const;

private:
  std::filesystem::path folder;
  std::map<std::string, std::string> own; ///< texts by name
};

} // namespace nstf
