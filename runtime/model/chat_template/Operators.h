// Python's operators on values.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

bool isTrue(Context &context, const Value &value);
/// len(); throws if the value has no length.
int64_t getLength(Context &context, const Value &value);

// Arithmetic.cpp; `name`: + - * / // % **
Value applyBinary(Context &context, std::string_view name, const Value &left, const Value &right);
Value negate(Context &context, const Value &value);
Value affirm(Context &context, const Value &value);
inline Value add(Context &context, const Value &left, const Value &right) {
  return applyBinary(context, "+", left, right);
}

// Compare.cpp
bool isEqual(Context &context, const Value &left, const Value &right);
/// <; throws if the two values have no order.
bool isLess(Context &context, const Value &left, const Value &right);
bool isLessOrEqual(Context &context, const Value &left, const Value &right);
bool contains(Context &context, const Value &container, const Value &value);
/// Throws if the value cannot be a key of a dict.
void checkKey(Context &context, const Value &key);
/// nullptr if the dict has no such key.
const Value *find(Context &context, std::span<const Entry> entries, const Value &key);
/// `name`: == != < <= > >= in, not in
bool applyCompare(Context &context, std::string_view name, const Value &left, const Value &right);

} // namespace nstf::runtime::jinja
