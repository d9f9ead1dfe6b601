// Reads config.json's "quantization_config", which describes a checkpoint's linears: compressed-tensors, AWQ, GPTQ and
// fp8.
#pragma once

#include "compiler/description/Config.h"

#include <optional>
#include <regex>

namespace nstf::description {

/// The storage of a linear's matrix.
struct QuantizedLinear {
  enum Method { Pack, Bytes, Awq, Gptq, GptqV2, Floats, FloatBlocks } method;
  int64_t bits;
  int64_t group; ///< 0: the whole row
  bool zeros;
  int64_t scaleRows = 1;  ///< rows that share scales and zeros; 0: all
  bool symmetric = false; ///< stored zeros (GPTQ's) are all in the middle of the codes' range

  bool isFloat() const { return method == Floats || method == FloatBlocks; }
  /// Whether each code is one byte.
  bool isByte() const { return method == Bytes || isFloat(); }
};

class QuantizationConfig {
public:
  /// Returns nothing if the model is not quantised. Throws support::InputError for unknown or unsupported values.
  static std::optional<QuantizationConfig> read(const Config &config);

  /// The storage of the linear with this name ("model.layers.0.mlp.up_proj"); null: its weight is numbers.
  const QuantizedLinear *find(const std::string &module) const;
  /// The code type of linears' inputs, "i8" or "e4m3fnuz", whose rows get scales at run time; empty: numbers.
  const std::string &getActivations() const { return activations; }
  /// The reason why linears read numbers although the checkpoint requires codes; empty if there is no such conflict.
  const std::string &getActivationsFault() const { return activationsFault; }
  /// The code type of caches, likewise: "i8" or "e4m3fnuz"; empty: numbers.
  const std::string &getKvCache() const { return kvCache; }
  /// The file and the key, for messages.
  const std::string &getPlace() const { return place; }

private:
  /// A pattern: "Linear", a name, or "re:" and a regular expression that matches the beginning of a name.
  struct Target {
    bool isLinear;
    std::string name;
    std::optional<std::regex> expression;
    bool isPart = false; ///< also matches names that contain this one

    bool matches(const std::string &module) const;
  };
  Target readTarget(const nlohmann::json &value) const;
  std::vector<Target> readTargets(const nlohmann::json &list, const std::string &key) const;
  QuantizedLinear readWeights(const nlohmann::json &weights, const std::string &format) const;
  std::string readInputs(const nlohmann::json &inputs, const QuantizedLinear &weights);
  std::string readKvCache(const nlohmann::json &scheme) const;
  void readCompressedTensors(const nlohmann::json &object);
  void readAwq(const nlohmann::json &object);
  void readGptq(const nlohmann::json &object);
  void readFloat8(const nlohmann::json &object);
  void readBlocks(const nlohmann::json &blocks, QuantizedLinear &linear) const;
  int64_t readInteger(const nlohmann::json &object, std::initializer_list<const char *> keys) const;
  void check(const QuantizedLinear &linear) const;

  std::string place, activations, activationsFault, kvCache;
  std::vector<std::pair<std::vector<Target>, QuantizedLinear>> groups;
  std::vector<Target> ignored;
};

} // namespace nstf::description
