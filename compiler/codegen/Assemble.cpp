// Assembles text to a relocatable object with LLVM's MC layer, which llvm-mc uses too, in this process.
#include "compiler/codegen/Codegen.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"

namespace nstf {

static void collect(const llvm::SMDiagnostic &diagnostic, void *text) {
  if (diagnostic.getKind() != llvm::SourceMgr::DK_Error)
    return;
  auto &errors = *static_cast<std::string *>(text);
  if (errors.empty()) // only the first: later ones mostly follow from it
    errors = "assembly line " + std::to_string(diagnostic.getLineNo()) + ": " + diagnostic.getMessage().str() + ": " +
             diagnostic.getLineContents().trim().str();
}

llvm::Expected<std::string> assemble(llvm::StringRef assembly, const CodegenOptions &options) {
  initializeAMDGPU();
  llvm::Triple triple(amdgpuTriple);
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return llvm::createStringError(message);

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(assembly, "assembly"), llvm::SMLoc());
  std::string errors;
  sources.setDiagHandler(collect, &errors);

  llvm::MCTargetOptions mcOptions;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> info(target->createMCAsmInfo(*registers, triple, mcOptions));
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, options.chip, options.features));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &mcOptions);
  context.setDiagnosticHandler([&](const llvm::SMDiagnostic &diagnostic, bool, const llvm::SourceMgr &,
                                   std::vector<const llvm::MDNode *> &) { collect(diagnostic, &errors); });
  std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, mcOptions));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));

  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, mcOptions));
  parser->setTargetParser(*targetParser);
  bool failed = parser->Run(/*NoInitialTextSection=*/false);
  if (failed || !errors.empty())
    return llvm::createStringError(errors.empty() ? "the assembler failed" : errors);
  return std::string(object);
}

} // namespace nstf
