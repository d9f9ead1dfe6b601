#include "runtime/model/tokenizer_json/PostProcessor.h"
#include "runtime/model/tokenizer_json/Growth.h"
#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/ReadFields.h"

namespace nstf::runtime {

namespace {

constexpr uint64_t maxType = 65535;

int32_t readKnownId(const support::JsonCursor &value, int32_t size) {
  return static_cast<int32_t>(value.integer(0, static_cast<uint64_t>(size - 1)));
}

/// A part of a template: tokens, or, if it has none, the text.
struct Slot {
  std::vector<int32_t> ids;
  bool isText;
  int32_t type;
};

PostProcessor fromSlots(std::vector<Slot> slots) {
  return [slots = std::move(slots)](TokenSequence text) {
    TokenSequence result;
    for (const Slot &slot : slots) {
      const std::vector<int32_t> &ids = slot.isText ? text.ids : slot.ids;
      result.ids.insert(result.ids.end(), ids.begin(), ids.end());
      result.types.insert(result.types.end(), ids.size(), slot.type);
    }
    return result;
  };
}

std::vector<int32_t> readSpecial(const support::JsonCursor &tokens, const support::JsonCursor &name, int32_t size) {
  std::optional<support::JsonCursor> token = tokens.find(name.string().c_str());
  if (!token)
    name.failExpected("one of the \"special_tokens\"");
  std::vector<int32_t> ids;
  for (const support::JsonCursor &id : (*token)["ids"].elements())
    ids.push_back(readKnownId(id, size));
  return ids;
}

PostProcessor readTemplate(const support::JsonCursor &json, int32_t size) {
  std::vector<Slot> slots;
  for (const support::JsonCursor &item : json["single"].elements()) {
    std::optional<support::JsonCursor> token = item.find("SpecialToken");
    support::JsonCursor part = token ? *token : item["Sequence"];
    Slot slot{{}, !token, static_cast<int32_t>(part["type_id"].integer(0, maxType))};
    if (token)
      slot.ids = readSpecial(json["special_tokens"], part["id"], size);
    else
      part["id"].getChoice({"A"});
    slots.push_back(std::move(slot));
  }
  return fromSlots(std::move(slots));
}

/// "cls" and "sep", each ["name", id].
PostProcessor readAround(const support::JsonCursor &json, int32_t size) {
  auto slot = [&](const char *key) { return Slot{{readKnownId(json[key].elements(2, 2)[1], size)}, false, 0}; };
  return fromSlots({slot("cls"), Slot{{}, true, 0}, slot("sep")});
}

} // namespace

PostProcessor readPostProcessor(const support::JsonCursor &json, int32_t size, int depth) {
  if (depth > maxDepth)
    json.fail("expected sequences at most " + std::to_string(maxDepth) + " deep");
  switch (
      json["type"].getChoice({"TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel", "Sequence"})) {
  case 0:
    return readTemplate(json, size);
  case 1:
  case 2:
    return readAround(json, size);
  case 3:
    return [](TokenSequence text) { return text; };
  default:
    std::vector<PostProcessor> parts;
    for (const support::JsonCursor &part : json["processors"].elements())
      parts.push_back(readPostProcessor(part, size, depth + 1));
    return [parts = std::move(parts), place = json.place()](TokenSequence text) {
      const std::size_t max = maxGrowth(text.ids.size());
      for (const PostProcessor &part : parts) {
        text = part(std::move(text));
        checkGrowth(place, text.ids.size(), max);
      }
      return text;
    };
  }
}

} // namespace nstf::runtime
