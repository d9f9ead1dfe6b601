// Fuzzes a package's manifest.json.
#include "nstf/Manifest.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::expectRead([&] { manifest::parseManifest(fuzz::getText(data, size), "manifest.json"); });
  return 0;
}
