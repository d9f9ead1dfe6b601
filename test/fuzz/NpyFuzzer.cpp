// Fuzzes NumPy's array files. A tensor that is read has exactly the bytes of its shape and type.
#include "nstf/Npy.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::expectRead([&] {
    const runtime::HostTensor tensor = runtime::readNpy(fuzz::makeFile(fuzz::getText(data, size)));
    if (tensor.data.size() != tensor.elements() * manifest::sizeOf(tensor.type))
      std::abort();
    tensor.str();
  });
  return 0;
}
