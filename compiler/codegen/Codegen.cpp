// The representation of machine code in the IR (Codegen.h).
#include "compiler/codegen/Codegen.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace nstf {

gpu::ObjectAttr makeObject(MLIRContext *context, StringRef chip, gpu::CompilationTarget format, StringRef bytes) {
  auto target = ROCDL::ROCDLTargetAttr::get(context, /*optLevel=*/1, amdgpuTriple, chip, /*features=*/"",
                                            std::to_string(codeObjectVersionFlag));
  return gpu::ObjectAttr::get(context, target, format, StringAttr::get(context, bytes), /*properties=*/{},
                              /*kernels=*/{});
}

std::optional<StringRef> getObject(gpu::BinaryOp binary, gpu::CompilationTarget format) {
  for (Attribute attribute : binary.getObjects())
    if (auto object = dyn_cast<gpu::ObjectAttr>(attribute); object && object.getFormat() == format)
      return object.getObject().getValue();
  return std::nullopt;
}

} // namespace nstf
