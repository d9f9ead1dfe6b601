// The variable `loop` in a for.
#pragma once

#include "runtime/model/chat_template/Iterate.h"

#include <deque>
#include <optional>

namespace nstf::runtime::jinja {

class Loop : public Object {
public:
  /// `length`: where it is known without walking the elements.
  Loop(Iterator &elements, std::optional<int64_t> length, int depth)
      : elements(elements), length(length), depth(depth) {}

  bool next(Context &context, Value &element);
  int64_t getLength(Context &context);
  /// loop.index …; nothing where it has no member of that name.
  std::optional<Value> getMember(Context &context, std::string_view name);
  Value cycle(Context &context, std::span<const Value> items) const;
  /// Whether the values differ from those of the call before.
  bool changed(Context &context, std::span<const Value> values);

  /// Renders the body for other elements, where the for is recursive.
  std::function<Value(Context &, const Value &)> recurse;
  int getDepth() const { return depth; }

private:
  /// The element after this one, which is kept.
  const Value *peek(Context &context);

  Iterator &elements;
  std::deque<Value> ahead;
  std::optional<int64_t> length;
  std::optional<Value> previous, current, lastChanged;
  int64_t index = -1;
  int depth; ///< of loops that call themselves, from 0
};

} // namespace nstf::runtime::jinja
