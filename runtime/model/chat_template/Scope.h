// The scope of a part of a template.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// Names that are set in a loop, a macro or a block end with it; names of enclosing scopes can be read.
struct Scope : Object {
  explicit Scope(const Scope *parent) : parent(parent) {}

  void set(Context &context, std::string_view name, Value value) {
    context.step(names.size() / 8 + 1);
    for (auto &[known, old] : names)
      if (known == name) {
        old = value;
        return;
      }
    context.addMemory(sizeof(names[0]));
    names.emplace_back(name, value);
  }

  /// nullptr if the name is not set.
  const Value *find(Context &context, std::string_view name) const {
    for (const Scope *scope = this; scope; scope = scope->parent) {
      context.step(scope->names.size() / 8 + 1);
      for (const auto &[known, value] : scope->names)
        if (known == name)
          return &value;
    }
    return nullptr;
  }

  const Scope *parent;
  std::vector<std::pair<std::string_view, Value>> names;
};

} // namespace nstf::runtime::jinja
