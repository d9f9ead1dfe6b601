// LLVM's DWARF reader runs in a child process: damaged debug information can make it crash or run for ever (its checks
// for that are assertions, which LLVM's packages are compiled without). A kernel's fault must not crash the program
// that contains the emulator.
#include "runtime/emulator/memory/SourceFrames.h"
#include "runtime/emulator/memory/ElfFile.h"

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

/// The reader returns "<invalid>" for unknown names.
std::string known(const std::string &text) { return text == llvm::DILineInfo::BadString ? "" : text; }

const llvm::DILineInfoSpecifier wantedInfo(llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath,
                                           llvm::DILineInfoSpecifier::FunctionNameKind::ShortName);

/// Calls `read` with the file's debug information, if it has any.
void withDwarf(std::span<const std::byte> elf, auto read) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(elf.data()), elf.size());
  auto object = llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(llvm::MemoryBufferRef(bytes, ""));
  if (!object)
    return ignore(object.takeError());
  read(*llvm::DWARFContext::create(*object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", ignore,
                                   ignore));
}

std::vector<SourceFrame> readFrames(llvm::DWARFContext &dwarf, uint64_t address) {
  llvm::DIInliningInfo info =
      dwarf.getInliningInfoForAddress({address, llvm::object::SectionedAddress::UndefSection}, wantedInfo);
  std::vector<SourceFrame> frames;
  for (uint32_t i = 0; i < info.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo &frame = info.getFrame(i);
    frames.push_back({known(frame.FunctionName), known(frame.FileName), frame.Line, frame.Column});
    if (frames.back().file.empty() && frames.back().function.empty())
      frames.pop_back();
  }
  return frames;
}

/// Fields are sent through a pipe as text, each followed by a 0.
void put(std::string &text, const std::string &field) { text.append(field.c_str()).push_back('\0'); }

std::vector<std::string> fieldsOf(std::string_view text) {
  std::vector<std::string> fields;
  for (size_t end; (end = text.find('\0')) != text.npos; text.remove_prefix(end + 1))
    fields.emplace_back(text.substr(0, end));
  return fields;
}
uint64_t number(const std::string &digits) { return std::strtoull(digits.c_str(), nullptr, 10); }

[[noreturn]] void runChild(int output, auto read) {
  rlimit none{0, 0}; // a crash here is expected: no core file, and none of the program's handlers
  setrlimit(RLIMIT_CORE, &none);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, SIG_DFL);
  close(STDERR_FILENO);
  std::string text = read();
  for (size_t done = 0; done < text.size();) {
    ssize_t written = write(output, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR)
      break;
    done += written > 0 ? size_t(written) : 0;
  }
  _exit(0);
}

/// Reads until the other end closes; returns nothing if that takes too long.
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

/// The fields that `read` returns, in a child process.
std::vector<std::string> readInChild(std::span<const std::byte> elf, auto read) {
  // Most code objects have none, and starting a child would cost more than the rest of a fault.
  if (!hasDebugInformation(elf))
    return {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return {};
  pid_t child = fork();
  if (child == 0)
    runChild(ends[1], read);
  close(ends[1]);
  std::string text;
  if (child > 0) {
    text = readAll(ends[0]);
    kill(child, SIGKILL); // it has answered, or never will
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  close(ends[0]);
  return fieldsOf(text);
}

} // namespace

bool hasDebugInformation(std::span<const std::byte> elf) {
  try {
    const ElfFile file(elf, "");
    for (const llvm::ELF::Elf64_Shdr &section : file.sections())
      if (file.sectionName(section).starts_with(".debug_") || file.sectionName(section).starts_with(".zdebug_"))
        return true;
  } catch (const std::runtime_error &) {
  }
  return false;
}

std::vector<SourceFrame> findSourceFrames(std::span<const std::byte> elf, uint64_t address) {
  return findSourceFrames(elf, {&address, 1}).front();
}

std::vector<std::vector<SourceFrame>> findSourceFrames(std::span<const std::byte> elf,
                                                       std::span<const uint64_t> addresses) {
  std::vector<std::string> fields = readInChild(elf, [&] {
    std::string text;
    withDwarf(elf, [&](llvm::DWARFContext &dwarf) {
      for (size_t i = 0; i < addresses.size(); ++i)
        for (const SourceFrame &frame : readFrames(dwarf, addresses[i]))
          for (const std::string &field : {std::to_string(i), frame.function, frame.file, std::to_string(frame.line),
                                           std::to_string(frame.column)})
            put(text, field);
    });
    return text;
  });
  std::vector<std::vector<SourceFrame>> frames(addresses.size());
  for (size_t i = 0; i + 4 < fields.size(); i += 5)
    if (const uint64_t of = number(fields[i]); of < frames.size())
      frames[of].push_back(
          {fields[i + 1], fields[i + 2], uint32_t(number(fields[i + 3])), uint32_t(number(fields[i + 4]))});
  return frames;
}

std::vector<SourceLine> findSourceLines(std::span<const std::byte> elf, uint64_t begin, uint64_t end) {
  std::vector<std::string> fields = readInChild(elf, [&] {
    std::string text;
    withDwarf(elf, [&](llvm::DWARFContext &dwarf) {
      for (const auto &[address, info] : dwarf.getLineInfoForAddressRange(
               {begin, llvm::object::SectionedAddress::UndefSection}, end - begin, wantedInfo))
        for (const std::string &field : {std::to_string(address), known(info.FileName), std::to_string(info.Line)})
          put(text, field);
    });
    return text;
  });
  std::vector<SourceLine> lines;
  for (size_t i = 0; i + 2 < fields.size(); i += 3)
    lines.push_back({number(fields[i]), fields[i + 1], uint32_t(number(fields[i + 2]))});
  return lines;
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
