// Parses the names of code types (CodeType.h).
#include "passes/nstf/CodeType.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

Type nstf::parseCodeType(StringRef name, MLIRContext *context) {
  return llvm::StringSwitch<Type>(name)
      .Case("i8", IntegerType::get(context, 8))
      .Case("e4m3fnuz", Float8E4M3FNUZType::get(context))
      .Default(Type());
}

FailureOr<Type> nstf::requireCodeType(StringRef name, ModuleOp module) {
  if (Type type = parseCodeType(name, module.getContext()))
    return type;
  return module.emitError() << "expected a type of codes (" << getCodeTypeNames() << ") but got '" << name << "'";
}

llvm::StringRef nstf::getCodeTypeNames() { return "i8 or e4m3fnuz"; }
