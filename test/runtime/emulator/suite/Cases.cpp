// The list of cases, for every way of running them.
#include "test/runtime/emulator/suite/suite.h"

#include <utility>

namespace suite {

static std::vector<Case *> &registered() {
  static std::vector<Case *> all;
  return all;
}

Case::Case(const char *file, const char *name, std::vector<int> sizes, void (*run)(Run &), const char *only)
    : file(file), name(name), sizes(std::move(sizes)), run(run), only(only) {
  registered().push_back(this);
}
const std::vector<Case *> &cases() { return registered(); }

Run::Run(void *module, bool gfx942, int size) : gfx942(gfx942), size(size), module(module) {}

} // namespace suite
