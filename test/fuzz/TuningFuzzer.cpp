// Fuzzes tuning files. A table that was read answers for any extents.
#include "compiler/catalog/TuningTable.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::expectRead([&] {
    const TuningTable table = parseTuning(fuzz::textOf(data, size), "tuning.yaml");
    table.find({{"M", 1}, {"N", 4096}, {"K", 64}});
    for (const TuningRow &row : table.rows)
      row.getMismatch({});
  });
  return 0;
}
