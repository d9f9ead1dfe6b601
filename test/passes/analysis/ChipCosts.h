// The costs of a built-in chip, for tests.
#pragma once

#include "compiler/target/Target.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "passes/analysis/Costs.h"

namespace nstf::test {

inline systolic::Costs getCosts(const Target &target, mlir::MLIRContext &context) {
  return systolic::Costs(TargetView(target.attribute(&context)));
}

} // namespace nstf::test
