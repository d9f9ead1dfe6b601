// A package that runs, made without the compiler.
//
// GoodManifest's language model with a code object that clang makes of ToyKernels.c, weights, and a SentencePiece
// tokenizer of single characters trained on the spot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nstf::test {

/// What the model's table holds for a token.
inline int tableValue(int token) { return 3 * token + 1; }
/// The greedy continuation of `ids` by `count` tokens, computed here.
std::vector<int32_t> expectedTokens(std::vector<int32_t> ids, int count);

/// The code object of ToyKernels.c for a target; made once a process. Throws std::runtime_error without clang.
const std::string &toyCodeObject(const std::string &target);
/// weights.bin: the table as f32, then 8 numbers as f16.
std::string toyWeights();

/// Writes everything but the manifest into `folder` and returns the manifest, complete with hashes.
nlohmann::json makeToyFiles(const std::filesystem::path &folder, const std::vector<std::string> &targets = {"gfx942"});
/// The same with the manifest written.
void makeToyPackage(const std::filesystem::path &folder, const std::vector<std::string> &targets = {"gfx942"});
/// Trains the tokenizer into `folder` and names it in the manifest.
void addToyTokenizer(const std::filesystem::path &folder, nlohmann::json &manifest);

} // namespace nstf::test
