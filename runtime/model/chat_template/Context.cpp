#include "runtime/model/chat_template/Context.h"
#include "support/ByteSize.h"
#include "support/InputError.h"

#include <cstring>

namespace nstf::runtime::jinja {

static support::Place getPlace(const std::string &file, Position at) {
  return support::Place::of(file, at.line, at.column);
}

void Context::fail(const std::string &message) const { getPlace(file, at).error(message); }
std::string Context::place() const { return getPlace(file, at).str(); }

void Context::failSteps() const {
  fail("expected a template that ends within " + std::to_string(limits.steps) + " steps but got more");
}

void Context::failText() const {
  fail("expected texts of at most " + support::formatBytes(limits.textBytes) + " but got more");
}

void Context::failDepth() {
  --depth; // no Level will decrement it
  fail("expected macros, expressions and values at most " + std::to_string(limits.depth) +
       " deep inside one another but got more");
}

void Context::addMemory(uint64_t bytes) {
  memoryUsed += bytes;
  if (memoryUsed > limits.memoryBytes)
    fail("expected values of at most " + support::formatBytes(limits.memoryBytes) + " in all but got more");
}

void *Context::allocate(uint64_t bytes) {
  addMemory(bytes);
  return pool.allocate(bytes, alignof(Value));
}

Value Context::text(std::string_view text, bool markup) {
  checkText(text.size());
  if (text.empty())
    return Value::text("", markup);
  stepBytes(text.size());
  char *bytes = static_cast<char *>(allocate(text.size()));
  std::memcpy(bytes, text.data(), text.size());
  return Value::text({bytes, text.size()}, markup);
}

Value Context::sequence(Kind kind, std::span<const Value> items, bool group) {
  if (items.empty()) // has an address of its own, for `is sameas`
    return Value::sequence(kind, {kind == Kind::List ? static_cast<Value *>(allocate(1)) : nullptr, 0}, group);
  step(items.size());
  Value *copy = static_cast<Value *>(allocate(items.size_bytes()));
  std::uninitialized_copy(items.begin(), items.end(), copy);
  return Value::sequence(kind, {copy, items.size()}, group);
}

Value Context::dict(std::span<const Entry> entries) {
  if (entries.empty())
    return Value::dict({static_cast<Entry *>(allocate(1)), 0});
  step(entries.size());
  Entry *copy = static_cast<Entry *>(allocate(entries.size_bytes()));
  std::uninitialized_copy(entries.begin(), entries.end(), copy);
  return Value::dict({copy, entries.size()});
}

void TextBuilder::repeat(std::string_view part, int64_t count) {
  if (count <= 0 || part.empty())
    return;
  context.checkText(static_cast<uint64_t>(count)); // so that the product below cannot overflow
  context.checkText(bytes.size() + part.size() * static_cast<uint64_t>(count));
  context.stepBytes(part.size() * static_cast<uint64_t>(count));
  bytes.reserve(bytes.size() + part.size() * static_cast<uint64_t>(count));
  for (int64_t i = 0; i < count; ++i)
    bytes += part;
}

} // namespace nstf::runtime::jinja
