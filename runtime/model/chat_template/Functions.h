// The functions that a template may call by name: range, dict, namespace, raise_exception, strftime_now, cycler,
// joiner.
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

struct Function : Object {
  using Apply = Value (*)(Context &context, const Arguments &arguments);
  Function(std::string_view name, Apply apply) : name(name), apply(apply) {}
  std::string_view name;
  Apply apply;
};

/// nullptr if there is no function of this name.
const Function *findFunction(std::string_view name);
std::vector<std::string> functionNames();

/// The result of namespace(): members that `set` may change.
struct Namespace : Object {
  std::vector<std::pair<std::string_view, Value>> members;
  const Value *find(std::string_view name) const;
  void set(Context &context, std::string_view name, Value value);
};

/// cycler('a', 'b') returns its items in turn.
struct Cycler : Object {
  explicit Cycler(std::vector<Value> items) : items(std::move(items)) {}
  std::vector<Value> items;
  size_t next = 0;
};

/// joiner(', ') returns an empty text at its first call, then the separator.
struct Joiner : Object {
  explicit Joiner(Value separator) : separator(separator) {}
  Value separator;
  bool used = false;
};

} // namespace nstf::runtime::jinja
