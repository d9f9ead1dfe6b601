// Iteration over the elements of a value.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// Returns elements in order, each once. It is either a value of kind Iterator itself, or iterates over a value that
/// does not change.
class Iterator : public Object {
public:
  /// Returns false when there are no more elements.
  virtual bool next(Context &context, Value &element) = 0;
};

/// Begins an iteration over a value; throws if the value is not iterable.
Iterator &iterate(Context &context, const Value &value);
bool isIterable(const Value &value);
/// All elements.
std::vector<Value> collect(Context &context, const Value &value);
/// The elements from the last to the first.
Value reversed(Context &context, const Value &value);

/// An iterator over the elements that `produce(context, element)` returns.
template <typename Produce> Value makeIterator(Context &context, Produce produce) {
  struct Producer : Iterator {
    explicit Producer(Produce produce) : produce(std::move(produce)) {}
    bool next(Context &context, Value &element) override {
      Context::Level level(context);
      context.step();
      return produce(context, element);
    }
    Produce produce;
  };
  return Value::object(Kind::Iterator, &context.make<Producer>(std::move(produce)));
}

} // namespace nstf::runtime::jinja
