// nstf-deduplicate-kernels: equal layers are compiled once (Passes.td).
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace nstf {
#define GEN_PASS_DEF_DEDUPLICATEKERNELSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

// All attributes of a kernel but its name.
DictionaryAttr getAttributes(KernelOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel->getContext());
}

// Equal kernels have equal hashes; the converse is for isEqual to say.
llvm::hash_code hashKernel(KernelOp kernel) {
  llvm::hash_code hash = hash_value(getAttributes(kernel));
  for (Operation &op : kernel.getBody().front())
    hash = llvm::hash_combine(hash, op.getName(), op.getAttrDictionary(), op.getResultTypes());
  return hash;
}

bool isEqual(KernelOp a, KernelOp b) {
  return getAttributes(a) == getAttributes(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

struct DeduplicateKernelsPass : nstf::impl::DeduplicateKernelsPassBase<DeduplicateKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Every different kernel with those that equal it, by hash, in the order of the module.
    llvm::MapVector<size_t, SmallVector<SmallVector<KernelOp, 1>, 1>> buckets;
    llvm::StringMap<KernelOp> survivors; // by the name of the kernel that goes
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      auto &classes = buckets[hashKernel(kernel)];
      auto equal = llvm::find_if(classes, [&](auto &members) { return isEqual(members.front(), kernel); });
      if (equal == classes.end()) {
        classes.push_back({kernel});
      } else {
        equal->push_back(kernel);
        survivors[kernel.getSymName()] = equal->front();
      }
    }
    getOperation().walk([&](StepOp step) {
      auto survivor = survivors.find(step.getKernel());
      if (survivor != survivors.end())
        step.setKernel(survivor->second.getSymName());
    });
    for (auto &[hash, classes] : buckets)
      for (auto &members : classes) {
        if (members.size() == 1)
          continue;
        KernelOp survivor = members.front();
        remark::passed(survivor.getLoc(),
                       remark::RemarkOpts::name("EqualKernels").category(getArgument()).function(survivor.getSymName()))
            << "equal kernels became one" << remark::metric("kernels", int64_t(members.size()));
        for (KernelOp kernel : llvm::drop_begin(members))
          kernel.erase();
      }
  }
};

} // namespace
