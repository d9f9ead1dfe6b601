// nstf-deduplicate-kernels: merges equal kernels (Passes.td).
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace nstf {
#define GEN_PASS_DEF_DEDUPLICATEKERNELSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

// All attributes of a kernel except its name.
DictionaryAttr getAttributes(KernelOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel->getContext());
}

// Equal kernels have equal hashes; isEqual decides among kernels of one hash.
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
    // By hash: the distinct kernels, each with its duplicates, in module order.
    llvm::MapVector<size_t, SmallVector<SmallVector<KernelOp, 1>, 1>> buckets;
    llvm::StringMap<KernelOp> survivors; // by the original name of each kernel
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      auto &classes = buckets[hashKernel(kernel)];
      auto equal = llvm::find_if(classes, [&](auto &members) { return isEqual(members.front(), kernel); });
      if (equal == classes.end())
        equal = classes.insert(classes.end(), SmallVector<KernelOp, 1>());
      equal->push_back(kernel);
      survivors[kernel.getSymName()] = equal->front();
    }
    for (auto &[hash, classes] : buckets)
      for (auto &members : classes) {
        if (members.size() == 1)
          continue;
        KernelOp survivor = members.front();
        remark::passed(survivor.getLoc(),
                       remark::RemarkOpts::name("EqualKernels").category(getArgument()).function(survivor.getSymName()))
            << "equal kernels became one" << remark::metric("kernels", int64_t(members.size()));
        if (auto name = dyn_cast<NameLoc>(survivor.getLoc())) {
          std::string all = (name.getName().strref() + " and " + Twine(members.size() - 1) + " more").str();
          survivor->setLoc(NameLoc::get(StringAttr::get(&getContext(), all), name.getChildLoc()));
        }
        for (KernelOp kernel : llvm::drop_begin(members))
          kernel.erase();
      }
    closeGaps();
    getOperation().walk([&](StepOp step) {
      auto survivor = survivors.find(step.getKernel());
      if (survivor != survivors.end())
        step.setKernel(survivor->second.getSymName());
    });
  }

  // Renumbers the remaining kernels, so that their names do not depend on the number of layers: of @linear_0 and
  // @linear_8 the second becomes @linear_1. A name without a number stays.
  void closeGaps() {
    llvm::StringSet<> taken; // names of symbols that keep theirs
    for (Operation &op : *getOperation().getBody())
      if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        if (!isa<KernelOp>(op) || !splitNumber(name).second)
          taken.insert(name);
    llvm::StringMap<int64_t> numbers;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (auto [stem, isNumbered] = splitNumber(kernel.getSymName()); isNumbered) {
        std::string name;
        do
          name = (stem + Twine(numbers[stem]++)).str();
        while (taken.contains(name));
        kernel.setSymName(name);
      }
  }

  // "linear_8" -> "linear_", and whether the name had a number.
  static std::pair<std::string, bool> splitNumber(StringRef name) {
    StringRef stem = name.rtrim("0123456789");
    return {stem.str(), stem.ends_with("_") && stem.size() != name.size()};
  }
};

} // namespace
