// Writes a package's files in order (Package.h); PackageFolder.h makes the result appear in one step.
#include "compiler/package/Package.h"

#include "compiler/package/LauncherText.h"
#include "compiler/package/PackageFolder.h"
#include "compiler/package/WeightWriter.h"
#include "support/MappedFile.h"
#include "support/Sha256.h"

#include <algorithm>
#include <stdexcept>

namespace nstf {

namespace fs = std::filesystem;

static void writeCodeObjects(PackageFolder &folder, PackageInputs &inputs) {
  auto &targets = inputs.manifest.targets;
  if (inputs.codeObjects.size() != targets.size())
    throw std::runtime_error("expected a code object for each of " + std::to_string(targets.size()) +
                             " targets but got " + std::to_string(inputs.codeObjects.size()));
  for (size_t i = 0; i < targets.size(); ++i) {
    std::string id = targets[i].id;
    std::replace(id.begin(), id.end(), ':', '-'); // ':' before the features of a target ID; unsafe in file names
    targets[i].codeObject = "kernels." + id + ".hsaco";
    targets[i].sha256 = support::sha256Hex(inputs.codeObjects[i]);
    folder.write(targets[i].codeObject, inputs.codeObjects[i]);
  }
}

static void copyFile(PackageFolder &folder, const fs::path &source, const std::string &name) {
  folder.write(name, support::MappedFile(source).text());
}

static void copyTokenizer(PackageFolder &folder, PackageInputs &inputs) {
  manifest::Tokenizer &tokenizer = inputs.manifest.model.tokenizer;
  auto copy = [&](const fs::path &source, const std::string &name, std::string &field) {
    field = source.empty() ? "" : name;
    if (!source.empty())
      copyFile(folder, source, name);
  };
  fs::path source = tokenizer.kind == "none" ? fs::path() : fs::path(inputs.tokenizerFile);
  // Any .json file may be a tokenizer's, even one named like a file of the package.
  copy(source, tokenizer.kind == "tokenizer_json" ? "tokenizer.json" : source.filename().string(), tokenizer.file);
  copy(inputs.tokenizerConfig, "tokenizer_config.json", tokenizer.config);
  copy(inputs.specialTokens, "special_tokens_map.json", tokenizer.specialTokens);
  copy(inputs.addedTokens, "added_tokens.json", tokenizer.addedTokens);
  if (!inputs.chatTemplate.empty()) {
    tokenizer.chatTemplate = "chat_template.jinja";
    folder.write(tokenizer.chatTemplate, inputs.chatTemplate);
  }
}

void checkPackagePlace(const fs::path &path) { PackageFolder folder(path); }

bool writePackage(const fs::path &path, PackageInputs inputs, const PackageTrial &trial) {
  if (inputs.weightOrigins.size() != inputs.manifest.weights.tensors.size())
    throw std::runtime_error("expected an origin for each of " +
                             std::to_string(inputs.manifest.weights.tensors.size()) + " weights but got " +
                             std::to_string(inputs.weightOrigins.size()));
  PackageFolder folder(path);
  writeCodeObjects(folder, inputs);
  copyTokenizer(folder, inputs);
  writeWeights(folder, inputs.manifest.weights, inputs.weightOrigins);
  auto [text, digest] = makeManifestText(inputs.manifest);
  // Parses the manifest with the package reader, so that no package is written that the reader would refuse.
  manifest::parseManifest(text, (path / "manifest.json").string());
  folder.write("manifest.json", text);
  folder.write("model.h", launcherHeaderText(inputs.manifest));
  folder.write("model.cpp", launcherSourceText(inputs.manifest, digest));
  bool isGood = !trial.passes || trial.passes(folder.path());
  if (isGood)
    folder.commit();
  else if (!trial.failedPackage.empty())
    folder.commitAs(folder.getTarget().parent_path() / trial.failedPackage.filename());
  return isGood;
}

} // namespace nstf
