// The filters: value|name(arguments). Each file FiltersX.cpp implements one kind of them.
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

struct Filter {
  std::string_view name;
  Value (*apply)(Context &context, const Value &value, const Arguments &arguments);
};

/// nullptr if there is no filter of this name.
const Filter *findFilter(std::string_view name);
std::vector<std::string> filterNames();

extern const std::span<const Filter> textFilters, numberFilters, sequenceFilters, selectionFilters;

} // namespace nstf::runtime::jinja
