#include "runtime/model/chat_template/Filters.h"

namespace nstf::runtime::jinja {

static const std::span<const Filter> *const tables[] = {&textFilters, &numberFilters, &sequenceFilters,
                                                        &selectionFilters};

const Filter *findFilter(std::string_view name) {
  for (const std::span<const Filter> *table : tables)
    for (const Filter &filter : *table)
      if (filter.name == name)
        return &filter;
  return nullptr;
}

std::vector<std::string> filterNames() {
  std::vector<std::string> names;
  for (const std::span<const Filter> *table : tables)
    for (const Filter &filter : *table)
      names.emplace_back(filter.name);
  return names;
}

} // namespace nstf::runtime::jinja
