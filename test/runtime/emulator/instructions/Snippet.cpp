#include "test/runtime/emulator/instructions/Snippet.h"
#include "runtime/emulator/run/Interpreter.h"
#include "runtime/emulator/run/WaveStart.h"

#include <algorithm>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <stdexcept>

namespace nstf::emulator::test {

std::vector<uint8_t> assemble(const std::string &targetName, const std::string &text,
                              std::map<unsigned, std::string> *refused) {
  static const bool initialized = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error(error);
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> asmInfo(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, targetName, ""));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  std::map<unsigned, std::string> messages;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *out) {
        if (diagnostic.getKind() == llvm::SourceMgr::DK_Error)
          (*static_cast<std::map<unsigned, std::string> *>(out))[unsigned(diagnostic.getLineNo())] +=
              diagnostic.getMessage().str() + ": " + diagnostic.getLineContents().str() + "\n";
      },
      &messages);
  llvm::MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> objectInfo(target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(objectInfo.get());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, options));
  auto writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false)) {
    if (refused) {
      *refused = std::move(messages);
      return {};
    }
    throw std::runtime_error("assembling for " + targetName + ": " +
                             (messages.empty() ? std::string("no message") : messages.begin()->second));
  }
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "snippet"));
  if (!file)
    throw std::runtime_error(llvm::toString(file.takeError()));
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText()) {
      llvm::StringRef contents = llvm::cantFail(section.getContents());
      return {contents.bytes_begin(), contents.bytes_end()};
    }
  throw std::runtime_error("no text section");
}

Snippet::Snippet(const std::string &target, const std::string &text, uint32_t ldsBytes, MatrixMode matrix)
    : lds((ldsBytes + 511) / 512 * 512), code(assemble(target, text + "\ns_endpgm\n")), matrix(matrix),
      state(std::make_unique<Wave>()) {
  launch.target = Target::find(target);
  launch.memory = &memory;
  launch.ldsBytes = uint32_t(lds.size()); // whole granules
  launch.wavesPerGroup = 1;
  group.launch = &launch;
  group.lds = lds.data();
  group.waves = {state.get()};
  Wave &w = *state;
  std::memset(static_cast<void *>(&w), 0, sizeof(w));
  w.vectorBase[0] = reinterpret_cast<const char *>(w.rows);
  w.scalarBase[0] = reinterpret_cast<const char *>(w.scalars);
  const Code whole(code);
  use(decodeProgram(*launch.target, {&whole, 1}, matrix));
  w.group = &group;
  w.mode = mode::floatDefault | 1u << mode::dx10Clamp | 1u << mode::ieee;
  w.setExec(~uint64_t(0));
}
Snippet::~Snippet() = default;

void Snippet::use(std::shared_ptr<const DecodedProgram> decoded) {
  program = std::move(decoded);
  launch.program = program.get();
  state->vectorBase[1] = reinterpret_cast<const char *>(program->vectorConstants());
  state->scalarBase[1] = reinterpret_cast<const char *>(program->scalarConstants());
}

void Snippet::decodeOnDemand(const std::vector<std::pair<size_t, size_t>> &functions) {
  auto ranges = std::make_shared<CodeRanges>();
  const Code whole(code);
  ranges->texts.push_back(whole);
  for (auto [begin, end] : functions)
    ranges->functions.push_back(whole.subspan(begin, end - begin));
  use(std::make_shared<DecodedProgram>(*launch.target, ranges, handlersFor(*launch.target, matrix)));
}

void Snippet::allow(void *pointer, size_t bytes, bool writable) {
  uint64_t begin = reinterpret_cast<uint64_t>(pointer);
  regions.push_back({begin, begin + bytes, writable});
  std::sort(regions.begin(), regions.end(), [](const Region &a, const Region &b) { return a.begin < b.begin; });
}

void Snippet::run(size_t offset) {
  RegionTable table(regions);
  launch.regions = &table;
  state->hint = nullptr;
  state->next = program->at(reinterpret_cast<uint64_t>(code.data() + offset));
  state->status = WaveStatus::Running;
  Wave *faulting;
  runWorkgroup(group, faulting);
  launch.regions = nullptr;
}

} // namespace nstf::emulator::test
