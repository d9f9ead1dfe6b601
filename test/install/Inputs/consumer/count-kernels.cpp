// Counts the kernels of a graph in NSTF's dialect.
#include "compiler/driver/Registration.h"
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <iostream>

int main(int, char **argv) {
  mlir::DialectRegistry registry;
  nstf::registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  int kernels = 0;
  module->walk([&](nstf::KernelOp) { ++kernels; });
  std::cout << kernels << " kernels\n";
}
