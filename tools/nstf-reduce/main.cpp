// nstf-reduce: MLIR's reducer with NSTF's dialects and passes. It reduces a .mlir file that shows a failure.
#include "compiler/driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nstf::registerDialects(registry);
  nstf::registerPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
