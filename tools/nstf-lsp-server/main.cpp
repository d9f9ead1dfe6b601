// nstf-lsp-server: MLIR's language server with NSTF's dialects, for .mlir files in an editor.
#include "compiler/driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nstf::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
