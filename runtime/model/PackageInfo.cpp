#include "nstf/PackageInfo.h"
#include "support/ByteSize.h"
#include "support/Escape.h"

#include <nlohmann/json.hpp>

namespace nstf::runtime {

using Json = nlohmann::ordered_json;
using manifest::Manifest;
using manifest::Port;
using manifest::WeightsMode;

namespace {

std::string_view nameOf(WeightsMode mode) {
  constexpr std::string_view names[] = {"pack", "reference", "random", "none"};
  return names[static_cast<int>(mode)];
}

/// Joins the parts with commas.
std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string describePorts(const std::vector<Port> &ports) {
  std::vector<std::string> parts;
  for (const Port &port : ports)
    parts.push_back(port.name + " " + std::string(manifest::nameOf(port.type)) + " " + port.shape.str());
  return join(parts);
}

Json portsJson(const std::vector<Port> &ports) {
  Json list = Json::array();
  for (const Port &port : ports) {
    Json shape = Json::array();
    for (int64_t dimension : port.shape.dimensions)
      shape.push_back(dimension == manifest::Shape::tokensDimension ? Json("tokens") : Json(dimension));
    list.push_back({{"name", port.name}, {"type", manifest::nameOf(port.type)}, {"shape", shape}});
  }
  return list;
}

Json modelJson(const manifest::Model &model) {
  Json json = {{"name", model.name}};
  if (!model.architecture.empty())
    json["architecture"] = model.architecture;
  if (model.context)
    json["context"] = *model.context;
  if (model.vocabulary)
    json["vocabulary"] = *model.vocabulary;
  if (model.precision)
    json["precision"] = manifest::nameOf(*model.precision);
  json["eos"] = model.eos;
  if (model.sampling)
    json["sampling"] = manifest::describeSampling(*model.sampling);
  return json;
}

Json targetJson(const manifest::Target &target) {
  Json json = {{"id", target.id}, {"kernels", target.kernels.size()}};
  if (!target.name.empty())
    json["name"] = target.name;
  if (target.deviceMemory)
    json["device_memory"] = target.deviceMemory;
  Json &buckets = json["buckets"] = Json::array();
  for (const manifest::Bucket &bucket : target.buckets)
    buckets.push_back(
        {{"min_tokens", bucket.minTokens}, {"max_tokens", bucket.maxTokens}, {"launches", bucket.steps.size()}});
  return json;
}

/// " of 192 GiB" or, if the chips differ, " of 192 GiB (gfx942), 64.0 GiB (gfx90a)".
std::string describeChips(const std::vector<manifest::Target> &targets) {
  bool areEqual = true;
  std::vector<std::string> parts;
  for (const manifest::Target &target : targets) {
    areEqual &= target.deviceMemory == targets.front().deviceMemory;
    if (target.deviceMemory)
      parts.push_back(support::formatBytes(target.deviceMemory) + " (" + target.id + ")");
  }
  if (parts.empty())
    return "";
  return " of " + (areEqual ? support::formatBytes(targets.front().deviceMemory) : join(parts));
}

} // namespace

/// " of i8" if caches hold codes, whose scales are stored beside them.
static std::string describeCodes(const Manifest &manifest) {
  for (const manifest::Buffer &buffer : manifest.buffers)
    if (buffer.kind == manifest::BufferKind::State && manifest::sizeOf(*buffer.type) == 1)
      return " of " + std::string(manifest::nameOf(*buffer.type));
  return "";
}

std::string describeMemory(const Manifest &manifest) {
  manifest::DeviceMemory memory = manifest.deviceMemory();
  support::ByteUnit unit = support::getByteUnit(memory.total());
  auto format = [&](uint64_t bytes) { return support::formatBytes(bytes, unit) + " " + unit.name; };
  std::vector<std::string> parts;
  if (memory.weights)
    parts.push_back("weights " + format(memory.weights));
  if (memory.states)
    parts.push_back(
        "KV " + format(memory.states) + describeCodes(manifest) +
        (manifest.control.requests > 1 ? " for " + std::to_string(manifest.control.requests) + " requests" : "") +
        " at context " + std::to_string(manifest.model.context.value_or(0)));
  parts.push_back("arena " + format(memory.work));
  return join(parts) + describeChips(manifest.targets);
}

/// "do_sample true, temperature 0.6, top_k 20", or "greedy".
static std::string formatSampling(const manifest::Sampling &sampling) {
  std::vector<std::string> parts;
  const Json settings = manifest::describeSampling(sampling);
  for (const auto &[key, value] : settings.items())
    parts.push_back(key + " " + value.dump());
  if (!sampling.sample.value_or(false))
    parts.insert(parts.begin(), "greedy");
  return join(parts);
}

static std::string describeEnds(const std::vector<int32_t> &eos) {
  std::vector<std::string> parts;
  for (int32_t id : eos)
    parts.push_back(std::to_string(id));
  return parts.empty() ? "none" : join(parts);
}

std::string describePackage(const Package &package) {
  const Manifest &manifest = package.manifest();
  const manifest::Model &model = manifest.model;
  std::string text;
  auto line = [&](const std::string &what, const std::string &value) {
    text += what + ":" + std::string(what.size() < 14 ? 14 - what.size() : 1, ' ') + value + "\n";
  };
  line("package", package.folder().string() + ", by " + manifest.compiler);
  std::vector<std::string> facts = {model.name + (model.architecture.empty() ? "" : " (" + model.architecture + ")")};
  if (model.context)
    facts.push_back("context " + std::to_string(*model.context));
  if (model.vocabulary)
    facts.push_back("vocabulary " + std::to_string(*model.vocabulary));
  line("model", join(facts));
  if (model.precision)
    line("precision", std::string(manifest::nameOf(*model.precision)));
  for (const manifest::Target &target : manifest.targets)
    line("target", target.id + (target.name.empty() ? "" : " (" + support::escape(target.name) + ")") + ", " +
                       std::to_string(target.kernels.size()) + " kernels, steps of " + target.bucketRanges() +
                       " tokens");
  line("inputs", describePorts(manifest.inputs));
  line("outputs", describePorts(manifest.outputs));
  if (manifest.control.requests > 1)
    line("requests", std::to_string(manifest.control.requests) + " in a step");
  if (model.vocabulary)
    line("ends of text", describeEnds(model.eos));
  if (model.sampling)
    line("sampling", formatSampling(*model.sampling));
  line("tokenizer", model.tokenizer.kind == "none" ? "none" : model.tokenizer.file);
  std::string weights = std::to_string(manifest.weights.tensors.size()) + " tensors, --weights=";
  weights += nameOf(manifest.weights.mode);
  if (manifest.weights.mode == WeightsMode::Random)
    weights += ":" + std::to_string(manifest.weights.seed);
  line("weights", weights);
  line("device memory", describeMemory(manifest));
  return text;
}

std::string describePackageAsJson(const Package &package) {
  const Manifest &manifest = package.manifest();
  Json json = {{"format", "nstf-package-info"},
               {"version", 1},
               {"package", package.folder().string()},
               {"compiler", manifest.compiler},
               {"model", modelJson(manifest.model)}};
  json["tokenizer"] = {{"kind", manifest.model.tokenizer.kind}};
  if (manifest.model.tokenizer.kind != "none")
    json["tokenizer"]["file"] = manifest.model.tokenizer.file;
  json["inputs"] = portsJson(manifest.inputs);
  json["outputs"] = portsJson(manifest.outputs);
  json["requests"] = manifest.control.requests;
  json["weights"] = {{"mode", nameOf(manifest.weights.mode)}, {"tensors", manifest.weights.tensors.size()}};
  Json &targets = json["targets"] = Json::array();
  for (const manifest::Target &target : manifest.targets)
    targets.push_back(targetJson(target));
  manifest::DeviceMemory memory = manifest.deviceMemory();
  json["device_memory"] = {
      {"weights", memory.weights}, {"states", memory.states}, {"work", memory.work}, {"total", memory.total()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nstf::runtime
