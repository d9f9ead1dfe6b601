// Links objects to a code object with lld as a library. lld needs file names: the objects are anonymous memory files,
// and the result comes out of a pipe (lld replaces a regular output file by renaming, which is impossible for an
// anonymous one).
//
// lld as a library has two pitfalls. It is not reentrant, so links are serialised. After a link it resets every
// `cl::opt` of the process to its default, including those of MLIR and of the calling program, while other threads may
// read them. So the registered options are hidden from lld during the link.
#include "compiler/codegen/Codegen.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace nstf {

namespace {

/// A file descriptor that is closed automatically.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  ~Descriptor() { reset(); }
  void reset() {
    if (number >= 0)
      close(number);
    number = -1;
  }
  int get() const { return number; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }

private:
  int number;
};

/// While it lives, the lists of registered command line options are empty.
class HiddenOptions {
public:
  HiddenOptions() {
    for (llvm::cl::SubCommand *command : llvm::cl::getRegisteredSubcommands()) {
      Saved entry;
      entry.command = command;
      swap(entry);
      saved.push_back(std::move(entry));
    }
  }
  ~HiddenOptions() {
    for (Saved &entry : saved)
      swap(entry);
  }

private:
  struct Saved {
    llvm::cl::SubCommand *command = nullptr;
    decltype(llvm::cl::SubCommand::OptionsMap) options;
    decltype(llvm::cl::SubCommand::PositionalOpts) positional;
    decltype(llvm::cl::SubCommand::SinkOpts) sinks;
    llvm::cl::Option *consumeAfter = nullptr;
  };
  static void swap(Saved &entry) {
    std::swap(entry.options, entry.command->OptionsMap);
    std::swap(entry.positional, entry.command->PositionalOpts);
    std::swap(entry.sinks, entry.command->SinkOpts);
    std::swap(entry.consumeAfter, entry.command->ConsumeAfterOpt);
  }
  std::vector<Saved> saved;
};

} // namespace

static llvm::Error systemError(const char *what) {
  return llvm::createStringError(std::string(what) + ": " + std::strerror(errno));
}

static llvm::Expected<Descriptor> memoryFile(llvm::StringRef data) {
  Descriptor file(memfd_create("object", MFD_CLOEXEC));
  if (file.get() < 0)
    return systemError("memfd_create");
  while (!data.empty()) {
    ssize_t written = write(file.get(), data.data(), data.size());
    if (written < 0)
      return systemError("write of an object to memory");
    data = data.drop_front(written);
  }
  return file;
}

static std::string readAll(int descriptor) {
  std::string bytes;
  char block[65536];
  for (;;) {
    ssize_t n = read(descriptor, block, sizeof block);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return bytes;
    bytes.append(block, n);
  }
}

llvm::Expected<std::string> linkObjects(llvm::ArrayRef<std::string> objects) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);

  std::vector<Descriptor> inputs;
  std::vector<std::string> arguments = {"ld.lld", "-shared", "--no-undefined", "--threads=1", "--build-id=none"};
  for (const std::string &object : objects) {
    auto file = memoryFile(object);
    if (!file)
      return file.takeError();
    arguments.push_back(file->path());
    inputs.push_back(std::move(*file));
  }
  int ends[2];
  if (pipe(ends))
    return systemError("pipe");
  Descriptor readEnd(ends[0]), writeEnd(ends[1]);
  arguments.insert(arguments.end(), {"-o", writeEnd.path()});
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  std::string bytes, messages;
  std::thread reader([&] { bytes = readAll(readEnd.get()); });
  llvm::raw_string_ostream stream(messages);
  lld::Result result;
  {
    HiddenOptions hidden;
    result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  }
  writeEnd.reset();
  reader.join();
  if (result.retCode)
    return llvm::createStringError("lld: " + llvm::StringRef(messages).trim());
  return bytes;
}

} // namespace nstf
