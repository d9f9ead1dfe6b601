// Fuzzes safetensors files, by the compiler's reader and by the runtime's. Each byte of each tensor is read.
#include "compiler/checkpoint/SafeTensors.h"
#include "runtime/model/SafeTensorsFile.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

static volatile uint8_t sink;

static void readAll(const std::byte *bytes, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    sink = static_cast<uint8_t>(bytes[i]);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string &path = fuzz::fileOf(fuzz::textOf(data, size));
  fuzz::expectRead([&] {
    const SafeTensorsFile file(path);
    for (const StoredTensor &tensor : file.tensors())
      readAll(file.bytes(tensor), tensor.size);
  });
  fuzz::expectRead([&] {
    const runtime::SafeTensorsFile file(path);
    for (const char *name : {"a", "b", "lm_head.weight"})
      if (const runtime::SafeTensorsFile::Entry *entry = file.find(name))
        readAll(entry->bytes.data(), entry->bytes.size());
  });
  return 0;
}
