// Members, items and slices of values, with the semantics of jinja2's sandbox.
#pragma once

#include "runtime/model/chat_template/Context.h"

namespace nstf::runtime::jinja {

/// value.name: an attribute, else an item, else undefined.
Value getAttribute(Context &context, const Value &value, std::string_view name);
/// value[index]: an item, else an attribute, else undefined.
Value getItem(Context &context, const Value &value, const Value &index);
/// value[start:stop:step]; a bound that is not given is none.
Value getSlice(Context &context, const Value &value, const Value &start, const Value &stop, const Value &step);
/// The path of a filter's attribute='a.b.0': member after member. `fallback` replaces an undefined member on the path.
Value getPath(Context &context, Value value, const Value &path, const Value &fallback = Value::none());

} // namespace nstf::runtime::jinja
