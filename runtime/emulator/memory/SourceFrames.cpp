// LLVM's DWARF reader does the work, in a child process: damaged debug information can make it crash or run for ever
// (its checks for that are assertions, which LLVM's packages are compiled without), and the fault of a kernel must not
// become one of the program around the emulator.
#include "runtime/emulator/memory/SourceFrames.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nstf::emulator {
namespace {

constexpr int millisecondsForReading = 10'000;

void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

/// The reader's word for "not known" is "<invalid>".
std::string known(const std::string &text) { return text == llvm::DILineInfo::BadString ? "" : text; }

std::vector<SourceFrame> readFrames(std::span<const std::byte> elf, uint64_t address) {
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

/// Frames as text that goes through a pipe: four strings each, every one with a 0 behind it.
std::string encode(const std::vector<SourceFrame> &frames) {
  std::string text;
  for (const SourceFrame &frame : frames)
    for (const std::string &field :
         {frame.function, frame.file, std::to_string(frame.line), std::to_string(frame.column)})
      text.append(field.c_str()).push_back('\0');
  return text;
}

std::vector<SourceFrame> decode(std::string_view text) {
  std::vector<std::string> fields;
  for (size_t end; (end = text.find('\0')) != text.npos; text.remove_prefix(end + 1))
    fields.emplace_back(text.substr(0, end));
  auto number = [](const std::string &digits) { return uint32_t(std::strtoul(digits.c_str(), nullptr, 10)); };
  std::vector<SourceFrame> frames;
  for (size_t i = 0; i + 3 < fields.size(); i += 4)
    frames.push_back({fields[i], fields[i + 1], number(fields[i + 2]), number(fields[i + 3])});
  return frames;
}

[[noreturn]] void runChild(int output, std::span<const std::byte> elf, uint64_t address) {
  rlimit none{0, 0}; // a crash here is no news: no core file, none of the program's handlers
  setrlimit(RLIMIT_CORE, &none);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, SIG_DFL);
  close(STDERR_FILENO);
  std::string text = encode(readFrames(elf, address));
  for (size_t done = 0; done < text.size();) {
    ssize_t written = write(output, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR)
      break;
    done += written > 0 ? size_t(written) : 0;
  }
  _exit(0);
}

/// All that comes before the other end closes, or nothing when that takes too long.
std::string readAll(int input) {
  std::string text;
  char block[4096];
  for (;;) {
    pollfd ready{input, POLLIN, 0};
    int count = poll(&ready, 1, millisecondsForReading);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return "";
    ssize_t size = read(input, block, sizeof block);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return text;
    text.append(block, size_t(size));
  }
}

} // namespace

std::vector<SourceFrame> findSourceFrames(std::span<const std::byte> elf, uint64_t address) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return {};
  pid_t child = fork();
  if (child == 0)
    runChild(ends[1], elf, address);
  close(ends[1]);
  std::string text;
  if (child > 0) {
    text = readAll(ends[0]);
    kill(child, SIGKILL); // it has answered, or never will
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  close(ends[0]);
  return decode(text);
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
