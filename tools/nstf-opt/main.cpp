// nstf-opt: runs any pass of NSTF alone on a .mlir file, with mlir-opt's options.
#include "compiler/driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nstf::registerDialects(registry);
  nstf::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "NSTF pass driver\n", registry));
}
