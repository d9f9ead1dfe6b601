// Reads the model, ports, control, buffers and weights.
//
// Buffers are read first, since everything else refers to them. Rules that relate two parts of the file are checked at
// the end (checkModelAgainstBuffers): they prevent an edited number, such as a larger context, from making a kernel
// access memory beyond its buffer.
#include "runtime/model/ManifestReader.h"
#include "support/ControlBlock.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Sha256.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace nstf::manifest {

ElementType readElementType(const support::JsonCursor &value) {
  if (value.isString())
    if (std::optional<ElementType> type = elementTypeFromName(value.string()))
      return *type;
  value.failExpected("one of f64, f32, f16, bf16, i64, i32, i16, i8, u8, e4m3fnuz");
}

Shape readShape(const support::JsonCursor &value, bool allowTokens) {
  Shape shape;
  uint64_t product = 1;
  for (const support::JsonCursor &dimension : value.elements(0, 8)) {
    if (dimension.isString()) {
      if (!allowTokens)
        dimension.failExpected("a fixed dimension");
      if (dimension.string() != "tokens" || !shape.dimensions.empty())
        dimension.failExpected(shape.dimensions.empty() ? "a dimension or \"tokens\"" : "a dimension");
      shape.dimensions.push_back(Shape::tokensDimension);
      continue;
    }
    uint64_t size = dimension.integer(1, maxBytes);
    if (__builtin_mul_overflow(product, size, &product) || product > maxBytes)
      value.fail("expected a shape of at most 2^48 elements but its product is larger");
    shape.dimensions.push_back(static_cast<int64_t>(size));
  }
  return shape;
}

std::optional<support::OperandOrder> readOrder(const support::JsonCursor &item, const Shape &shape, ElementType type) {
  std::optional<support::JsonCursor> value = item.find("order");
  if (!value)
    return std::nullopt;
  auto operand =
      static_cast<support::OperandOrder::Operand>((*value)["operand"].getChoice({"keys", "values", "scales"}));
  if (shape.dimensions.size() != 2 || shape.hasTokens() || sizeOf(type) > 4)
    value->fail("expected an order of a matrix of fixed size, of elements of at most 4 bytes, but got one of " +
                shape.str() + " " + std::string(nameOf(type)));
  int64_t heads = (*value)["heads"].integer(1, shape.dimensions[1]);
  if (operand == support::OperandOrder::Operand::Scales && heads != shape.dimensions[1])
    (*value)["heads"].failExpected("a head for each of the " + std::to_string(shape.dimensions[1]) +
                                   " columns of scales");
  if (shape.dimensions[1] % heads != 0)
    (*value)["heads"].failExpected("a divisor of the " + std::to_string(shape.dimensions[1]) + " columns");
  return support::OperandOrder{operand, heads};
}

std::string readFileName(const support::JsonCursor &value) {
  std::string name = value.nonEmptyString();
  std::filesystem::path path(name);
  if (path.is_relative())
    for (const std::filesystem::path &part : path)
      if (part == "..")
        value.failExpected("a file inside the package or an absolute path");
  return name;
}

std::string readSha256(const support::JsonCursor &value) {
  std::string text = value.string();
  if (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    value.failExpected("64 lower-case hexadecimal digits");
  return text;
}

std::optional<uint64_t> getExtent(const Shape &shape, ElementType type, int64_t tokens) {
  uint64_t bytes = sizeOf(type);
  for (int64_t dimension : shape.stored(type, tokens))
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dimension), &bytes))
      return std::nullopt;
  return bytes <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? std::optional(bytes) : std::nullopt;
}

BufferNames::BufferNames(const std::vector<Buffer> &buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i)
    indices.emplace(buffers[i].name, i);
}

std::size_t BufferNames::read(const support::JsonCursor &value) const {
  auto found = indices.find(value.string());
  if (found == indices.end())
    value.failExpected("the name of a buffer");
  return found->second;
}

static void read(const support::JsonCursor &value, bool &field) { field = value.boolean(); }
static void read(const support::JsonCursor &value, double &field) { field = value.number(); }
static void read(const support::JsonCursor &value, int64_t &field) { field = value.integer(0, maxInt32); }

