// Tiny checkpoints of every architecture, and the results that Hugging Face's transformers compute for them
// (make_fixtures.py).
#pragma once

#include "nstf/FloatTypes.h"
#include "nstf/RandomWeights.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace nstf::test {

/// The max error of a compiled model's logits and hidden states.
constexpr double fixtureTolerance = 1e-4;

inline const std::filesystem::path fixtureFolder = std::filesystem::path(NSTF_SOURCE_DIR) / "test/models";

/// The folders here that have expected numbers, sorted.
inline std::vector<std::string> fixtureNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(fixtureFolder))
    if (std::filesystem::exists(entry.path() / "expected.json"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Fixture {
  explicit Fixture(const std::string &name)
      : config(read(name, "config.json")), expected(read(name, "expected.json")), name(name) {}

  /// Writes the checkpoint's folder.
  void write(const std::filesystem::path &folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << config.dump(1);
    size_t shards = expected["shards"];
    nlohmann::json places;
    for (size_t shard = 0; shard < shards; ++shard) {
      std::string file = shards == 1
                             ? "model.safetensors"
                             : "model-" + std::to_string(shard) + "-of-" + std::to_string(shards) + ".safetensors";
      nlohmann::json header = nlohmann::json::object();
      std::string data;
      for (size_t i = shard; i < expected["tensors"].size(); i += shards) {
        const nlohmann::json &tensor = expected["tensors"][i];
        std::string bytes = numbers(tensor[1], tensor[2]);
        header[std::string(tensor[0])] = {{"dtype", expected["type"]},
                                          {"shape", tensor[2]},
                                          {"data_offsets", {data.size(), data.size() + bytes.size()}}};
        places[std::string(tensor[0])] = file;
        data += bytes;
      }
      std::string text = header.dump();
      uint64_t length = text.size();
      std::ofstream(folder / file, std::ios::binary)
          << std::string(reinterpret_cast<const char *>(&length), 8) << text << data;
    }
    if (shards > 1)
      std::ofstream(folder / "model.safetensors.index.json") << nlohmann::json{{"weight_map", places}}.dump();
  }

  /// A list of numbers, or of lists of them.
  static std::vector<double> flatten(const nlohmann::json &value) {
    if (!value[0].is_array())
      return value;
    std::vector<double> all;
    for (const nlohmann::json &row : value)
      all.insert(all.end(), row.begin(), row.end());
    return all;
  }

  bool isEncoder() const { return config["model_type"] == "bert"; }
  /// A description of the architecture, for architectures that NSTF does not ship; else none.
  std::vector<std::string> architectures() const {
    std::filesystem::path file = fixtureFolder / name / "architecture.yaml";
    return std::filesystem::exists(file) ? std::vector{file.string()} : std::vector<std::string>();
  }
  /// 0: the model's own context is compiled.
  int64_t context() const { return expected.value("context", 0); }

  /// `expected` has every `columns`th column of the logits.
  size_t columns() const { return expected.value("columns", 1); }

  nlohmann::json config, expected;
  std::string name;

private:
  static nlohmann::json read(const std::string &name, const std::string &file) {
    std::ifstream in(fixtureFolder / name / file);
    return nlohmann::json::parse(in);
  }

  std::string numbers(const std::string &tensor, const std::vector<int64_t> &shape) const {
    RandomWeights random(/*seed=*/1, tensor, shape.data(), shape.size());
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    std::vector<float> values(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = random(i);
    using enum manifest::ElementType;
    auto type = expected["type"] == "F32" ? F32 : expected["type"] == "F16" ? F16 : BF16;
    std::string bytes(count * manifest::sizeOf(type), '\0');
    convertNumbers(reinterpret_cast<const std::byte *>(values.data()), F32, reinterpret_cast<std::byte *>(bytes.data()),
                   type, count);
    return bytes;
  }
};

/// "gpt2-erf" as a name of a test.
inline std::string fixtureTestName(const ::testing::TestParamInfo<std::string> &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

} // namespace nstf::test
