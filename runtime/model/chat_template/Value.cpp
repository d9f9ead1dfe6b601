#include "runtime/model/chat_template/Value.h"

namespace nstf::runtime::jinja {

std::string_view describe(const Value &value) {
  switch (value.kind()) {
  case Kind::Undefined:
    return "an undefined value";
  case Kind::None:
    return "none";
  case Kind::Boolean:
    return value.getBoolean() ? "true" : "false";
  case Kind::Integer:
    return "an integer";
  case Kind::Float:
    return "a float";
  case Kind::Text:
    return value.isMarkup() ? "a text marked as safe" : "a text";
  case Kind::List:
    return "a list";
  case Kind::Tuple:
    return "a tuple";
  case Kind::Dict:
    return "a dict";
  case Kind::Keys:
    return "the keys of a dict";
  case Kind::Values:
    return "the values of a dict";
  case Kind::Items:
    return "the items of a dict";
  case Kind::Range:
    return "a range";
  case Kind::Namespace:
    return "a namespace";
  case Kind::Iterator:
    return "an iterator";
  case Kind::Loop:
    return "a loop";
  case Kind::Macro:
    return "a macro";
  case Kind::Function:
    return "a function";
  case Kind::Method:
    return "a method";
  case Kind::Cycler:
    return "a cycler";
  case Kind::Joiner:
    return "a joiner";
  }
  return "a value";
}

std::string describeUndefined(const Value &value) {
  const auto *cause = static_cast<const Cause *>(value.getCause());
  if (!cause)
    return "the value is undefined";
  if (!cause->isMember)
    return std::string(cause->message);
  std::string name = cause->name.isText()            ? "'" + std::string(cause->name.getText()) + "'"
                     : cause->name.is(Kind::Integer) ? std::to_string(cause->name.getInteger())
                                                     : std::string(describe(cause->name));
  return std::string(describe(cause->owner)) + " has no member " + name;
}

} // namespace nstf::runtime::jinja
