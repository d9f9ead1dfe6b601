// Writes a package: the folder `model.nstf` with manifest.json, code objects, weights, tokenizer and launcher
// (README.md describes each of them).
//
// The format is runtime/include/nstf/Manifest.h. The caller fills that structure and gives the origin of every weight's
// bytes. This library writes the files; it does not use MLIR.
//
// A package appears complete or not at all: everything is written into a folder beside the target, which one rename
// then moves to its place. A folder that is not a package is never replaced.
#pragma once

#include "compiler/checkpoint/StridedView.h"
#include "nstf/Manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nstf {

/// A weight's bytes in a file, little-endian, row-major and contiguous; or, with `view`, strided. The view's offset is
/// 0, and it has as many elements as the weight.
struct WeightInFile {
  std::string path;
  uint64_t offset = 0; ///< of the first byte, from the beginning of the file
  manifest::ElementType storedType = manifest::ElementType::F32;
  checkpoint::StridedView view = {};
};

/// A weight that is computed: `fillRow(i, bytes)` writes row i (all dimensions but the first) in the weight's type.
/// Called from several threads.
struct ComputedWeight {
  std::function<void(int64_t row, std::span<std::byte> bytes)> fillRow;
};

/// The origin of a weight's bytes; std::monostate: none, as in a model without a checkpoint.
using WeightOrigin = std::variant<std::monostate, WeightInFile, ComputedWeight>;

struct PackageInputs {
  /// All fields except those that the writer sets: `sha256` and `codeObject` of targets, `source` of weights and the
  /// name of the tokenizer's file. For offsets of weights see `layoutWeights`.
  manifest::Manifest manifest;
  /// The origins of the bytes of manifest.weights.tensors, in order.
  std::vector<WeightOrigin> weightOrigins;
  /// The code object of each of manifest.targets.
  std::vector<std::string> codeObjects;
  /// The file to copy if manifest.model.tokenizer.kind is not "none".
  std::string tokenizerFile;
  /// The tokenizer_config.json of the tokenizer, or empty. Copied even without a tokenizer, since one may be given when
  /// the package runs.
  std::string tokenizerConfig;
  /// The special_tokens_map.json and the added_tokens.json of a SentencePiece model, or empty.
  std::string specialTokens, addedTokens;
  /// The text of a chat template; empty: none.
  std::string chatTemplate;
};

/// A test that the package must pass before it is moved to its place.
struct PackageTrial {
  std::function<bool(const std::filesystem::path &package)> passes; ///< null: no test
  std::filesystem::path failedPackage; ///< name, beside the package's, for a package that fails; empty: it is removed
};

/// Alignment of tensors in the device's weight buffer and in weights.safetensors.
inline constexpr uint64_t weightAlignment = 256;

/// Sets every tensor's size and, in order, its offset. Returns the size of the buffer; 0 without tensors. Throws
/// std::runtime_error if a size does not fit in 48 bits.
uint64_t layoutWeights(manifest::Weights &weights);

/// Writes the package to `folder`, in the mode manifest.weights.mode:
///
///   pack       every tensor in weights.safetensors, in the manifest's order, converted to its type
///   reference  tensors in files stay there (absolute path, hash); computed ones and strided views go into
///              weights.safetensors
///   random     computed ones go into weights.safetensors; the others are generated at run time from the seed
///   none       computed ones go into weights.safetensors; the others are given at run time
///
/// On failure throws std::runtime_error and leaves no files behind: for a weight without bytes in mode pack or
/// reference, a file that is missing or too short, a type that cannot be converted, a folder that is in the way or not
/// writable, a full disk, or an inconsistent manifest (with its reader's message).
///
/// Returns false if the package fails its trial; then `folder` is unchanged.
bool writePackage(const std::filesystem::path &folder, PackageInputs inputs, const PackageTrial &trial = {});

/// Throws the errors of writePackage that concern the place alone: no parent folder, or something else in the way.
void checkPackagePlace(const std::filesystem::path &folder);

/// The text of manifest.json, with a stable order of keys. It includes the digest of all other content.
struct ManifestText {
  std::string text, digest;
};
ManifestText makeManifestText(const manifest::Manifest &manifest);

} // namespace nstf
