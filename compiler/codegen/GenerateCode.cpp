// nstf-generate-code: compiles each gpu.module to assembly and an object (Passes.td).
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Passes.h"
#include "dialects/nstf/Target.h"
#include "mlir/IR/Builders.h"

namespace nstf {
#define GEN_PASS_DEF_GENERATECODEPASS
#include "compiler/codegen/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

/// Checks that kernel symbols are unique in a code object; lld's error would name only object files.
llvm::Error checkSymbols(ArrayRef<gpu::GPUModuleOp> modules) {
  llvm::StringMap<StringRef> seen;
  for (gpu::GPUModuleOp module : modules)
    for (auto function : module.getOps<SymbolOpInterface>()) {
      if (!function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) && !function->hasAttr("rocdl.kernel"))
        continue;
      auto [entry, isNew] = seen.try_emplace(function.getName(), module.getName());
      if (!isNew)
        return llvm::createStringError("expected kernels of different names but got '" + function.getName() +
                                       "' in the modules '" + entry->second + "' and '" + module.getName() + "'");
    }
  return llvm::Error::success();
}

struct GenerateCodePass : nstf::impl::GenerateCodePassBase<GenerateCodePass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerCodegenTranslations(registry);
  }

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules;
    getOperation()->walk([&](gpu::GPUModuleOp module) { modules.push_back(module); });
    if (llvm::Error error = checkSymbols(modules))
      return fail(std::move(error));
    for (gpu::GPUModuleOp module : modules) {
      FailureOr<TargetView> target = TargetView::require(module);
      if (failed(target))
        return signalPassFailure();
      if (llvm::Error error = replace(module, *target))
        return fail(std::move(error));
    }
  }

private:
  void fail(llvm::Error error) {
    getOperation()->emitError() << llvm::toString(std::move(error));
    signalPassFailure();
  }

  llvm::Error replace(gpu::GPUModuleOp module, TargetView target) {
    CodegenOptions options;
    options.chip = target.chip().str();
    options.optimize = optimize;
    options.unroll = unroll;
    options.vectorize = vectorize;
    std::string name = module.getName().str(), llvmText;
    auto prefix = [&](llvm::Error error) {
      return llvm::createStringError("kernel '" + name + "': " + llvm::toString(std::move(error)));
    };
    auto assembly = compileToAssembly(module, options, keepLLVM ? &llvmText : nullptr);
    if (!assembly)
      return prefix(assembly.takeError());
    auto object = assemble(*assembly, options);
    if (!object)
      return prefix(object.takeError());

    OpBuilder builder(module);
    SmallVector<Attribute> objects;
    if (keepLLVM)
      objects.push_back(makeObject(&getContext(), options.chip, gpu::CompilationTarget::Offload, llvmText));
    objects.push_back(makeObject(&getContext(), options.chip, gpu::CompilationTarget::Assembly, *assembly));
    objects.push_back(makeObject(&getContext(), options.chip, gpu::CompilationTarget::Binary, *object));
    gpu::BinaryOp::create(builder, module.getLoc(), name, /*offloadingHandler=*/nullptr, objects);
    module.erase();
    return llvm::Error::success();
  }
};

} // namespace
