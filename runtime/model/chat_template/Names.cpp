#include "runtime/model/chat_template/Names.h"

namespace nstf::runtime::jinja {

size_t Names::enter() {
  parts.push_back({current});
  return current = parts.size() - 1;
}

std::vector<std::vector<std::string_view>> Names::findUnset() const {
  std::vector<std::vector<std::string_view>> result(parts.size());
  for (size_t i = 0; i < parts.size(); ++i)
    for (const auto &[name, setFirst] : parts[i].setFirst) {
      bool isKnown = !setFirst;
      for (size_t around = parts[i].parent; !isKnown && around != SIZE_MAX; around = parts[around].parent)
        isKnown = parts[around].setFirst.count(name);
      if (!isKnown)
        result[i].push_back(name);
    }
  return result;
}

} // namespace nstf::runtime::jinja
