#include "nstf/ChatTemplate.h"
#include "runtime/model/chat_template/Evaluator.h"
#include "runtime/model/tokenizer_json/Unicode.h"

namespace nstf::runtime {

namespace jinja {

namespace {

Value fromText(Context &context, const std::string &text) { return context.text(unicode::makeValid(text)); }

Value fromJson(Context &context, const nlohmann::ordered_json &json) {
  Context::Level level(context);
  using Type = nlohmann::ordered_json::value_t;
  switch (json.type()) {
  case Type::boolean:
    return Value::boolean(json.get<bool>());
  case Type::number_integer:
    return Value::integer(json.get<int64_t>());
  case Type::number_unsigned:
    if (json.get<uint64_t>() > INT64_MAX)
      context.fail("expected integers of 64 bits in the conversation but got " + json.dump());
    return Value::integer(json.get<int64_t>());
  case Type::number_float:
    return Value::real(json.get<double>());
  case Type::string:
    return fromText(context, json.get_ref<const std::string &>());
  case Type::array: {
    std::vector<Value> items;
    for (const nlohmann::ordered_json &part : json)
      items.push_back(fromJson(context, part));
    return context.list(items);
  }
  case Type::object: {
    std::vector<Entry> entries;
    for (const auto &[key, part] : json.items())
      entries.push_back({fromText(context, key), fromJson(context, part)});
    return context.dict(entries);
  }
  default:
    return Value::none();
  }
}

} // namespace

} // namespace jinja

ChatRefusal::ChatRefusal(const std::string &place, const std::string &message)
    : std::runtime_error(place + ": the template refuses the conversation: " + message), message(message) {}

ChatTemplate ChatTemplate::parse(std::string_view text, const std::string &file) {
  return ChatTemplate(jinja::parseTemplate(text, file));
}

static std::tm localTime() {
  const std::time_t now = std::time(nullptr);
  std::tm result = {};
  ::localtime_r(&now, &result);
  return result;
}

std::string ChatTemplate::render(const nlohmann::ordered_json &messages, const ChatOptions &options) const {
  using namespace jinja;
  Context context(options.limits, parsed->file);
  context.at = {1, 1};
  context.clock = options.clock ? options.clock : localTime;
  Scope &variables = context.make<Scope>(nullptr);
  auto set = [&](std::string_view name, Value value) { variables.set(context, name, value); };
  set("messages", fromJson(context, messages));
  set("tools", fromJson(context, options.tools));
  set("documents", Value::none());
  set("add_generation_prompt", Value::boolean(options.addGenerationPrompt));
  if (options.bosToken)
    set("bos_token", fromText(context, *options.bosToken));
  if (options.eosToken)
    set("eos_token", fromText(context, *options.eosToken));
  for (const auto &[name, value] : options.variables.items())
    set(context.text(name).getText(), fromJson(context, value));
  return Evaluator(context, *parsed).run(variables);
}

} // namespace nstf::runtime