Sampling readSampling(const support::JsonCursor &value) {
  Sampling sampling;
  Sampling::forEach(sampling, [&](const char *key, auto &field) {
    if (auto member = value.find(key); member && !member->isNull())
      read(*member, field.emplace());
  });
  auto expect = [&](const char *key, const auto &field, auto isAllowed, const char *what) {
    if (field && !isAllowed(*field))
      value[key].failExpected(what);
  };
  expect("temperature", sampling.temperature, [](double x) { return x >= 0; }, "a number of 0 or more");
  expect("top_p", sampling.topP, [](double x) { return x > 0 && x <= 1; }, "a number in (0, 1]");
  expect("min_p", sampling.minP, [](double x) { return x >= 0 && x <= 1; }, "a number in [0, 1]");
  expect("repetition_penalty", sampling.repetitionPenalty, [](double x) { return x > 0; }, "a number of more than 0");
  expect("max_new_tokens", sampling.tokens, [](int64_t x) { return x >= 1; }, "a number of tokens, 1 or more");
  return sampling;
}

nlohmann::ordered_json describeSampling(const Sampling &sampling) {
  auto json = nlohmann::ordered_json::object();
  Sampling::forEach(sampling, [&](const char *key, const auto &field) {
    if (field)
      json[key] = *field;
  });
  return json;
}

