#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Loop.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

using Names = std::initializer_list<std::string_view>;

bool isIn(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

const Method *find(std::span<const Method> methods, std::string_view name) {
  const auto found =
      std::find_if(methods.begin(), methods.end(), [&](const Method &method) { return method.name == name; });
  return found == methods.end() ? nullptr : &*found;
}

const Method *findMethod(const Value &value, std::string_view name) {
  switch (value.kind()) {
  case Kind::Text: {
    const Method *method = find(textMethods, name);
    return method ? method : find(searchMethods, name);
  }
  case Kind::Dict:
    return find(dictMethods, name);
  case Kind::List:
  case Kind::Tuple:
    return value.is(Kind::Tuple) && name == "copy" ? nullptr : find(sequenceMethods, name);
  case Kind::Loop:
    return find(loopMethods, name);
  case Kind::Cycler:
    return find(cyclerMethods, name);
  default:
    return nullptr;
  }
}

/// Attributes that the sandbox forbids, since they would change a value.
bool isForbidden(const Value &value, std::string_view name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))
    return true;
  if (value.is(Kind::List))
    return isIn({"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}, name);
  return value.is(Kind::Dict) && isIn({"clear", "pop", "popitem", "setdefault", "update"}, name);
}

/// Attributes of Python's objects that are not supported.
bool isUnsupported(const Value &value, std::string_view name) {
  switch (value.kind()) {
  case Kind::Text:
    return isIn(
        {"encode", "expandtabs", "format_map", "isidentifier", "isnumeric", "isprintable", "maketrans", "translate"},
        name);
  case Kind::Dict:
    return name == "fromkeys";
  case Kind::Boolean:
  case Kind::Integer:
  case Kind::Float:
    return isIn({"as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator", "from_bytes", "fromhex",
                 "hex", "imag", "is_integer", "numerator", "real", "to_bytes"},
                name);
  case Kind::Range:
    return isIn({"count", "index", "start", "step", "stop"}, name);
  case Kind::Keys:
  case Kind::Values:
  case Kind::Items:
    return isIn({"isdisjoint", "mapping"}, name);
  case Kind::Macro:
    return isIn({"arguments", "caller", "catch_kwargs", "catch_varargs", "explicit_caller", "name"}, name);
  default:
    return false;
  }
}

std::optional<Value> findMember(Context &context, const Value &value, std::string_view name) {
  if (value.is(Kind::Namespace)) {
    const Value *member = value.get<Namespace>().find(name);
    return member ? std::optional(*member) : std::nullopt;
  }
  if (value.is(Kind::Loop))
    return value.get<Loop>().getMember(context, name);
  if (value.is(Kind::Cycler) && name == "current")
    return value.get<Cycler>().items[value.get<Cycler>().next];
  if (value.isGroup() && (name == "grouper" || name == "list"))
    return value.getItems()[name == "list"];
  return std::nullopt;
}

} // namespace

std::optional<Value> findAttribute(Context &context, const Value &value, std::string_view name) {
  context.step();
  if (std::optional<Value> member = findMember(context, value, name))
    return member;
  if (const Method *method = findMethod(value, name))
    return Value::object(Kind::Method, &context.make<BoundMethod>(value, *method));
  if (isForbidden(value, name))
    return context.undefined("the sandbox has no '" + std::string(name) + "' of " + std::string(describe(value)));
  if (isUnsupported(value, name))
    context.fail("'" + std::string(name) + "' of " + std::string(describe(value)) + " is not supported");
  return std::nullopt;
}

bool isUnsupportedMethod(std::string_view name) {
  return isIn({"as_integer_ratio", "bit_count", "bit_length", "conjugate", "encode", "expandtabs", "format_map",
               "from_bytes", "fromhex", "fromkeys", "is_integer", "isdisjoint", "isidentifier", "isnumeric",
               "isprintable", "maketrans", "to_bytes", "translate"},
              name);
}

Value BoundMethod::call(Context &context, const Arguments &arguments) const {
  if (!self.isText())
    return method.apply(context, self, arguments);
  context.stepBytes(self.getText().size());
  if (!self.isMarkup())
    return method.apply(context, self, arguments);
  if (!method.keepsMarkup)
    context.fail("'" + std::string(method.name) + "' of " + std::string(describe(self)) + " is not supported");
  const Value result = method.apply(context, Value::text(self.getText()), arguments);
  return result.isText() ? Value::text(result.getText(), true) : result;
}

} // namespace nstf::runtime::jinja
