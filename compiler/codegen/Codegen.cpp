// Modules to code object: every module on a thread of the context's pool, then one link. See Codegen.h.
#include "compiler/codegen/Codegen.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace nstf {

char CodegenError::ID = 0;

/// Symbols of kernels must be unique in a code object; lld would only name object files without a meaning to the user.
static llvm::Error checkSymbols(ArrayRef<gpu::GPUModuleOp> modules) {
  llvm::StringMap<StringRef> seen;
  for (gpu::GPUModuleOp module : modules)
    for (auto function : const_cast<gpu::GPUModuleOp &>(module).getOps<SymbolOpInterface>()) {
      if (!function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) && !function->hasAttr("rocdl.kernel"))
        continue;
      auto [entry, isNew] = seen.try_emplace(function.getName(), module.getName());
      if (!isNew)
        return llvm::createStringError("expected kernels of different names but got '" + function.getName() +
                                       "' in the modules '" + entry->second + "' and '" + module.getName() + "'");
    }
  return llvm::Error::success();
}

llvm::Expected<CodeObject> generateCode(ArrayRef<gpu::GPUModuleOp> modules, const CodegenOptions &options) {
  if (modules.empty())
    return llvm::createStringError("expected at least one kernel but got none");
  if (llvm::Error error = checkSymbols(modules))
    return error;
  if (llvm::Error error = checkProcessor(options))
    return error;

  CodeObject result;
  result.stages.resize(modules.size());
  std::vector<std::string> objects(modules.size());
  std::vector<std::string> failures(modules.size());
  parallelFor(modules.front()->getContext(), 0, modules.size(), [&](size_t i) {
    gpu::GPUModuleOp module = modules[i];
    KernelStages &stages = result.stages[i];
    stages.name = module.getName();
    auto compile = [&]() -> llvm::Expected<std::string> {
      auto assembly = compileToAssembly(module, options, options.keepLLVM ? &stages.llvm : nullptr);
      if (!assembly)
        return assembly.takeError();
      auto object = assemble(*assembly, options);
      if (options.keepAssembly)
        stages.assembly = std::move(*assembly);
      return object;
    };
    auto compileOrFail = [&] {
      if (llvm::Expected<std::string> object = compile())
        objects[i] = std::move(*object);
      else
        failures[i] = ("kernel '" + module.getName() + "': " + llvm::toString(object.takeError())).str();
    };
    if (options.around)
      options.around(i, compileOrFail);
    else
      compileOrFail();
    if (options.onKernel)
      options.onKernel(stages.name);
  });
  for (size_t i = 0; i < failures.size(); ++i)
    if (!failures[i].empty())
      return llvm::make_error<CodegenError>(i, std::move(failures[i]));

  auto together = [](llvm::Error error) {
    return llvm::make_error<CodegenError>(CodegenError::all, llvm::toString(std::move(error)));
  };
  auto bytes = linkObjects(objects);
  if (!bytes)
    return together(bytes.takeError());
  result.bytes = std::move(*bytes);
  auto kernels = readKernelMetadata(result.bytes);
  if (!kernels)
    return together(kernels.takeError());
  result.kernels = std::move(*kernels);
  return result;
}

} // namespace nstf
