#include "runtime/emulator/memory/CodeObject.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::emulator {

LoadError::LoadError(Reason reason, std::string message)
    : std::runtime_error(support::escape(message, support::longLimit)), reason(reason) {}

Program::~Program() {
  cache = nullptr; // may read the image
  if (image)
    memory.free(image);
}

const Kernel *Program::kernel(std::string_view name) const {
  for (const std::unique_ptr<Kernel> &kernel : kernelList)
    if (kernel->name == name)
      return kernel.get();
  return nullptr;
}

const Program::Variable *Program::variable(std::string_view name) const {
  auto it = std::lower_bound(variables.begin(), variables.end(), name,
                             [](const Variable &variable, std::string_view text) { return variable.name < text; });
  return it != variables.end() && it->name == name ? &*it : nullptr;
}

std::string Program::functionAt(uint64_t address) const {
  auto it = std::upper_bound(functions.begin(), functions.end(), address,
                             [](uint64_t value, const Function &function) { return value < function.begin; });
  if (it == functions.begin())
    return "";
  --it;
  return address < it->end || it->end == it->begin ? it->name : "";
}

std::vector<Program::TextRange> Program::functionRanges() const {
  std::vector<TextRange> ranges;
  for (const Function &function : functions)
    if (function.end > function.begin)
      ranges.push_back({function.begin, function.end});
  return ranges;
}

} // namespace nstf::emulator
