// Compiles one gpu.module to LLVM IR and to assembly text. These settings differ from LLVM's defaults:
//
// - code object version 5 (LLVM 22 would write 6);
// - argument names, so that the metadata has them;
// - the pipeline of the options (by default O1 without unrolling and vectorisation: Passes.td gives the reason);
// - no loop strength reduction: it makes offsets that fail a buffer's range check (see below);
// - debug information (if a pass made some) without folders;
// - a diagnostic handler: without one LLVM continues after an error ("LDS over the limit") and emits code.
#include "compiler/codegen/Codegen.h"
#include "dialects/systolic/Systolic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace nstf {

void registerCodegenTranslations(DialectRegistry &registry) {
  registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect, systolic::SystolicDialect>();
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

/// Loop strength reduction may start a loop's offset below zero: it puts -128 into the register and +128 into the
/// instruction. The range check of a buffer access adds the two without wrapping, finds the lane out of range, and
/// reads 0 (SIISelLowering.cpp, splitBufferOffsets, avoids such offsets in its own code). The back end adds the pass by
/// itself; this option of LLVM's is the only way to disable it.
static void disableLoopStrengthReduction() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("disable-lsr");
  if (found == options.end())
    llvm::report_fatal_error("expected LLVM to have the option disable-lsr but got none");
  static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
}

void initializeAMDGPU() {
  static std::once_flag once;
  std::call_once(once, [] {
    disableLoopStrengthReduction();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
}

namespace {

/// Collects LLVM's errors, and ignores remarks and warnings.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &text) : text(text) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream stream(text);
    if (!text.empty())
      stream << "; ";
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

  std::string &text;
};

} // namespace

/// The first operation that has no translation to LLVM IR, or null.
static Operation *findLeftOver(gpu::GPUModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (op == module || isa_and_present<LLVM::LLVMDialect, ROCDL::ROCDLDialect>(op->getDialect()))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

using ArgumentNames = llvm::StringMap<SmallVector<std::string>>;

/// Removes every function's #systolic.launch, which LLVM does not know, and returns the argument names that it holds.
static ArgumentNames takeArgumentNames(gpu::GPUModuleOp module) {
  ArgumentNames names;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    SmallVector<std::string> &list = names[function.getSymName()];
    if (auto launch = dyn_cast_or_null<systolic::LaunchAttr>(function->removeAttr(systolic::launchAttributeName)))
      for (const systolic::LaunchArgument &argument : launch.getArguments())
        list.push_back(argument.name.str());
    else
      for (unsigned i = 0, n = function.getNumArguments(); i < n; ++i)
        list.push_back("arg" + std::to_string(i));
  }
  return names;
}

/// Names the arguments. The back end writes these names into the metadata.
static void nameArguments(const ArgumentNames &names, llvm::Module &llvmModule) {
  for (auto &entry : names) {
    llvm::Function *function = llvmModule.getFunction(entry.getKey());
    if (!function || function->isDeclaration())
      continue;
    for (auto [argument, name] : llvm::zip_equal(function->args(), entry.getValue()))
      argument.setName(name);
  }
}

/// Removes folders from file names in the debug information, so that the same input gives the same bytes wherever it
/// is. NSTF's own files keep their path from the repository's root, which is the same everywhere.
static void forgetFolders(gpu::GPUModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LLVM::DIFileAttr file) {
    StringRef name = file.getName().getValue();
    if (!name.starts_with("templates/"))
      name = llvm::sys::path::filename(name);
    return LLVM::DIFileAttr::get(file.getContext(), name, "");
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/true);
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, const CodegenOptions &options) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = options.unroll;
  tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization = options.vectorize;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  builder.buildPerModuleDefaultPipeline(levels[std::min(options.optimize, 3u)]).run(module, modules);
}

static llvm::Expected<const llvm::Target *> findBackEnd() {
  initializeAMDGPU();
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(llvm::Triple(amdgpuTriple), message);
  if (!target)
    return llvm::createStringError(message);
  return target;
}

llvm::Error checkProcessor(const CodegenOptions &options) {
  auto target = findBackEnd();
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      (*target)->createMCSubtargetInfo(llvm::Triple(amdgpuTriple), "", ""));
  if (!subtarget->isCPUStringValid(options.chip))
    return llvm::createStringError("expected a processor that LLVM knows but got '" + options.chip + "'");
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const CodegenOptions &options) {
  if (llvm::Error error = checkProcessor(options))
    return error;
  auto target = findBackEnd();
  if (!target)
    return target.takeError();
  llvm::TargetOptions targetOptions;
  targetOptions.MCOptions.AsmVerbose = true;
  return std::unique_ptr<llvm::TargetMachine>(
      (*target)->createTargetMachine(llvm::Triple(amdgpuTriple), options.chip, options.features, targetOptions,
                                     llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

llvm::Expected<std::string> compileToAssembly(gpu::GPUModuleOp module, const CodegenOptions &options,
                                              std::string *llvmText) {
  if (Operation *op = findLeftOver(module))
    return llvm::createStringError("expected operations of the LLVM and ROCDL dialects but got '" +
                                   op->getName().getStringRef() + "'");
  auto machine = createMachine(options);
  if (!machine)
    return machine.takeError();

  std::string errors;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  forgetFolders(module);
  ArgumentNames names = takeArgumentNames(module);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return llvm::createStringError("could not be translated to LLVM IR");
  nameArguments(names, *llvmModule);
  llvmModule->setTargetTriple(llvm::Triple(amdgpuTriple));
  llvmModule->setDataLayout((*machine)->createDataLayout());
  llvmModule->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", codeObjectVersionFlag);
  llvm::raw_string_ostream verifierStream(errors);
  if (llvm::verifyModule(*llvmModule, &verifierStream))
    return llvm::createStringError("LLVM IR is not valid: " + errors);

  optimize(*llvmModule, **machine, options);
  if (llvmText) {
    llvm::raw_string_ostream stream(*llvmText);
    llvmModule->print(stream, nullptr);
  }
  llvm::SmallString<0> assembly;
  llvm::raw_svector_ostream stream(assembly);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("LLVM cannot emit assembly for '" + options.chip + "'");
  passes.run(*llvmModule);
  if (!errors.empty())
    return llvm::createStringError(errors);
  return std::string(assembly);
}

} // namespace nstf
