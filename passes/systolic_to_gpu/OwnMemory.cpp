// Computes a workgroup's part of buffers whose size depends on the launch's tokens, or of which each request has a
// copy.
#include "dialects/systolic/Systolic.h"
#include "passes/systolic_to_gpu/TileLowering.h"
#include "support/ControlBlock.h"

using namespace mlir;
using namespace nstf::systolic;

void nstf::systolic::placeOwnMemory(IndexBuilder &index, KernelContext &context, Value control, Value request,
                                    const DenseSet<Value> &bySlot) {
  if (context.ownMemory.empty() && !request)
    return;
  auto read = [&](ControlField field) -> Value { return ControlOp::create(index.builder, index.loc, control, field); };
  Value first, slot;
  if (request) {
    constexpr int64_t blockSize = sizeof(nstf::support::ControlBlock) / 4;
    context.controlStart = index.add(index.mul(request, blockSize), blockSize);
    first = read(ControlField::first);
    slot = read(ControlField::slot);
  }
  Value tokens = read(ControlField::tokens);
  for (auto &[buffer, own] : context.ownMemory) {
    int64_t elements = cast<MemRefType>(own.memory.getType()).getNumElements();
    OpFoldResult size = index.builder.getIndexAttr(elements);
    if (own.perToken) {
      Value max = index.constant(elements / own.perToken);
      size = index.mul(arith::MinUIOp::create(index.builder, index.loc, tokens, max), own.perToken);
    }
    if (request)
      own.begin =
          own.perToken ? index.mul(first, own.perToken) : index.mul(bySlot.contains(buffer) ? slot : request, elements);
    own.memory = viewFrom(index, own.memory, own.begin, size);
  }
}
