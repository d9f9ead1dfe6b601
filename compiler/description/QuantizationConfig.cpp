#include "compiler/description/QuantizationConfig.h"

#include "support/Escape.h"
#include "support/InputError.h"
#include "support/Json.h"

#include <algorithm>
#include <map>

using namespace nstf;
using namespace nstf::description;
using nlohmann::json;

/// The value of an optional key; nullptr if it is absent or null.
static const json *lookUp(const json &object, const char *key) {
  auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

static std::string readText(const json &object, const char *key) {
  const json *value = lookUp(object, key);
  return value && value->is_string() ? value->get<std::string>() : "";
}

static bool isFalse(const json &object, const char *key) {
  const json *flag = lookUp(object, key);
  return flag && flag->is_boolean() && !flag->get<bool>();
}

bool QuantizationConfig::Target::matches(const std::string &module) const {
  return isLinear || name == module || (isPart && module.find(name) != std::string::npos) ||
         (expression && std::regex_search(module, *expression, std::regex_constants::match_continuous));
}

QuantizationConfig::Target QuantizationConfig::readTarget(const json &value) const {
  if (!value.is_string())
    throw support::InputError(place + ": expected names of linears but got " + support::describeJson(value));
  std::string name = value.get<std::string>();
  if (!name.starts_with("re:"))
    return {name == "Linear", name, {}};
  try {
    return {false, name, std::regex(name.substr(3))};
  } catch (const std::regex_error &error) {
    throw support::InputError(place + ": expected a regular expression but got '" + support::escape(name) +
                              "': " + error.what());
  }
}

std::vector<QuantizationConfig::Target> QuantizationConfig::readTargets(const json &list,
                                                                        const std::string &key) const {
  if (!list.is_array())
    throw support::InputError(place + ": expected '" + key + "' to be a list but got " + support::describeJson(list));
  std::vector<Target> targets;
  for (const json &value : list)
    targets.push_back(readTarget(value));
  return targets;
}

int64_t QuantizationConfig::readInteger(const json &object, std::initializer_list<const char *> keys) const {
  for (const char *key : keys)
    if (const json *value = lookUp(object, key)) {
      if (!value->is_number_integer())
        throw support::InputError(place + ": expected '" + key + "' to be a whole number but got " +
                                  support::describeJson(*value));
      return value->get<int64_t>();
    }
  throw support::InputError(place + ": expected a key '" + *keys.begin() + "' but it has none");
}

void QuantizationConfig::check(const QuantizedLinear &linear) const {
  bool wordsOnly = linear.method == QuantizedLinear::Gptq || linear.method == QuantizedLinear::GptqV2;
  bool known = linear.method == QuantizedLinear::Awq ? linear.bits == 4
               : linear.isByte()                     ? linear.bits == 8
               : wordsOnly                           ? linear.bits == 4 || linear.bits == 8
                                                     : linear.bits >= 4 && linear.bits <= 8 && linear.bits != 7;
  if (!known)
    throw support::InputError(place + ": expected " +
                              (linear.method == QuantizedLinear::Awq ? "4"
                               : linear.isByte()                     ? "8"
                               : wordsOnly                           ? "4 or 8"
                                                                     : "4, 5, 6 or 8") +
                              " bits but got " + std::to_string(linear.bits));
  if (linear.group != 0 && linear.group != 32 && linear.group != 64 && linear.group != 128)
    throw support::InputError(place + ": expected groups of 32, 64, 128 or -1, the row, but got " +
                              std::to_string(linear.group));
}

QuantizedLinear QuantizationConfig::readWeights(const json &weights, const std::string &format) const {
  static const std::map<std::string, QuantizedLinear::Method> methods = {{"pack-quantized", QuantizedLinear::Pack},
                                                                         {"int-quantized", QuantizedLinear::Bytes},
                                                                         {"float-quantized", QuantizedLinear::Floats}};
  auto method = methods.find(format);
  if (method == methods.end())
    throw support::InputError(place +
                              ": expected the format pack-quantized, int-quantized or float-quantized but got '" +
                              support::escape(format) + "'");
  QuantizedLinear linear{method->second, readInteger(weights, {"num_bits"}), 0, false};
  std::string type = readText(weights, "type"), wanted = linear.isFloat() ? "float" : "int";
  if (type != wanted)
    throw support::InputError(place + ": expected weights of the type " + wanted + " but got '" +
                              support::escape(type) + "'");
  std::string strategy = readText(weights, "strategy");
  bool known = strategy == "group" || strategy == "channel" ||
               (linear.isByte() && (strategy == "tensor" || strategy == "block"));
  if (!known)
    throw support::InputError(place + ": expected weights' scales by group or channel" +
                              (linear.isByte() ? ", by tensor or block" : "") + " but got '" +
                              support::escape(strategy) + "'");
  if (strategy == "tensor")
    linear.scaleRows = 0;
  if (strategy == "block") {
    const json *blocks = lookUp(weights, "block_structure");
    readBlocks(blocks ? *blocks : json(), linear);
  }
  if (strategy == "group") {
    linear.group = readInteger(weights, {"group_size"});
    if (linear.group < 1)
      throw support::InputError(place + ": expected groups of 32, 64 or 128 but got " + std::to_string(linear.group));
  }
  linear.zeros = !linear.isFloat() && isFalse(weights, "symmetric");
  check(linear);
  return linear;
}

/// Reads the quantisation of linears' inputs. Each row gets its own scale, computed at run time, so the checkpoint's
/// scales by tensor are not needed, and scales by token are not stored. If the checkpoint requires anything else,
/// returns "" and sets the fault.
std::string QuantizationConfig::readInputs(const json &inputs, const QuantizedLinear &weights) {
  std::string strategy = readText(inputs, "strategy"), type = readText(inputs, "type");
  int64_t bits = readInteger(inputs, {"num_bits"});
  bool hasZeros = isFalse(inputs, "symmetric");
  bool isProduct = weights.isByte() && weights.group == 0 && !weights.zeros;
  if (isProduct && type == (weights.isFloat() ? "float" : "int") && bits == 8 && !hasZeros &&
      (strategy == "token" || strategy == "tensor"))
    return weights.isFloat() ? "e4m3fnuz" : "i8"; // the chip's fp8 type
  activationsFault =
      "expected input_activations of 8 bits, symmetric, by token or tensor, beside weights of the same type with a "
      "scale a row or tensor, but got " +
      std::to_string(bits) + " bits of '" + support::escape(type) + "'" + (hasZeros ? ", not symmetric," : "") +
      " by '" + support::escape(strategy) + "'" + (isProduct ? "" : " beside others");
  return "";
}

/// Each token and head gets its own scale, computed at run time, so the checkpoint's scales are not needed.
std::string QuantizationConfig::readKvCache(const json &scheme) const {
  std::string type = readText(scheme, "type");
  int64_t bits = readInteger(scheme, {"num_bits"});
  bool hasZeros = isFalse(scheme, "symmetric");
  if ((type != "int" && type != "float") || bits != 8 || hasZeros)
    throw support::InputError(
        place + ": expected a kv_cache_scheme of 8 bits of the type int or float, symmetric, but got " +
        std::to_string(bits) + " bits of '" + support::escape(type) + "'" + (hasZeros ? ", not symmetric" : ""));
  return type == "int" ? "i8" : "e4m3fnuz";
}

void QuantizationConfig::readCompressedTensors(const json &object) {
  const json *list = lookUp(object, "config_groups");
  if (!list || !list->is_object())
    throw support::InputError(place + ": expected an object 'config_groups' but it has none");
  std::string format = readText(object, "format");
  for (const auto &[name, group] : list->items()) {
    const json *weights = lookUp(group, "weights"), *targets = lookUp(group, "targets");
    if (!weights || !targets)
      throw support::InputError(place + ": expected 'targets' and 'weights' in the group '" + support::escape(name) +
                                "' but it has not both");
    std::string own = readText(group, "format");
    QuantizedLinear linear = readWeights(*weights, own.empty() ? format : own);
    const json *inputs = lookUp(group, "input_activations");
    std::string read = inputs ? readInputs(*inputs, linear) : "";
    if (!groups.empty() && read != activations && activationsFault.empty())
      activationsFault =
          "expected the input_activations of all groups to be equal but got others in '" + support::escape(name) + "'";
    activations = read;
    groups.push_back({readTargets(*targets, "targets"), linear});
  }
  if (!activationsFault.empty())
    activations.clear();
  if (const json *scheme = lookUp(object, "kv_cache_scheme"))
    kvCache = readKvCache(*scheme);
  if (const json *list = lookUp(object, "ignore"))
    ignored = readTargets(*list, "ignore");
}

/// Converts a group size, in which -1 is the whole row.
static int64_t toGroup(int64_t group, const std::string &place) {
  if (group == 0)
    throw support::InputError(place + ": expected groups of 32, 64, 128 or -1, the row, but got 0");
  return group == -1 ? 0 : group;
}

void QuantizationConfig::readAwq(const json &object) {
  if (std::string version = readText(object, "version"); !version.empty() && version != "gemm" && version != "GEMM")
    throw support::InputError(place + ": expected AWQ of the version gemm but got '" + support::escape(version) + "'");
  const json *zeros = lookUp(object, "zero_point");
  QuantizedLinear linear{QuantizedLinear::Awq, readInteger(object, {"bits", "w_bit"}),
                         toGroup(readInteger(object, {"group_size", "q_group_size"}), place),
                         !zeros || !zeros->is_boolean() || zeros->get<bool>()};
  check(linear);
  groups.push_back({{{true, "Linear", {}}}, linear});
  if (const json *list = lookUp(object, "modules_to_not_convert"))
    ignored = readTargets(*list, "modules_to_not_convert");
  for (Target &target : ignored)
    target.isPart = true;
}

/// Reads GPTQ, which stores zeros even if they are symmetric.
void QuantizationConfig::readGptq(const json &object) {
  std::string format = readText(object, "checkpoint_format");
  if (!format.empty() && format != "gptq" && format != "gptq_v2")
    throw support::InputError(place + ": expected the checkpoint_format gptq or gptq_v2 but got '" +
                              support::escape(format) + "'");
  QuantizedLinear linear{format == "gptq_v2" ? QuantizedLinear::GptqV2 : QuantizedLinear::Gptq,
                         readInteger(object, {"bits"}), toGroup(readInteger(object, {"group_size"}), place), true};
  linear.symmetric = !isFalse(object, "sym");
  check(linear);
  groups.push_back({{{true, "Linear", {}}}, linear});
  const json *head = lookUp(object, "lm_head");
  if (!head || !head->is_boolean() || !head->get<bool>())
    ignored.push_back({false, "lm_head", {}});
}

/// Reads [rows, columns], or "128x128" as early compressed-tensors wrote it.
void QuantizationConfig::readBlocks(const json &blocks, QuantizedLinear &linear) const {
  static const std::regex sizes("([1-9][0-9]{0,8})x([1-9][0-9]{0,8})");
  std::smatch match;
  if (std::string text = blocks.is_string() ? blocks.get<std::string>() : ""; std::regex_match(text, match, sizes)) {
    linear.scaleRows = std::stoll(match[1]);
    linear.group = std::stoll(match[2]);
    return;
  }
  bool isPair = blocks.is_array() && blocks.size() == 2 && blocks[0].is_number_integer() &&
                blocks[1].is_number_integer() && blocks[0].get<int64_t>() >= 1 && blocks[1].get<int64_t>() >= 1;
  if (!isPair)
    throw support::InputError(place + ": expected blocks of two sizes but got " + support::describeJson(blocks));
  linear.scaleRows = blocks[0].get<int64_t>();
  linear.group = blocks[1].get<int64_t>();
}

/// Reads fp8 as in DeepSeek's models, or, without blocks, with one scale per matrix.
void QuantizationConfig::readFloat8(const json &object) {
  if (std::string kind = readText(object, "fmt"); !kind.empty() && kind != "e4m3")
    throw support::InputError(place + ": expected fp8 of the fmt e4m3 but got '" + support::escape(kind) + "'");
  QuantizedLinear linear{QuantizedLinear::Floats, 8, 0, false, 0};
  if (const json *blocks = lookUp(object, "weight_block_size")) {
    linear.method = QuantizedLinear::FloatBlocks;
    readBlocks(*blocks, linear);
  }
  check(linear);
  groups.push_back({{{true, "Linear", {}}}, linear});
  for (const char *key : {"modules_to_not_convert", "ignored_layers"})
    if (const json *list = lookUp(object, key))
      ignored = readTargets(*list, key);
  ignored.push_back({false, "lm_head", {}});
}

std::optional<QuantizationConfig> QuantizationConfig::read(const Config &config) {
  const json *object = config.findObject("quantization_config");
  if (!object)
    return std::nullopt;
  QuantizationConfig result;
  result.place = "'" + config.name() + "': quantization_config";
  std::string method = readText(*object, "quant_method");
  if (method == "compressed-tensors")
    result.readCompressedTensors(*object);
  else if (method == "awq")
    result.readAwq(*object);
  else if (method == "gptq")
    result.readGptq(*object);
  else if (method == "fp8")
    result.readFloat8(*object);
  else
    throw support::InputError(result.place +
                              ": expected a quant_method of compressed-tensors, awq, gptq or fp8 but got " +
                              (method.empty() ? "none" : "'" + support::escape(method) + "'"));
  return result;
}

const QuantizedLinear *QuantizationConfig::find(const std::string &module) const {
  auto matches = [&](const Target &target) { return target.matches(module); };
  if (std::ranges::any_of(ignored, matches))
    return nullptr;
  for (const auto &[targets, linear] : groups)
    if (std::ranges::any_of(targets, matches))
      return &linear;
  return nullptr;
}
