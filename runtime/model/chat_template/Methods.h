// The methods of texts, dicts, lists and of `loop`: value.name(arguments).
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

/// A method of one kind of value.
struct Method {
  std::string_view name;
  Value (*apply)(Context &context, const Value &self, const Arguments &arguments);
  /// Whether the method may be called on a text marked as safe: its result is then no text, or is safe too. Other
  /// methods are refused on such texts, since Python would escape their arguments.
  bool keepsMarkup = false;
};

/// A method with the value it is called on.
struct BoundMethod : Object {
  BoundMethod(Value self, const Method &method) : self(self), method(method) {}
  Value call(Context &context, const Arguments &arguments) const;
  Value self;
  const Method &method;
};

/// The attribute `value.name` of Python's object: a method, or undefined if the sandbox forbids it. Nothing if there is
/// no such attribute. Throws if the attribute is not supported.
std::optional<Value> findAttribute(Context &context, const Value &value, std::string_view name);

/// Whether this is a method of Python's that is not supported for any kind of value.
bool isUnsupportedMethod(std::string_view name);

extern const std::span<const Method> textMethods;   // those that return texts
extern const std::span<const Method> searchMethods; // searches and tests
extern const std::span<const Method> dictMethods, sequenceMethods, loopMethods, cyclerMethods;

} // namespace nstf::runtime::jinja
