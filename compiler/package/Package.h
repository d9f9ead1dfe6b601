// Writes a package: the folder `model.nstf` with manifest.json, code objects, weights, tokenizer and launcher
// (README.md describes each of them).
//
// The format is runtime/include/nstf/Manifest.h: whoever plans a model fills that structure, and says beside it where
// the bytes of every weight come from. This library turns it into files and knows nothing of MLIR.
//
// A package appears whole or not at all: everything is written into a folder beside the target, which takes its place
// by one rename. A folder that is not a package is never replaced.
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

/// A weight's bytes in a file, little-endian. Row-major and side by side, or with `view` apart from each other; its
/// offset is 0, and it has as many elements as the weight.
struct WeightInFile {
  std::string path;
  uint64_t offset = 0; ///< of the first byte, from the start of the file
  manifest::ElementType storedType = manifest::ElementType::F32;
  checkpoint::StridedView view = {};
};

/// A weight that is computed: `fillRow(i, bytes)` writes row i (all dimensions but the first) in the weight's type.
/// Called from several threads.
struct ComputedWeight {
  std::function<void(int64_t row, std::span<std::byte> bytes)> fillRow;
};

/// Where a weight's bytes come from; std::monostate: nowhere, as in a model without a checkpoint.
using WeightOrigin = std::variant<std::monostate, WeightInFile, ComputedWeight>;

struct PackageInputs {
  /// Everything but what the writer finds out: `sha256` and `codeObject` of targets, `source` of weights and the name
  /// of the tokenizer's file are filled in by it. Offsets of weights: see `layoutWeights`.
  manifest::Manifest manifest;
  /// One for each of manifest.weights.tensors.
  std::vector<WeightOrigin> weightOrigins;
  /// The code object of each of manifest.targets.
  std::vector<std::string> codeObjects;
  /// The file to copy where manifest.model.tokenizer.kind is not "none".
  std::string tokenizerFile;
  /// The tokenizer_config.json that goes with it, or empty; copied without a tokenizer too, as one may be given when
  /// the package runs.
  std::string tokenizerConfig;
  /// The special_tokens_map.json and the added_tokens.json that go with a SentencePiece model, or empty.
  std::string specialTokens, addedTokens;
  /// The text of a chat template; empty: none.
  std::string chatTemplate;
};

/// What a package has to pass before it takes its place.
struct PackageTrial {
  std::function<bool(const std::filesystem::path &package)> passes; ///< null: it passes
  std::filesystem::path failedPackage; ///< name, beside the package's, for one that doesn't pass; empty: it goes
};

/// Tensors start at multiples of this in the device's weight buffer and in weights.safetensors.
inline constexpr uint64_t weightAlignment = 256;

/// Gives every tensor its size and, in their order, its offset. Returns the size of the buffer; 0 without tensors.
/// Throws std::runtime_error where a size does not fit in 48 bits.
uint64_t layoutWeights(manifest::Weights &weights);

/// Writes the package to `folder`, in the mode manifest.weights.mode:
///
///   pack       every tensor in weights.safetensors, in the manifest's order, converted to its type
///   reference  tensors with a file stay there (absolute path, hash); computed ones and views whose elements lie apart
///              go into weights.safetensors
///   random     computed ones go into weights.safetensors; the others are generated at run time from the seed
///   none       the same, and the others are given at run time
///
/// Throws std::runtime_error and leaves nothing behind: a weight without bytes in mode pack or reference, a file that
/// is missing or too short, a type that cannot be converted, a folder in the way or not writable, a full disk; and
/// where the manifest contradicts itself, what its reader says.
///
/// Returns false where the package didn't pass its trial: then `folder` is what it was before.
bool writePackage(const std::filesystem::path &folder, PackageInputs inputs, const PackageTrial &trial = {});

/// Throws what writePackage would throw for the place alone: no folder to write into, something else in the way.
void checkPackagePlace(const std::filesystem::path &folder);

/// The manifest as the text of manifest.json: stable order of keys, the digest over all of it included.
struct ManifestText {
  std::string text, digest;
};
ManifestText makeManifestText(const manifest::Manifest &manifest);

} // namespace nstf
