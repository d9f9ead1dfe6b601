// Fuzzes config.json: any text, read with the parameters of an architecture of templates/models, which the last byte
// selects.
#include "compiler/description/Config.h"
#include "templates/Templates.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;
using namespace nstf::description;

static const std::vector<GraphDescription> &architectures() {
  static const std::vector<GraphDescription> all = [] {
    std::vector<GraphDescription> read;
    for (std::string_view name : templateNames("models/"))
      read.push_back(readGraphDescription(std::string(*templateText(name)), std::string(name)));
    return read;
  }();
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return -1;
  const GraphDescription &architecture = architectures()[data[size - 1] % architectures().size()];
  fuzz::expectRead([&] {
    const Config config(fuzz::getText(data, size - 1), "/nowhere/config.json");
    fuzz::expectRead([&] { config.architectures(); });
    fuzz::expectRead([&] { config.modelType(); });
    evaluateParameters(architecture, &config);
  });
  return 0;
}
