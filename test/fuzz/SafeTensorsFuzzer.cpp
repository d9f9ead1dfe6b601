// Fuzzes safetensors files. Each byte of each tensor is read.
#include "support/SafeTensors.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

static volatile uint8_t sink;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string &path = fuzz::makeFile(fuzz::getText(data, size));
  fuzz::expectRead([&] {
    const support::SafeTensorsFile file(path);
    for (const support::StoredTensor &tensor : file.tensors())
      for (std::byte byte : file.bytes(tensor))
        sink = static_cast<uint8_t>(byte);
  });
  return 0;
}
