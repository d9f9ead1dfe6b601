// Shipped templates and those of the user's folder (TemplateFiles.h).
#include "compiler/catalog/TemplateFiles.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "templates/Templates.h"

#include <regex>
#include <set>
#include <stdexcept>

using namespace nstf;

namespace fs = std::filesystem;

/// Whether the catalog ever reads a file of this name.
static bool isAskedFor(const std::string &name) {
  static const std::regex known(R"(kernels/\w+\.mlir|tuning/(buckets|templates)\.yaml|tuning/[\w.-]+/\w+/\w+\.yaml)");
  return std::regex_match(name, known);
}

TemplateFiles::TemplateFiles(const fs::path &folder) : folder(folder) {
  if (!fs::is_directory(folder))
    throw std::runtime_error(support::escape(folder.string()) +
                             ": expected a folder of kernels and tuning but there is none");
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
    std::string name = fs::relative(entry.path(), folder).generic_string();
    bool isTemplate = entry.is_regular_file() && (name.ends_with(".mlir") || name.ends_with(".yaml"));
    if (isTemplate && !isAskedFor(name))
      throw std::runtime_error(support::escape(entry.path().string()) +
                               ": expected kernels/NAME.mlir or tuning/CHIP/NAME/TYPE.yaml below " +
                               support::escape(folder.string()));
    if (isTemplate)
      own[name] = support::readTextFile(entry.path());
  }
  if (own.empty())
    throw std::runtime_error(support::escape(folder.string()) +
                             ": expected kernels/NAME.mlir or tuning/CHIP/NAME/TYPE.yaml but got neither");
}

const TemplateFiles &TemplateFiles::getShipped() {
  static const TemplateFiles shipped;
  return shipped;
}

std::optional<std::string_view> TemplateFiles::find(const std::string &name) const {
  auto known = own.find(name);
  return known != own.end() ? std::optional<std::string_view>(known->second) : templateText(name);
}

std::string TemplateFiles::getPath(const std::string &name) const {
  return isOwn(name) ? (folder / name).string() : "templates/" + name;
}

std::string TemplateFiles::getShortPath(const std::string &name) const { return isOwn(name) ? getPath(name) : name; }

std::vector<std::string> TemplateFiles::list() const {
  std::set<std::string> names;
  for (std::string_view name : templateNames())
    names.insert(std::string(name));
  for (const auto &[name, text] : own)
    names.insert(name);
  return {names.begin(), names.end()};
}
