// The elements of a value, one after another.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// Elements in order, each once: a value of kind Iterator, or one that walks a value that stays.
class Iterator : public Object {
public:
  /// False where there are no more.
  virtual bool next(Context &context, Value &element) = 0;
};

/// Walks a value; throws where it has no elements.
Iterator &iterate(Context &context, const Value &value);
bool isIterable(const Value &value);
/// All elements.
std::vector<Value> collect(Context &context, const Value &value);
/// From the last to the first.
Value reversed(Context &context, const Value &value);

/// An iterator of what `produce(context, element)` gives.
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
