// The methods of texts, dicts, lists and of `loop`: value.name(arguments).
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

/// Of one kind of value.
struct Method {
  std::string_view name;
  Value (*apply)(Context &context, const Value &self, const Arguments &arguments);
  /// Of a text marked as safe: what the method makes of it is no text or is safe too. Of others it is refused, since
  /// Python would escape what is put in.
  bool keepsMarkup = false;
};

/// A method with its value.
struct BoundMethod : Object {
  BoundMethod(Value self, const Method &method) : self(self), method(method) {}
  Value call(Context &context, const Arguments &arguments) const;
  Value self;
  const Method &method;
};

/// What `value.name` is where Python's object has an attribute of that name: a method, or undefined where the sandbox
/// forbids it. Nothing where there is none. Throws where it has one that isn't supported.
std::optional<Value> findAttribute(Context &context, const Value &value, std::string_view name);

/// Whether it is a method of Python's that isn't supported for any kind of value.
bool isUnsupportedMethod(std::string_view name);

extern const std::span<const Method> textMethods;   // what makes texts of a text
extern const std::span<const Method> searchMethods; // what is asked of a text
extern const std::span<const Method> dictMethods, sequenceMethods, loopMethods, cyclerMethods;

} // namespace nstf::runtime::jinja
