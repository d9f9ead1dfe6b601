// manifest.json: the structure of nstf/Manifest.h as JSON, in the order of manifest.schema.json. The reader is
// runtime/model/ManifestReader.cpp.
#include "compiler/package/Package.h"

#include "support/Sha256.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

using Json = nlohmann::ordered_json;

namespace nstf {

using namespace manifest;

static Json shapeJson(const Shape &shape) {
  Json list = Json::array();
  for (int64_t dimension : shape.dimensions)
    list.push_back(dimension == Shape::tokensDimension ? Json("tokens") : Json(dimension));
  return list;
}

static Json orderJson(const support::OperandOrder &order) {
  return {{"operand", nameOf(order.operand)}, {"heads", order.heads}};
}

static Json modelJson(const Model &model) {
  Json json = {{"name", model.name}};
  if (!model.architecture.empty())
    json["architecture"] = model.architecture;
  if (model.context)
    json["context"] = *model.context;
  if (model.vocabulary)
    json["vocabulary"] = *model.vocabulary;
  if (model.precision)
    json["precision"] = nameOf(*model.precision);
  if (model.bos)
    json["bos"] = *model.bos;
  json["eos"] = model.eos;
  if (model.sampling)
    json["sampling"] = describeSampling(*model.sampling);
  json["tokenizer"] = {{"kind", model.tokenizer.kind}};
  if (model.tokenizer.kind != "none")
    json["tokenizer"]["file"] = model.tokenizer.file;
  for (const auto &[key, name] : {std::pair("config", model.tokenizer.config),
                                  {"special_tokens", model.tokenizer.specialTokens},
                                  {"added_tokens", model.tokenizer.addedTokens},
                                  {"chat_template", model.tokenizer.chatTemplate}})
    if (!name.empty())
      json["tokenizer"][key] = name;
  return json;
}

static Json portsJson(const std::vector<Port> &ports, const Manifest &manifest) {
  Json list = Json::array();
  for (const Port &port : ports) {
    list.push_back({{"name", port.name},
                    {"type", nameOf(port.type)},
                    {"shape", shapeJson(port.shape)},
                    {"buffer", manifest.buffers.at(port.buffer).name}});
    if (port.limit)
      list.back()["limit"] = *port.limit;
  }
  return list;
}

static Json buffersJson(const std::vector<Buffer> &buffers) {
  Json list = Json::array();
  for (const Buffer &buffer : buffers) {
    Json json = {{"name", buffer.name}, {"kind", nameOf(buffer.kind)}, {"size", buffer.size}};
    if (buffer.type)
      json["type"] = nameOf(*buffer.type);
    if (buffer.shape)
      json["shape"] = shapeJson(*buffer.shape);
    if (buffer.shape && buffer.shape->order)
      json["order"] = orderJson(*buffer.shape->order);
    if (buffer.slots > 1)
      json["slots"] = buffer.slots;
    list.push_back(std::move(json));
  }
  return list;
}

static Json controlJson(const Control &control) {
  Json json = {{"size", control.size}};
  if (control.requests > 1)
    json["requests"] = control.requests;
  Json &fields = json["fields"] = {{"tokens", control.tokens}, {"position", control.position}};
  if (control.requests > 1) {
    fields["first"] = control.first;
    fields["slot"] = control.slot;
  }
  return json;
}

static Json weightsJson(const Weights &weights) {
  constexpr const char *modes[] = {"pack", "reference", "random", "none"};
  Json json = {{"mode", modes[static_cast<int>(weights.mode)]}};
  if (weights.mode == WeightsMode::Random)
    json["seed"] = weights.seed;
  Json &list = json["tensors"] = Json::array();
  for (const Weight &weight : weights.tensors) {
    Json item = {{"name", weight.name},
                 {"type", nameOf(weight.type)},
                 {"shape", shapeJson(weight.shape)},
                 {"offset", weight.offset},
                 {"size", weight.size}};
    if (weight.plane)
      item["plane"] = {{"format", weight.plane->format}, {"plane", weight.plane->plane}};
    if (weight.source)
      item["source"] = {{"file", weight.source->file},
                        {"offset", weight.source->offset},
                        {"stored_type", nameOf(weight.source->storedType)},
                        {"sha256", weight.source->sha256}};
    list.push_back(std::move(item));
  }
  return json;
}

static Json tilingJson(const std::vector<TiledExtent> &tiling) {
  Json list = Json::array();
  for (const TiledExtent &axis : tiling)
    list.push_back({{axis.perToken ? "per_token" : "extent", axis.extent}, {"tile", axis.tile}});
  return list;
}

static Json kernelJson(const Kernel &kernel) {
  constexpr const char *accesses[] = {"read", "write", "read_write"};
  Json arguments = Json::array();
  for (const KernelArgument &argument : kernel.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"offset", argument.offset},
                         {"size", argument.size},
                         {"kind", "buffer"},
                         {"type", nameOf(argument.type)},
                         {"shape", shapeJson(argument.shape)},
                         {"alignment", argument.alignment},
                         {"access", accesses[static_cast<int>(argument.access)]}});
    if (argument.shape.order)
      arguments.back()["order"] = orderJson(*argument.shape.order);
  }
  Json json = {{"symbol", kernel.symbol},
               {"template", kernel.templateName},
               {"wave_size", kernel.waveSize},
               {"block", kernel.block},
               {"lds", kernel.lds},
               {"vgprs", kernel.vgprs},
               {"agprs", kernel.agprs},
               {"sgprs", kernel.sgprs},
               {"scratch", kernel.scratch},
               {"spills", kernel.spills},
               {"occupancy", kernel.occupancy},
               {"kernarg_size", kernel.kernargSize}};
  if (kernel.tiling)
    json["tiling"] = tilingJson(*kernel.tiling);
  json["arguments"] = std::move(arguments);
  return json;
}

