// Converts a target to the attribute `nstf.target` of a module.
#include "compiler/target/Target.h"

#include "dialects/nstf/Target.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nstf {

DictionaryAttr Target::attribute(MLIRContext *context) const {
  Builder builder(context);
  auto entry = [&](StringRef key, Attribute value) { return builder.getNamedAttr(key, value); };
  SmallVector<Attribute> rows;
  for (const Instruction &i : matrixInstructions)
    rows.push_back(builder.getDictionaryAttr(
        {entry("name", builder.getStringAttr(i.name)), entry("m", builder.getI64IntegerAttr(i.m)),
         entry("n", builder.getI64IntegerAttr(i.n)), entry("k", builder.getI64IntegerAttr(i.k)),
         entry("blocks", builder.getI64IntegerAttr(i.blocks)), entry("a", builder.getStringAttr(i.a)),
         entry("b", builder.getStringAttr(i.b)), entry("c", builder.getStringAttr(i.c)),
         entry("passes", builder.getI64IntegerAttr(i.passes))}));
  SmallVector<NamedAttribute> entries = {
      entry("name", builder.getStringAttr(name)), entry("chip", builder.getStringAttr(chip)),
      entry("fp8", builder.getStringAttr(fp8)), entry("wave_sizes", builder.getDenseI64ArrayAttr(waveSizes)),
      entry("matrix_instructions", builder.getArrayAttr(rows))};
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) entries.push_back(entry(#key, builder.getI64IntegerAttr(name)));
#include "dialects/nstf/TargetFields.def"
  return builder.getDictionaryAttr(entries);
}

void attachTarget(ModuleOp module, const Target &target) {
  module->setAttr(TargetView::attributeName, target.attribute(module.getContext()));
}

} // namespace nstf
