// Members, items and slices of values, as jinja2's sandbox gives them.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// value.name: an attribute, else an item, else undefined.
Value getAttribute(Context &context, const Value &value, std::string_view name);
/// value[index]: an item, else an attribute, else undefined.
Value getItem(Context &context, const Value &value, const Value &index);
/// value[start:stop:step]; none stands for what isn't given.
Value getSlice(Context &context, const Value &value, const Value &start, const Value &stop, const Value &step);
/// Filters' attribute='a.b.0': members of members.
/// `fallback`: instead of what is undefined on the way.
Value getPath(Context &context, Value value, const Value &path, const Value &fallback = Value::none());

} // namespace nstf::runtime::jinja