namespace {

Model readModel(const support::JsonCursor &value) {
  Model model;
  model.name = value["name"].string();
  if (auto architecture = value.find("architecture"))
    model.architecture = architecture->string();
  if (auto context = value.find("context"))
    model.context = context->integer(1, maxInt32);
  if (auto vocabulary = value.find("vocabulary"))
    model.vocabulary = vocabulary->integer(1, maxInt32);
  // Special tokens are ids of the vocabulary like all others.
  uint64_t lastId = model.vocabulary ? *model.vocabulary - 1 : maxInt32;
  if (auto bos = value.find("bos"); bos && !bos->isNull())
    model.bos = static_cast<int32_t>(bos->integer(0, lastId));
  if (auto eos = value.find("eos"))
    for (const support::JsonCursor &id : eos->elements())
      model.eos.push_back(static_cast<int32_t>(id.integer(0, lastId)));
  if (auto sampling = value.find("sampling"))
    model.sampling = readSampling(*sampling);
  if (auto precision = value.find("precision")) {
    constexpr ElementType types[] = {ElementType::F32, ElementType::F16, ElementType::BF16};
    model.precision = types[precision->getChoice({"f32", "f16", "bf16"})];
  }
  if (auto tokenizer = value.find("tokenizer")) {
    std::size_t kind = (*tokenizer)["kind"].getChoice({"none", "tokenizer_json", "sentencepiece", "tok512"});
    model.tokenizer.kind = (*tokenizer)["kind"].string();
    if (kind != 0)
      model.tokenizer.file = readFileName((*tokenizer)["file"]);
    auto read = [&](const char *key, std::string &name) {
      if (auto value = tokenizer->find(key))
        name = readFileName(*value);
    };
    read("config", model.tokenizer.config);
    read("special_tokens", model.tokenizer.specialTokens);
    read("added_tokens", model.tokenizer.addedTokens);
    read("chat_template", model.tokenizer.chatTemplate);
  }
  return model;
}

std::vector<Buffer> readBuffers(const support::JsonCursor &value) {
  std::vector<Buffer> buffers;
  std::set<std::string> names;
  int count[8] = {};
  for (const support::JsonCursor &item : value.elements(1)) {
    Buffer buffer;
    buffer.name = item["name"].nonEmptyString();
    if (!names.insert(buffer.name).second)
      item["name"].failExpected("a name no other buffer has");
    buffer.kind = static_cast<BufferKind>(
        item["kind"].getChoice({"weights", "arena", "control", "input", "output", "state", "counters", "scratch"}));
    buffer.size = item["size"].integer(1, maxBytes);
    bool state = buffer.kind == BufferKind::State;
    if (auto type = item.find("type"))
      buffer.type = readElementType(*type);
    if (auto shape = item.find("shape"))
      buffer.shape = readShape(*shape, /*allowTokens=*/!state);
    if (state && !(buffer.type && buffer.shape))
      item.fail("expected a state to have \"type\" and \"shape\"");
    if (buffer.type && buffer.shape)
      buffer.shape->order = readOrder(item, *buffer.shape, *buffer.type);
    if (auto slots = item.find("slots"); slots && state)
      buffer.slots = static_cast<int64_t>(slots->integer(1, support::ControlBlock::maxRequests));
    if (uint64_t bytes = state ? getExtent(*buffer.shape, *buffer.type, 0).value_or(0) : 0;
        state && (bytes > maxBytes || bytes * buffer.slots != buffer.size))
      item["size"].failExpected("the " + std::to_string(bytes * buffer.slots) + " bytes of " + buffer.shape->str() +
                                (buffer.slots > 1 ? " for " + std::to_string(buffer.slots) + " slots" : ""));
    // At most one of each, so that "the weights" and "the control block" are unambiguous.
    bool unique = buffer.kind == BufferKind::Weights || buffer.kind == BufferKind::Arena ||
                  buffer.kind == BufferKind::Control || buffer.kind == BufferKind::Counters ||
                  buffer.kind == BufferKind::Scratch;
    if (++count[static_cast<int>(buffer.kind)] > 1 && unique)
      item["kind"].fail("expected one buffer of kind \"" + std::string(nameOf(buffer.kind)) + "\" but this is another");
    buffers.push_back(std::move(buffer));
  }
  if (count[static_cast<int>(BufferKind::Control)] == 0)
    value.fail("expected a buffer of kind \"control\" but there is none");
  return buffers;
}

std::size_t bufferOfKind(const Manifest &manifest, BufferKind kind) {
  auto it = std::find_if(manifest.buffers.begin(), manifest.buffers.end(),
                         [&](const Buffer &buffer) { return buffer.kind == kind; });
  return it - manifest.buffers.begin();
}

Control readControl(const support::JsonCursor &value, const Manifest &manifest) {
  Control control;
  control.buffer = bufferOfKind(manifest, BufferKind::Control);
  control.size = value["size"].integer(1, maxBytes);
  if (auto requests = value.find("requests"))
    control.requests = static_cast<int64_t>(requests->integer(1, support::ControlBlock::maxRequests));
  if (control.size > maxBytes / (1 + support::ControlBlock::maxRequests) ||
      control.bytes() > manifest.buffers[control.buffer].size)
    value["size"].failExpected("at most the " + std::to_string(manifest.buffers[control.buffer].size) +
                               " bytes of its buffer for " + std::to_string(control.bytes() / control.size) +
                               (control.requests > 1 ? " blocks" : " block"));
  auto readOffset = [&](const support::JsonCursor &field) {
    uint64_t offset = field.integer(0, maxBytes);
    if (offset % 4 != 0 || offset + 4 > control.size)
      field.failExpected("a multiple of 4 inside the control block of " + std::to_string(control.size) + " bytes");
    return offset;
  };
  support::JsonCursor fields = value["fields"];
  control.tokens = readOffset(fields["tokens"]);
  control.position = readOffset(fields["position"]);
  std::vector<std::string> names = {"tokens", "position"};
  if (control.requests > 1) {
    control.first = readOffset(fields["first"]);
    control.slot = readOffset(fields["slot"]);
    names.insert(names.end(), {"first", "slot"});
  }
  std::map<uint64_t, std::string> places;
  for (const std::string &name : names)
    if (auto [place, isNew] = places.emplace(readOffset(fields[name.c_str()]), name); !isNew)
      fields[name.c_str()].fail("expected an offset of its own but \"" + place->second + "\" stands there");
  for (const auto &[name, field] : fields.members())
    if (std::ranges::find(names, name) == names.end())
      field.fail("expected a run scalar this runtime can fill (" + support::listNames(names) + ") but got \"" +
                 support::escape(name) + "\"");
  for (const Buffer &buffer : manifest.buffers)
    if (buffer.kind == BufferKind::State && buffer.slots != control.requests)
      value.fail("expected as many requests as state \"" + support::escape(buffer.name) + "\" has slots, " +
                 std::to_string(buffer.slots) + ", but got " + std::to_string(control.requests));
  return control;
}

std::vector<Port> readPorts(const support::JsonCursor &value, const Manifest &manifest, const BufferNames &bufferNames,
                            BufferKind kind, std::size_t min) {
  std::vector<Port> ports;
  std::set<std::string> names;
  std::set<std::size_t> buffers;
  for (const support::JsonCursor &item : value.elements(min)) {
    Port port;
    port.name = item["name"].nonEmptyString();
    if (!names.insert(port.name).second)
      item["name"].failExpected("a name no other one has");
    port.type = readElementType(item["type"]);
    port.shape = readShape(item["shape"], /*allowTokens=*/true);
    port.buffer = bufferNames.read(item["buffer"]);
    if (manifest.buffers[port.buffer].kind != kind)
      item["buffer"].fail("expected a buffer of kind \"" + std::string(nameOf(kind)) + "\" but \"" +
                          support::escape(manifest.buffers[port.buffer].name) + "\" is of kind \"" +
                          std::string(nameOf(manifest.buffers[port.buffer].kind)) + "\"");
    if (!buffers.insert(port.buffer).second)
      item["buffer"].failExpected("a buffer no other one has");
    if (auto limit = item.find("limit")) {
      port.limit = static_cast<int64_t>(limit->integer(1, maxInt32));
      if (kind != BufferKind::Input || port.type != ElementType::I32)
        limit->fail("expected a limit at an input of type i32 only");
    }
    ports.push_back(std::move(port));
  }
  return ports;
}

Weight readWeight(const support::JsonCursor &item, const Buffer *buffer, WeightsMode mode) {
  Weight weight;
  weight.name = item["name"].nonEmptyString();
  weight.type = readElementType(item["type"]);
  weight.shape = readShape(item["shape"], /*allowTokens=*/false);
  weight.offset = item["offset"].integer(0, maxBytes);
  weight.size = item["size"].integer(1, maxBytes);
  uint64_t expected = weight.shape.elements(0) * sizeOf(weight.type);
  if (weight.size != expected)
    item["size"].failExpected("the " + std::to_string(expected) + " bytes of " + weight.shape.str() + " " +
                              std::string(nameOf(weight.type)));
  if (!buffer)
    item.fail("expected a buffer of kind \"weights\" but there is none");
  if (weight.offset + weight.size > buffer->size)
    item["offset"].failExpected("a place inside the " + std::to_string(buffer->size) + " bytes of \"" +
                                support::escape(buffer->name) + "\" for " + std::to_string(weight.size) + " bytes");
  if (auto plane = item.find("plane"))
    weight.plane = {(*plane)["format"].nonEmptyString(), (*plane)["plane"].nonEmptyString()};
  if (auto source = item.find("source")) {
    weight.source.emplace();
    weight.source->file = readFileName((*source)["file"]);
    weight.source->offset = (*source)["offset"].integer(0, maxBytes);
    weight.source->storedType = readElementType((*source)["stored_type"]);
    if (auto hash = source->find("sha256"))
      weight.source->sha256 = readSha256(*hash);
    bool same = weight.source->storedType == weight.type;
    ElementType stored = weight.source->storedType;
    bool convertible = weight.type == ElementType::F32 &&
                       (stored == ElementType::F16 || stored == ElementType::BF16 || stored == ElementType::F64);
    if (!same && !convertible)
      (*source)["stored_type"].failExpected("a format that converts to " + std::string(nameOf(weight.type)));
  } else if (mode == WeightsMode::Pack || mode == WeightsMode::Reference) {
    item["source"]; // reports that it is missing
  }
  return weight;
}

Weights readWeights(const support::JsonCursor &value, const Manifest &manifest) {
  Weights weights;
  weights.mode = static_cast<WeightsMode>(value["mode"].getChoice({"pack", "reference", "random", "none"}));
  if (auto seed = value.find("seed"))
    weights.seed = seed->integer(0, std::numeric_limits<uint64_t>::max());
  std::size_t index = bufferOfKind(manifest, BufferKind::Weights);
  if (index < manifest.buffers.size())
    weights.buffer = index;
  const Buffer *buffer = weights.buffer ? &manifest.buffers[index] : nullptr;

  std::set<std::string> names;
  std::vector<std::pair<uint64_t, std::size_t>> byOffset;
  std::vector<support::JsonCursor> items = value["tensors"].elements();
  for (const support::JsonCursor &item : items) {
    weights.tensors.push_back(readWeight(item, buffer, weights.mode));
    if (!names.insert(weights.tensors.back().name).second)
      item["name"].failExpected("a name no other tensor has");
    byOffset.emplace_back(weights.tensors.back().offset, byOffset.size());
  }
  std::sort(byOffset.begin(), byOffset.end());
  for (std::size_t i = 1; i < byOffset.size(); ++i) {
    const Weight &before = weights.tensors[byOffset[i - 1].second];
    if (before.offset + before.size > byOffset[i].first)
      items[byOffset[i].second]["offset"].fail("expected a place of its own but \"" + support::escape(before.name) +
                                               "\" ends at " + std::to_string(before.offset + before.size));
  }
  return weights;
}

/// Checks that positions and token ids stay inside the memory allocated for them.
void checkModelAgainstBuffers(const support::JsonCursor &root, const Manifest &manifest) {
  std::vector<support::JsonCursor> buffers = root["buffers"].elements();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = manifest.buffers[i];
    if (buffer.kind != BufferKind::State)
      continue;
    if (!manifest.model.context)
      root["model"]["context"]; // reports that it is missing: a state has a row for each position
    if (buffer.shape->dimensions.empty() || buffer.shape->dimensions.front() < *manifest.model.context)
      buffers[i]["shape"].failExpected("a row for each of the " + std::to_string(*manifest.model.context) +
                                       " positions of the context");
  }
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i) {
    const Port &output = manifest.outputs[i];
    if (output.name == "logits" && manifest.model.vocabulary &&
        (output.shape.dimensions.empty() || output.shape.dimensions.back() != *manifest.model.vocabulary))
      root["outputs"].elements()[i]["shape"].fail("expected a last dimension of " +
                                                  std::to_string(*manifest.model.vocabulary) +
                                                  ", the model's vocabulary, but got " + output.shape.str());
  }
}

