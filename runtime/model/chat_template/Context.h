// The state of one rendering of a template: the memory of its values, its limits, and the position for errors.
#pragma once

#include "nstf/ChatLimits.h"
#include "runtime/model/chat_template/Value.h"

#include <ctime>
#include <functional>
#include <memory>
#include <memory_resource>
#include <vector>

namespace nstf::runtime::jinja {

/// A position in the template; counted from 1.
struct Position {
  int line = 0, column = 0;
};

class Context {
public:
  Context(const ChatLimits &limits, const std::string &file) : limits(limits), stepsLeft(limits.steps), file(file) {}

  /// The position of the evaluation.
  Position at;
  /// Throws support::InputError at `at`.
  [[noreturn]] void fail(const std::string &message) const;
  /// "FILE:LINE:COLUMN" of `at`.
  std::string place() const;

  /// Counts work; throws when the limit is exceeded.
  void step(uint64_t count = 1) {
    if (count > stepsLeft)
      failSteps();
    stepsLeft -= count;
  }
  /// Counts work on this number of bytes.
  void stepBytes(uint64_t bytes) { step(bytes / 16 + 1); }
  /// Throws when a text of this number of bytes is too long.
  void checkText(uint64_t bytes) const {
    if (bytes > limits.textBytes)
      failText();
  }

  Value text(std::string_view text, bool markup = false);
  Value sequence(Kind kind, std::span<const Value> items, bool group = false);
  Value list(std::span<const Value> items) { return sequence(Kind::List, items); }
  Value tuple(std::initializer_list<Value> items) { return sequence(Kind::Tuple, {items.begin(), items.size()}); }
  Value dict(std::span<const Entry> entries);
  template <typename T, typename... Arguments> T &make(Arguments &&...arguments) {
    addMemory(sizeof(T) + 32);
    auto owner = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    T &result = *owner;
    objects.push_back(std::move(owner));
    return result;
  }
  /// Counts memory that an object allocates later.
  void addMemory(uint64_t bytes);

  Value undefined(std::string_view message) { return Value::undefined(&make<Cause>(text(message).getText())); }
  Value undefinedMember(const Value &owner, const Value &name) { return Value::undefined(&make<Cause>(owner, name)); }

  /// While it lives, the evaluation is one level deeper; throws when the limit of depth is exceeded.
  class Level {
  public:
    explicit Level(Context &context) : context(context) {
      if (++context.depth > context.limits.depth)
        context.failDepth();
    }
    ~Level() { --context.depth; }
    Level(const Level &) = delete;

  private:
    Context &context;
  };

  std::function<std::tm()> clock;

private:
  [[noreturn]] void failSteps() const;
  [[noreturn]] void failText() const;
  [[noreturn]] void failDepth();
  void *allocate(uint64_t bytes);

  ChatLimits limits;
  uint64_t stepsLeft, memoryUsed = 0;
  unsigned depth = 0;
  const std::string &file;
  std::pmr::monotonic_buffer_resource pool;
  std::vector<std::unique_ptr<Object>> objects;
};

/// A text that grows within the limits.
class TextBuilder {
public:
  explicit TextBuilder(Context &context) : context(context) {}
  TextBuilder &operator+=(std::string_view part) {
    context.checkText(bytes.size() + part.size());
    context.stepBytes(part.size());
    bytes += part;
    return *this;
  }
  TextBuilder &operator+=(char byte) { return *this += std::string_view(&byte, 1); }
  /// Appends `part` `count` times; not at all if `count` is negative.
  void repeat(std::string_view part, int64_t count);
  std::string_view view() const { return bytes; }
  Value finish(bool markup = false) { return context.text(bytes, markup); }
  std::string take() { return std::move(bytes); }

private:
  Context &context;
  std::string bytes;
};

} // namespace nstf::runtime::jinja
