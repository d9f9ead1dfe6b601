// Fuzzes files of --target: a chip's numbers in YAML.
#include "compiler/target/Target.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::expectRead([&] { parseTarget(fuzz::getText(data, size), "target.yaml"); });
  return 0;
}
