// Fuzzes YAML graphs: reads one, evaluates its parameters and expands its repeated sections.
#include "compiler/description/GraphExpansion.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;
using namespace nstf::description;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::expectRead([&] {
    const GraphDescription description = readGraphDescription(std::string(fuzz::getText(data, size)), "graph.yaml");
    expandGraph(description, evaluateParameters(description, /*source=*/nullptr));
  });
  return 0;
}
