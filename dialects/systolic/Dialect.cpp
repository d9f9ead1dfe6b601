// Registration of the systolic dialect, its inlining rule and the aliases it prints.
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nstf::systolic;

#include "dialects/systolic/Dialect.cpp.inc"

#include "dialects/systolic/Enums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/systolic/Ops.cpp.inc"

namespace {

/// The slots of a kernel are functions that hold systolic ops; without this interface the inliner silently skips them.
struct SystolicInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

/// Prints aliases for layouts, since types with a spelled-out layout are unreadable.
struct SystolicAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<FragmentAttr>(attribute))
      return AliasResult::NoAlias;
    os << "fragment";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void SystolicDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/systolic/Ops.cpp.inc"
      >();
  addInterfaces<SystolicInlinerInterface, SystolicAsmInterface>();
}
