// Values of a template, with Python's semantics.
//
// A value is 16 bytes and is copied freely: texts, lists and dicts are views into memory that the template or the
// rendering's Context owns until its end. All values but namespaces are immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nstf::runtime::jinja {

enum class Kind : uint8_t {
  Undefined, // a name, member or item that does not exist
  None,
  Boolean,
  Integer,
  Float,
  Text,
  List,
  Tuple,
  Dict,
  Keys, // views of a dict
  Values,
  Items,
  Range,
  Namespace,
  Iterator, // result of map, select, reverse …: elements in order, each once
  Loop,     // `loop` in a for
  Macro,
  Function, // range, namespace, raise_exception …
  Method,   // bound to a value: message.items
  Cycler,
  Joiner,
};

struct Entry;

/// An object with an address of its own; a Context owns it.
struct Object {
  virtual ~Object() = default;
};

class Value {
public:
  Value() = default; // undefined, without a cause
  static Value undefined(const Object *cause) {
    return Value(Kind::Undefined, {.object = const_cast<Object *>(cause)});
  }
  static Value none() { return Value(Kind::None, {}); }
  static Value boolean(bool value) { return Value(Kind::Boolean, {.integer = value}); }
  static Value integer(int64_t value) { return Value(Kind::Integer, {.integer = value}); }
  static Value real(double value) { return Value(Kind::Float, {.real = value}); }
  static Value text(std::string_view view, bool markup = false) {
    return Value(Kind::Text, {.text = view.data()}, static_cast<uint32_t>(view.size()), markup);
  }
  static Value sequence(Kind kind, std::span<const Value> items, bool group = false) {
    return Value(kind, {.items = items.data()}, static_cast<uint32_t>(items.size()), group);
  }
  static Value dict(std::span<const Entry> entries);
  static Value object(Kind kind, Object *object) { return Value(kind, {.object = object}); }
  /// A view of a dict: Keys, Values or Items; or, with Dict, the dict of a view.
  Value as(Kind other) const { return Value(other, payload, size, flag); }

  Kind kind() const { return tag; }
  bool is(Kind kind) const { return tag == kind; }
  bool isUndefined() const { return tag == Kind::Undefined; }
  bool isText() const { return tag == Kind::Text; }
  bool isSequence() const { return tag == Kind::List || tag == Kind::Tuple; }
  bool isView() const { return tag == Kind::Keys || tag == Kind::Values || tag == Kind::Items; }
  /// A boolean is an integer, as in Python.
  bool isInteger() const { return tag == Kind::Integer || tag == Kind::Boolean; }
  bool isNumber() const { return isInteger() || tag == Kind::Float; }
  /// A text that `safe` or `escape` marked; texts added to it are escaped.
  bool isMarkup() const { return tag == Kind::Text && flag; }
  /// A tuple that groupby makes; its parts are called grouper and list.
  bool isGroup() const { return tag == Kind::Tuple && flag; }

  int64_t getInteger() const { return payload.integer; }
  bool getBoolean() const { return payload.integer != 0; }
  double getReal() const { return payload.real; }
  /// The value of any number, integer or float.
  double asReal() const { return tag == Kind::Float ? payload.real : static_cast<double>(payload.integer); }
  std::string_view getText() const { return {payload.text, size}; }
  std::span<const Value> getItems() const { return {payload.items, size}; }
  std::span<const Entry> getEntries() const;
  template <typename T> T &get() const { return *static_cast<T *>(payload.object); }
  /// Whether both are the same object or, for simple values, have the same bits.
  bool isSame(const Value &other) const {
    return tag == other.tag && size == other.size && payload.integer == other.payload.integer;
  }
  const Object *getCause() const { return payload.object; }

private:
  union Payload {
    int64_t integer;
    double real;
    const char *text;
    const Value *items;
    const Entry *entries;
    Object *object;
  };
  Value(Kind tag, Payload payload, uint32_t size = 0, bool flag = false)
      : payload(payload), size(size), tag(tag), flag(flag) {}

  Payload payload = {.object = nullptr};
  uint32_t size = 0;
  Kind tag = Kind::Undefined;
  bool flag = false;
};

/// An entry of a dict; entries are in order of insertion.
struct Entry {
  Value key, value;
};

inline std::span<const Entry> Value::getEntries() const { return {payload.entries, size}; }

inline Value Value::dict(std::span<const Entry> entries) {
  return Value(Kind::Dict, {.entries = entries.data()}, static_cast<uint32_t>(entries.size()));
}

/// Why a value is undefined.
struct Cause : Object {
  explicit Cause(std::string_view message) : message(message) {}
  Cause(Value owner, Value name) : owner(owner), name(name), isMember(true) {}
  std::string_view message;
  Value owner, name; // if isMember: the value, and the member that it lacks
  bool isMember = false;
};

/// A range: it stores only these four numbers.
struct Range : Object {
  Range(int64_t start, int64_t stop, int64_t step, int64_t count)
      : start(start), stop(stop), step(step), count(count) {}
  int64_t start, stop, step, count;
};

/// "a list", "an integer", for messages.
std::string_view describe(const Value &value);
/// Why the value is undefined: "'x' is undefined", "a dict has no member 'x'".
std::string describeUndefined(const Value &value);

} // namespace nstf::runtime::jinja
