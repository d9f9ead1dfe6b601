#include "runtime/model/chat_template/Functions.h"
#include "nstf/ChatTemplate.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

/// The sandbox's limit.
constexpr int64_t maxRange = 100000;

Value makeRange(Context &context, const Arguments &arguments) {
  if (arguments.positional.size() < 2) {
    const int64_t stop = Bound(context, "range", arguments, {"stop"}, 1, false).integer(0);
    Arguments both{{Value::integer(0), Value::integer(stop)}, {}};
    return makeRange(context, both);
  }
  const Bound bound(context, "range", arguments, {"start", "stop", "step"}, 2, false);
  const int64_t start = bound.integer(0), stop = bound.integer(1), step = bound.integer(2, 1);
  if (step == 0)
    context.fail("expected a step other than 0 of 'range'");
  const __int128 distance = step > 0 ? static_cast<__int128>(stop) - start : static_cast<__int128>(start) - stop;
  const __int128 width = step > 0 ? step : -static_cast<__int128>(step);
  const __int128 count = distance > 0 ? (distance + width - 1) / width : 0;
  if (count > maxRange)
    context.fail("expected a range of at most " + std::to_string(maxRange) + " numbers but got more");
  return Value::object(Kind::Range, &context.make<Range>(start, stop, step, static_cast<int64_t>(count)));
}

/// The members for dict() and namespace(): a dict or pairs, and keyword arguments.
std::vector<Entry> readMembers(Context &context, std::string_view what, const Arguments &arguments) {
  const Bound bound(context, what, {arguments.positional, {}}, {"members"}, 0, false);
  std::vector<Entry> members;
  auto set = [&](Value key, Value value) {
    if (const Value *found = find(context, members, key))
      const_cast<Value &>(*found) = value;
    else
      members.push_back({key, value});
  };
  if (bound.has(0) && bound.get(0).is(Kind::Dict))
    members.assign(bound.get(0).getEntries().begin(), bound.get(0).getEntries().end());
  else if (bound.has(0))
    for (const Value &pair : collect(context, bound.get(0))) {
      const std::vector<Value> parts = collect(context, pair);
      if (parts.size() != 2)
        context.fail("expected pairs for '" + std::string(what) + "' but got " + std::string(describe(pair)) + " of " +
                     std::to_string(parts.size()));
      set(parts[0], parts[1]);
    }
  for (const auto &[name, value] : arguments.keywords)
    set(Value::text(name), value);
  return members;
}

Value makeDict(Context &context, const Arguments &arguments) {
  return context.dict(readMembers(context, "dict", arguments));
}

Value makeNamespace(Context &context, const Arguments &arguments) {
  Namespace &space = context.make<Namespace>();
  for (const Entry &member : readMembers(context, "namespace", arguments)) {
    if (!member.key.isText())
      context.fail("expected texts as names of a namespace but got " + std::string(describe(member.key)));
    space.set(context, member.key.getText(), member.value);
  }
  return Value::object(Kind::Namespace, &space);
}

Value raiseException(Context &context, const Arguments &arguments) {
  const Bound bound(context, "raise_exception", arguments, {"message"}, 1);
  throw ChatRefusal(context.place(), std::string(toText(context, bound.get(0))));
}

/// Formats one directive, with its flag, by C's strftime.
std::string formatTime(Context &context, std::string_view directive, const std::tm &time) {
  constexpr std::string_view known = "aAbBcCdDeFgGhHIjklmMnpPrRStTuUVwWxXyY%";
  if (directive.back() == 'z' || directive.back() == 'Z')
    return {}; // local times have no zone
  if (known.find(directive.back()) == std::string_view::npos)
    context.fail("expected a directive of strftime but got '" + support::escape(directive, 20) + "'");
  char buffer[256];
  const size_t length = std::strftime(buffer, sizeof buffer, (std::string(directive) + ".").c_str(), &time);
  // Without the point, which distinguishes an empty text from a failure.
  return std::string(buffer, length ? length - 1 : 0);
}

Value strftimeNow(Context &context, const Arguments &arguments) {
  const Bound bound(context, "strftime_now", arguments, {"format"}, 1);
  const std::tm time = context.clock();
  TextBuilder out(context);
  for (std::string_view rest = bound.text(0); !rest.empty();) {
    const size_t percent = std::min(rest.find('%'), rest.size());
    out += rest.substr(0, percent);
    rest.remove_prefix(percent);
    if (rest.empty())
      break;
    const size_t length = rest.size() > 1 && std::string_view("-_0^#").find(rest[1]) != std::string_view::npos ? 3 : 2;
    if (rest.size() < length)
      context.fail("expected a directive of strftime behind '%'");
    out += formatTime(context, rest.substr(0, length), time);
    rest.remove_prefix(length);
  }
  return out.finish();
}

Value makeCycler(Context &context, const Arguments &arguments) {
  if (arguments.positional.empty() || !arguments.keywords.empty())
    context.fail("expected values for 'cycler'");
  return Value::object(Kind::Cycler, &context.make<Cycler>(arguments.positional));
}

Value makeJoiner(Context &context, const Arguments &arguments) {
  const Bound bound(context, "joiner", arguments, {"sep"});
  return Value::object(Kind::Joiner, &context.make<Joiner>(bound.get(0, Value::text(", "))));
}

const Function functions[] = {
    {"range", makeRange},          {"dict", makeDict},
    {"namespace", makeNamespace},  {"raise_exception", raiseException},
    {"strftime_now", strftimeNow}, {"cycler", makeCycler},
    {"joiner", makeJoiner},
};

} // namespace

const Function *findFunction(std::string_view name) {
  const auto found = std::find_if(std::begin(functions), std::end(functions),
                                  [&](const Function &function) { return function.name == name; });
  return found == std::end(functions) ? nullptr : found;
}

std::vector<std::string> functionNames() {
  std::vector<std::string> names;
  for (const Function &function : functions)
    names.emplace_back(function.name);
  return names;
}

const Value *Namespace::find(std::string_view name) const {
  for (const auto &[known, value] : members)
    if (known == name)
      return &value;
  return nullptr;
}

void Namespace::set(Context &context, std::string_view name, Value value) {
  if (name.starts_with('_'))
    context.fail("expected a namespace's member without a '_' in front but got '" + support::escape(name, 60) + "'");
  context.step(members.size() / 8 + 1);
  if (const Value *old = find(name)) {
    const_cast<Value &>(*old) = value;
    return;
  }
  context.addMemory(sizeof(members[0]));
  members.emplace_back(name, value);
}

} // namespace nstf::runtime::jinja