static Json stepJson(const Step &step, const Target &target, const Manifest &manifest) {
  Json arguments = Json::array();
  for (const StepArgument &argument : step.arguments)
    arguments.push_back({{"buffer", manifest.buffers.at(argument.buffer).name}, {"offset", argument.offset}});
  return {{"name", step.name},
          {"kernel", target.kernels.at(step.kernel).symbol},
          {"grid", step.grid},
          {"device", step.device},
          {"queue", step.queue},
          {"after", step.after},
          {"arguments", std::move(arguments)}};
}

static Json targetJson(const Target &target, const Manifest &manifest) {
  Json json = {{"id", target.id}};
  if (!target.name.empty())
    json["name"] = target.name;
  json["code_object"] = target.codeObject;
  json["code_object_version"] = target.codeObjectVersion;
  json["sha256"] = target.sha256;
  if (target.deviceMemory)
    json["device_memory"] = target.deviceMemory;
  Json &kernels = json["kernels"] = Json::array();
  for (const Kernel &kernel : target.kernels)
    kernels.push_back(kernelJson(kernel));
  Json values = Json::array();
  for (const ArenaValue &value : target.arenaValues)
    values.push_back({{"name", value.name},
                      {"offset", value.offset},
                      {"size", value.size},
                      {"first_step", value.firstStep},
                      {"last_step", value.lastStep}});
  json["arena"] = {{"peak", target.arenaPeak}, {"values", std::move(values)}};
  Json &buckets = json["buckets"] = Json::array();
  for (const Bucket &bucket : target.buckets) {
    Json steps = Json::array();
    for (const Step &step : bucket.steps)
      steps.push_back(stepJson(step, target, manifest));
    buckets.push_back(
        {{"min_tokens", bucket.minTokens}, {"max_tokens", bucket.maxTokens}, {"steps", std::move(steps)}});
  }
  return json;
}

/// Appends `json` without white space. Stops and returns false if the line would be longer than `width`.
static bool appendLine(const Json &json, size_t width, std::string &line) {
  if (!json.is_structured()) {
    line += json.dump();
    return line.size() <= width;
  }
  line += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto &[key, value] : json.items()) {
    line += first ? "" : ",";
    first = false;
    if (json.is_object())
      line += Json(key).dump() + ":";
    if (!appendLine(value, width, line))
      return false;
  }
  line += json.is_object() ? '}' : ']';
  return line.size() <= width;
}

/// Prints readable JSON: a value that fits on a line is printed on one line.
static void print(const Json &json, size_t indent, std::string &text) {
  constexpr size_t width = 160;
  std::string line;
  if (appendLine(json, width - std::min(indent, width), line) || !json.is_structured()) {
    text += line;
    return;
  }
  text += json.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto &[key, value] : json.items()) {
    text += first ? "" : ",\n";
    first = false;
    text.append(indent + 1, ' ');
    if (json.is_object())
      text += Json(key).dump() + ": ";
    print(value, indent + 1, text);
  }
  text += "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

ManifestText makeManifestText(const Manifest &manifest) {
  Json json = {{"format", "nstf-package"}, {"version", version}, {"compiler", manifest.compiler}};
  json["model"] = modelJson(manifest.model);
  json["inputs"] = portsJson(manifest.inputs, manifest);
  json["outputs"] = portsJson(manifest.outputs, manifest);
  json["control"] = controlJson(manifest.control);
  json["buffers"] = buffersJson(manifest.buffers);
  json["weights"] = weightsJson(manifest.weights);
  Json &targets = json["targets"] = Json::array();
  for (const Target &target : manifest.targets)
    targets.push_back(targetJson(target, manifest));

  // The digest covers the document with sorted keys and without white space, so only changed content changes it.
  std::string canonical = nlohmann::json(json).dump();
  std::string digest = support::sha256Hex(canonical), text;
  json["digest"] = digest;
  print(json, 0, text);
  return {text + "\n", digest};
}

} // namespace nstf
