// A macro, or the body of a call block.
#pragma once

#include "runtime/model/chat_template/Ast.h"
#include "runtime/model/chat_template/Scope.h"

namespace nstf::runtime::jinja {

struct Macro : Object {
  Macro(const MacroBody &body, const Block &block, const Scope &scope) : body(&body), block(&block), scope(&scope) {}
  const MacroBody *body;
  const Block *block;
  const Scope *scope; ///< where it was defined; its names are visible
};

} // namespace nstf::runtime::jinja
