// The interfaces of operations and the kernel templates agree.
#include "compiler/driver/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "passes/nstf_to_systolic/Binding.h"
#include "templates/Templates.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nstf;

namespace {

class TemplateOps : public testing::Test {
protected:
  TemplateOps() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// One operation for each name of the nstf dialect with the interface, on f32 matrices, with as many operands as a
  /// linear: enough to query its templates.
  template <typename Interface> std::vector<Operation *> makeOps() {
    OpBuilder builder(&context);
    builder.setInsertionPointToEnd(module->getBody());
    Type matrix = RankedTensorType::get({1, 1}, builder.getF32Type());
    Value operand =
        UnrealizedConversionCastOp::create(builder, builder.getUnknownLoc(), matrix, ValueRange()).getResult(0);
    std::vector<Operation *> ops;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (name.hasInterface<Interface>() && name.getDialectNamespace() == NSTFDialect::getDialectNamespace())
        ops.push_back(builder.create(OperationState(builder.getUnknownLoc(), name, {operand, operand}, {}, {})));
    return ops;
  }

  OwningOpRef<ModuleOp> parseTemplate(StringRef name) {
    std::optional<std::string_view> text = templateText("kernels/" + name.str() + ".mlir");
    return text ? parseSourceString<ModuleOp>(StringRef(text->data(), text->size()), &context) : nullptr;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
};

TEST_F(TemplateOps, HaveTheirTemplates) {
  std::vector<Operation *> ops = makeOps<TemplateOp>();
  EXPECT_GE(ops.size(), 20u);
  for (Operation *op : ops)
    for (StringRef name : cast<TemplateOp>(op).getTemplateNames()) {
      OwningOpRef<ModuleOp> kernel = parseTemplate(name);
      ASSERT_TRUE(kernel) << op->getName().getStringRef().str() << " names a template " << name.str();
      EXPECT_TRUE(kernel->lookupSymbol<systolic::KernelOp>(name));
    }
}

TEST_F(TemplateOps, WithAnEpilogueHaveTemplatesThatDeclareOne) {
  std::vector<Operation *> ops = makeOps<EpilogueOp>();
  EXPECT_GE(ops.size(), 15u);
  for (Operation *op : ops) {
    std::string what = op->getName().getStringRef().str();
    auto anchor = dyn_cast<TemplateOp>(op);
    ASSERT_TRUE(anchor) << what << " says that it has an epilogue, and has no template";
    for (StringRef name : anchor.getTemplateNames()) {
      OwningOpRef<ModuleOp> kernel = parseTemplate(name);
      ASSERT_TRUE(kernel) << name.str();
      EXPECT_TRUE(kernel->lookupSymbol<func::FuncOp>("epilogue"))
          << what << " says that it has an epilogue, but templates/kernels/" << name.str() << ".mlir declares none";
    }
  }
}

} // namespace
