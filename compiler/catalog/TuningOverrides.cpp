#include "compiler/catalog/TuningOverrides.h"
#include "support/Escape.h"

#include <charconv>

using namespace nstf;
using support::Schedule;

/// Larger than any useful parameter.
static constexpr int64_t maxParameter = 65536;

std::string TuningOverrides::add(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const std::string_view value = text.substr(std::min(name.size() + 1, text.size()));
  if (std::string_view field = Schedule::getFieldInPlaceOf(name); !field.empty())
    return "expected " + std::string(field) + "=VALUE in place of the parameter but got '" + support::escape(text) +
           "'";
  const bool isField = Schedule::isField(name);
  if (isField ? !schedule.get(name).empty() : parameters.contains(std::string(name)))
    return "expected each parameter once but got " + std::string(name) + " twice";
  if (isField) {
    std::string fault = schedule.set(name, value);
    return fault.empty() ? schedule.findFault() : fault;
  }
  int64_t number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (name.empty() || error != std::errc() || end != value.data() + value.size() || number < 0 || number > maxParameter)
    return "expected NAME=VALUE with a whole number of 0 to " + std::to_string(maxParameter) + " but got '" +
           support::escape(text) + "'";
  parameters.emplace(name, number);
  return "";
}

std::vector<std::string> TuningOverrides::getTexts() const {
  std::vector<std::string> texts;
  for (const auto &[name, value] : parameters)
    texts.push_back(name + "=" + std::to_string(value));
  for (std::string_view field : Schedule::fields)
    if (std::string value = schedule.get(field); !value.empty())
      texts.push_back(std::string(field) + "=" + value);
  return texts;
}
