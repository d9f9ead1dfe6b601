// The tests: value is name(arguments).
#pragma once

#include "runtime/model/chat_template/Arguments.h"

namespace nstf::runtime::jinja {

struct Test {
  std::string_view name;
  bool (*apply)(Context &context, const Value &value, const Arguments &arguments);
};

/// nullptr if there is no test of this name.
const Test *findTest(std::string_view name);
std::vector<std::string> testNames();

} // namespace nstf::runtime::jinja
