#include "nstf/Package.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Path.h"
#include "support/Sha256.h"

#include <stdexcept>

namespace nstf::runtime {

Package Package::open(const std::filesystem::path &folder) {
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(folder, error);
  if (!std::filesystem::exists(status))
    throw std::runtime_error(support::describePath(folder) + ": expected a package folder but there is no such folder");
  if (!std::filesystem::is_directory(status))
    throw std::runtime_error(support::describePath(folder) + ": expected a package folder but it is a file");
  return Package(folder, manifest::readManifest(folder / "manifest.json"));
}

std::vector<std::string> Package::targetIds() const {
  std::vector<std::string> ids;
  for (const manifest::Target &target : contents.targets)
    ids.push_back(target.id);
  return ids;
}

const manifest::Target &Package::target(std::string_view id) const {
  const manifest::Target *found = nullptr;
  std::vector<std::string> known;
  for (const manifest::Target &target : contents.targets) {
    if (target.id == id || (!target.name.empty() && target.name == id))
      return target;
    if (manifest::processorOf(target.id) == id)
      found = found ? nullptr : &target;
    known.push_back(target.id);
  }
  if (found)
    return *found;
  throw std::runtime_error(root.string() + ": expected one of the package's targets (" + support::listNames(known) +
                           ") but got \"" + support::escape(id) + "\"");
}

std::string Package::codeObject(const manifest::Target &target) const {
  std::filesystem::path file = resolve(target.codeObject);
  support::MappedFile mapped(file);
  constexpr std::size_t maxBytes = std::size_t(1) << 30;
  if (mapped.size() > maxBytes)
    throw std::runtime_error(file.string() + ": expected a code object of at most " + std::to_string(maxBytes) +
                             " bytes but got " + std::to_string(mapped.size()));
  std::string hash = support::sha256Hex(mapped.text());
  if (hash != target.sha256)
    throw std::runtime_error(file.string() + ": expected the code object with SHA-256 " + target.sha256 + " but got " +
                             hash + ": it was changed or not copied whole; compile the package again");
  return std::string(mapped.text());
}

TokenizerSideFiles Package::tokenizerSideFiles() const {
  const manifest::Tokenizer &tokenizer = contents.model.tokenizer;
  auto find = [&](const std::string &name) { return name.empty() ? std::filesystem::path() : resolve(name); };
  return {find(tokenizer.config), find(tokenizer.specialTokens), find(tokenizer.addedTokens)};
}

std::unique_ptr<Tokenizer> Package::tokenizer(const std::filesystem::path &given) const {
  const manifest::Model &model = contents.model;
  if (given.empty() && model.tokenizer.kind == "none")
    return nullptr;
  std::filesystem::path file = given.empty() ? resolve(model.tokenizer.file) : given;
  std::unique_ptr<Tokenizer> tokenizer =
      given.empty() ? Tokenizer::load(model.tokenizer.kind, file, tokenizerSideFiles()) : Tokenizer::load(given);
  if (model.vocabulary)
    tokenizer->fitTo(*model.vocabulary, file);
  return tokenizer;
}

} // namespace nstf::runtime
