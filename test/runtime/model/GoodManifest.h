// A manifest that has one of everything, for tests to break.
//
// It describes a language model that is small enough to read: vocabulary 32, context 16, one state, two buckets of two
// steps. The kernels are those of ToyKernels.c; GoodManifest alone needs no code object.
#pragma once

#include "support/Sha256.h"

#include <nlohmann/json.hpp>
#include <string>

namespace nstf::test {

inline nlohmann::json kernelArgument(const std::string &name, int index, const std::string &type, nlohmann::json shape,
                                     const std::string &access) {
  return {{"name", name}, {"offset", 8 * index},       {"size", 8},      {"kind", "buffer"},
          {"type", type}, {"shape", std::move(shape)}, {"alignment", 4}, {"access", access}};
}

inline nlohmann::json kernel(const std::string &symbol, nlohmann::json block, nlohmann::json arguments,
                             nlohmann::json tiling) {
  std::size_t size = 8 * arguments.size();
  return {{"symbol", symbol},
          {"template", symbol},
          {"wave_size", 64},
          {"block", std::move(block)},
          {"lds", 0},
          {"vgprs", 16},
          {"agprs", 0},
          {"sgprs", 24},
          {"scratch", 0},
          {"spills", 0},
          {"occupancy", 8},
          {"kernarg_size", size},
          {"tiling", std::move(tiling)},
          {"arguments", std::move(arguments)}};
}

inline nlohmann::json goodBucket(int minTokens, int maxTokens) {
  nlohmann::json append = {{"name", "append"}, {"kernel", "append"}, {"grid", {maxTokens, 1, 1}},
                           {"device", 0},      {"queue", 0},         {"after", nlohmann::json::array()}};
  append["arguments"] = {{{"buffer", "control"}, {"offset", 0}},
                         {{"buffer", "ids"}, {"offset", 0}},
                         {{"buffer", "weights"}, {"offset", 0}},
                         {{"buffer", "cache"}, {"offset", 0}}};
  nlohmann::json score = {{"name", "score"}, {"kernel", "score"}, {"grid", {1, 1, 1}},
                          {"device", 0},     {"queue", 0},        {"after", {0}}};
  score["arguments"] = {{{"buffer", "control"}, {"offset", 0}},
                        {{"buffer", "cache"}, {"offset", 0}},
                        {{"buffer", "arena"}, {"offset", 128}},
                        {{"buffer", "logits"}, {"offset", 0}},
                        {{"buffer", "next"}, {"offset", 0}}};
  return {{"min_tokens", minTokens}, {"max_tokens", maxTokens}, {"steps", {append, score}}};
}

inline nlohmann::json goodManifest() {
  nlohmann::json manifest = {{"format", "nstf-package"}, {"version", 4}, {"compiler", "by hand"}};
  manifest["model"] = {
      {"name", "toy"}, {"architecture", "sum"},          {"context", 16}, {"vocabulary", 32}, {"bos", 1},
      {"eos", {2}},    {"tokenizer", {{"kind", "none"}}}};
  manifest["model"]["sampling"] = {{"do_sample", true}, {"top_k", 3}, {"top_p", 0.5}};
  manifest["inputs"] = {{{"name", "ids"}, {"type", "i32"}, {"shape", {"tokens"}}, {"buffer", "ids"}, {"limit", 32}}};
  manifest["outputs"] = {{{"name", "logits"}, {"type", "f32"}, {"shape", {1, 32}}, {"buffer", "logits"}},
                         {{"name", "next"}, {"type", "i32"}, {"shape", {1}}, {"buffer", "next"}}};
  manifest["control"] = {{"size", 64}, {"fields", {{"tokens", 0}, {"position", 4}}}};
  manifest["buffers"] = {{{"name", "weights"}, {"kind", "weights"}, {"size", 256}},
                         {{"name", "arena"}, {"kind", "arena"}, {"size", 256}},
                         {{"name", "control"}, {"kind", "control"}, {"size", 64}},
                         {{"name", "ids"}, {"kind", "input"}, {"size", 16}},
                         {{"name", "logits"}, {"kind", "output"}, {"size", 128}},
                         {{"name", "next"}, {"kind", "output"}, {"size", 4}},
                         {{"name", "cache"}, {"kind", "state"}, {"size", 64}, {"type", "i32"}, {"shape", {16, 1}}}};
  manifest["weights"] = {{"mode", "pack"}, {"seed", 0}};
  manifest["weights"]["tensors"] = {{{"name", "table"},
                                     {"type", "f32"},
                                     {"shape", {32, 1}},
                                     {"offset", 0},
                                     {"size", 128},
                                     {"source", {{"file", "weights.bin"}, {"offset", 0}, {"stored_type", "f32"}}}},
                                    {{"name", "bias"},
                                     {"type", "f32"},
                                     {"shape", {8}},
                                     {"offset", 128},
                                     {"size", 32},
                                     {"source", {{"file", "weights.bin"}, {"offset", 128}, {"stored_type", "f16"}}}}};
  nlohmann::json target = {{"id", "gfx942"},
                           {"code_object", "kernels.gfx942.hsaco"},
                           {"code_object_version", 5},
                           {"sha256", std::string(64, '0')}};
  target["kernels"] = {
      kernel("append", {1, 1, 1},
             {kernelArgument("control", 0, "i32", {16}, "read"), kernelArgument("ids", 1, "i32", {"tokens"}, "read"),
              kernelArgument("table", 2, "f32", {32, 1}, "read"),
              kernelArgument("cache", 3, "i32", {16, 1}, "read_write")},
             {{{"per_token", 1}, {"tile", 1}}}),
      kernel("score", {32, 1, 1},
             {kernelArgument("control", 0, "i32", {16}, "read"), kernelArgument("cache", 1, "i32", {16, 1}, "read"),
              kernelArgument("sums", 2, "i32", {32}, "write"), kernelArgument("logits", 3, "f32", {1, 32}, "write"),
              kernelArgument("next", 4, "i32", {1}, "write")},
             {{{"extent", 32}, {"tile", 32}}})};
  target["arena"] = {
      {"peak", 256},
      {"values", {{{"name", "sums"}, {"offset", 128}, {"size", 128}, {"first_step", 1}, {"last_step", 1}}}}};
  target["buckets"] = {goodBucket(1, 1), goodBucket(2, 4)};
  manifest["targets"] = {target};
  return manifest;
}

/// Returns the document with its digest.
inline nlohmann::json sealed(nlohmann::json document) {
  document.erase("digest");
  document["digest"] = support::sha256Hex(document.dump());
  return document;
}

} // namespace nstf::test
