// LLVM's DWARF reader does the work; what it finds wrong with a file goes nowhere.
#include "runtime/emulator/memory/SourceFrames.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

namespace nstf::emulator {
namespace {

void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

/// The reader's word for "not known" is "<invalid>".
std::string known(const std::string &text) { return text == llvm::DILineInfo::BadString ? "" : text; }

} // namespace

std::vector<SourceFrame> findSourceFrames(std::span<const std::byte> elf, uint64_t address) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(elf.data()), elf.size());
  auto object = llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(llvm::MemoryBufferRef(bytes, ""));
  if (!object) {
    ignore(object.takeError());
    return {};
  }
  auto dwarf = llvm::DWARFContext::create(*object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "",
                                          ignore, ignore);
  llvm::DILineInfoSpecifier wanted(llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath,
                                   llvm::DILineInfoSpecifier::FunctionNameKind::ShortName);
  llvm::DIInliningInfo info =
      dwarf->getInliningInfoForAddress({address, llvm::object::SectionedAddress::UndefSection}, wanted);
  std::vector<SourceFrame> frames;
  for (uint32_t i = 0; i < info.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo &frame = info.getFrame(i);
    frames.push_back({known(frame.FunctionName), known(frame.FileName), frame.Line, frame.Column});
    if (frames.back().file.empty() && frames.back().function.empty())
      frames.pop_back();
  }
  return frames;
}

std::string describe(const std::vector<SourceFrame> &frames) {
  std::string text;
  for (const SourceFrame &frame : frames) {
    text += text.empty() ? "at " : ", inlined at ";
    text += frame.file.empty() ? "an unknown file" : frame.file;
    if (frame.line)
      text += ":" + std::to_string(frame.line);
    if (frame.line && frame.column)
      text += ":" + std::to_string(frame.column);
    if (!frame.function.empty())
      text += " in " + frame.function;
  }
  return text;
}

} // namespace nstf::emulator
