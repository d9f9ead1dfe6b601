// Fuzzes tuning files: tables of rows, which must answer for any extents, and rules of templates.
#include "compiler/catalog/TuningTable.h"
#include "test/fuzz/FuzzInput.h"

using namespace nstf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::expectRead([&] {
    const TuningTable table = parseTuning(fuzz::getText(data, size), "tuning.yaml");
    table.find({{"M", 1}, {"N", 4096}, {"K", 64}});
    for (const TuningRow &row : table.rows)
      row.getMismatch({});
  });
  fuzz::expectRead([&] {
    for (const auto &[operation, rules] : parseTemplateRules(fuzz::getText(data, size), "templates.yaml"))
      for (const TemplateRule &rule : rules)
        getMismatch(rule.ranges, {{"K", 64}});
  });
  return 0;
}
