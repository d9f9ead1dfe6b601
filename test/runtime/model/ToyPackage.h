// A package that runs, built without the compiler.
//
// GoodManifest's language model with a code object that clang builds from ToyKernels.c, weights, and a SentencePiece
// tokenizer of single characters that is trained on the spot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nstf::test {

/// The model's table entry for a token.
inline int tableValue(int token) { return 3 * token + 1; }
/// The greedy continuation of `ids` by `count` tokens, computed on the host.
std::vector<int32_t> expectedTokens(std::vector<int32_t> ids, int count);

/// The code object of ToyKernels.c for a target, built once per process. Throws std::runtime_error without clang.
const std::string &toyCodeObject(const std::string &target);
/// weights.bin: the table as f32, then 8 numbers as f16.
std::string toyWeights();

/// Writes everything except the manifest into `folder` and returns the manifest, complete with hashes.
nlohmann::json makeToyFiles(const std::filesystem::path &folder, const std::vector<std::string> &targets = {"gfx942"});
/// Also writes the manifest.
void makeToyPackage(const std::filesystem::path &folder, const std::vector<std::string> &targets = {"gfx942"});
/// Trains the tokenizer into `folder` and adds it to the manifest.
void addToyTokenizer(const std::filesystem::path &folder, nlohmann::json &manifest);

} // namespace nstf::test
