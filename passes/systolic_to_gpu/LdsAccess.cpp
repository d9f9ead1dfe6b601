#include "passes/systolic_to_gpu/LdsAccess.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using nstf::support::LdsDirection;

std::optional<nstf::LdsAccess> nstf::getLdsAccess(Operation *op) {
  auto access = [](LdsDirection direction, Value memory, Type type) -> std::optional<LdsAccess> {
    if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(memory.getType())))
      return std::nullopt;
    return LdsAccess{direction, type};
  };
  return llvm::TypeSwitch<Operation *, std::optional<LdsAccess>>(op)
      .Case([&](vector::LoadOp load) { return access(LdsDirection::Read, load.getBase(), load.getType()); })
      .Case([&](memref::LoadOp load) { return access(LdsDirection::Read, load.getMemRef(), load.getType()); })
      .Case([&](vector::StoreOp store) {
        return access(LdsDirection::Write, store.getBase(), store.getValueToStore().getType());
      })
      .Case([&](memref::StoreOp store) {
        return access(LdsDirection::Write, store.getMemRef(), store.getValue().getType());
      })
      .Default([](Operation *) { return std::nullopt; });
}