/// "digest" is the SHA-256 of the document without it, with sorted keys and no white space, so any edit is detected.
void checkDigest(const nlohmann::json &document, const support::JsonCursor &root) {
  support::JsonCursor digest = root["digest"];
  std::string expected = readSha256(digest);
  nlohmann::json rest = document;
  rest.erase("digest");
  std::string got = support::sha256Hex(rest.dump());
  if (got != expected)
    digest.fail("expected the manifest as the compiler wrote it, digest " + expected + " but got " + got +
                ": it was edited; compile the package again");
}

} // namespace

Manifest parseManifest(std::string_view text, const std::string &file) {
  nlohmann::json document = support::parseJson(text, file);
  support::JsonCursor root(document, file);
  root["format"].getChoice({"nstf-package"});
  if (uint64_t made = root["version"].integer(1, version); made != version)
    root["version"].fail("expected a package of version " + std::to_string(version) + " but got one of version " +
                         std::to_string(made) + ": compile it again");

  Manifest manifest;
  manifest.compiler = root["compiler"].string();
  manifest.model = readModel(root["model"]);
  manifest.buffers = readBuffers(root["buffers"]);
  BufferNames bufferNames(manifest.buffers);
  manifest.control = readControl(root["control"], manifest);
  manifest.inputs = readPorts(root["inputs"], manifest, bufferNames, BufferKind::Input, 0);
  manifest.outputs = readPorts(root["outputs"], manifest, bufferNames, BufferKind::Output, 1);
  manifest.weights = readWeights(root["weights"], manifest);
  checkModelAgainstBuffers(root, manifest);
  manifest.targets = readTargets(root["targets"], manifest, bufferNames);
  checkDigest(document, root);
  return manifest;
}

Manifest readManifest(const std::filesystem::path &file) {
  support::MappedFile mapped(file);
  return parseManifest(mapped.text(), file.string());
}

} // namespace nstf::manifest
