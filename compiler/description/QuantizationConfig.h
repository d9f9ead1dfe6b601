// What config.json's "quantization_config" says of a checkpoint's linears: compressed-tensors, AWQ, GPTQ and fp8.
#pragma once

#include "compiler/description/Config.h"

#include <optional>
#include <regex>

namespace nstf::description {

/// How the matrix of a linear is stored.
struct QuantizedLinear {
  enum Method { Pack, Bytes, Awq, Gptq, GptqV2, Floats, FloatBlocks } method;
  int64_t bits;
  int64_t group; ///< 0: the row
  bool zeros;
  int64_t scaleRows = 1;  ///< that share scales and zeros; 0: all
  bool symmetric = false; ///< zeros that are there, GPTQ's, are all in the middle

  bool isFloat() const { return method == Floats || method == FloatBlocks; }
  /// A byte a code.
  bool isByte() const { return method == Bytes || isFloat(); }
};

class QuantizationConfig {
public:
  /// Nothing where the model is not quantised. Throws support::InputError for what is unknown or not read here.
  static std::optional<QuantizationConfig> read(const Config &config);

  /// Of the linear of this name ("model.layers.0.mlp.up_proj"); null: its weight is numbers.
  const QuantizedLinear *find(const std::string &module) const;
  /// Type of the codes of what linears read, each row with a scale that is found when it runs: "i8" or "e4m3fnuz";
  /// empty: numbers.
  const std::string &getActivations() const { return activations; }
  /// Why linears read numbers although the checkpoint has codes in mind; empty: they read what it says.
  const std::string &getActivationsFault() const { return activationsFault; }
  /// Type of the codes that caches hold, likewise: "i8" or "e4m3fnuz"; empty: numbers.
  const std::string &getKvCache() const { return kvCache; }
  /// The file and key, for messages.
  const std::string &getPlace() const { return place; }

private:
  /// "Linear", a name, or "re:" and an expression that a name begins with.
  struct Target {
    bool isLinear;
    std::string name;
    std::optional<std::regex> expression;
    bool isPart = false; ///< a name that is a part of another matches that too

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
