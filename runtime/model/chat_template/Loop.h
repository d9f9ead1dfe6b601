// The variable `loop` in a for.
#pragma once

#include "runtime/model/chat_template/Iterate.h"

#include <deque>
#include <optional>

namespace nstf::runtime::jinja {

class Loop : public Object {
public:
  /// `length`: only if it is known without iterating.
  Loop(Iterator &elements, std::optional<int64_t> length, int depth)
      : elements(elements), length(length), depth(depth) {}

  bool next(Context &context, Value &element);
  int64_t getLength(Context &context);
  /// loop.index …; nothing if it has no member of this name.
  std::optional<Value> getMember(Context &context, std::string_view name);
  Value cycle(Context &context, std::span<const Value> items) const;
  /// Whether the values differ from those of the previous call.
  bool changed(Context &context, std::span<const Value> values);

  /// Renders the body for other elements, if the for is recursive.
  std::function<Value(Context &, const Value &)> recurse;
  int getDepth() const { return depth; }

private:
  /// The element after the current one; it stays in `ahead`.
  const Value *peek(Context &context);

  Iterator &elements;
  std::deque<Value> ahead;
  std::optional<int64_t> length;
  std::optional<Value> previous, current, lastChanged;
  int64_t index = -1;
  int depth; ///< nesting of recursive loops, from 0
};

} // namespace nstf::runtime::jinja
