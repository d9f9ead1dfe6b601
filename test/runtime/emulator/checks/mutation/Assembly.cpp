#include "test/runtime/emulator/checks/mutation/Assembly.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <llvm/Object/ELFObjectFile.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace nstf::emulator::test {
namespace {

/// A process's own folder, removed with the object.
class Folder {
public:
  Folder() {
    const char *base = std::getenv("TMPDIR");
    std::string pattern = std::string(base && *base ? base : "/tmp") + "/nstf-mutation-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~Folder() {
    for (const char *name : {"text.s", "code", "log"})
      std::remove(file(name).c_str());
    rmdir(path.c_str());
  }
  std::string file(const std::string &name) const { return path + "/" + name; }

private:
  std::string path;
};
const Folder &folder() {
  static Folder one;
  return one;
}

std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void command(const std::string &text) {
  if (std::system((text + " 2> " + folder().file("log")).c_str()) != 0)
    throw std::runtime_error(text + "\n" + readAll(folder().file("log")));
}

const std::string siteSymbol = "nstf_site_";

} // namespace

Assembly::Assembly(const std::string &source, const std::string &chip, const std::string &level) : chip(chip) {
  std::string out = folder().file("text.s");
  command(std::string(NSTF_TEST_CLANG) +
          " -x hip -fms-extensions -nogpulib -nogpuinc -Wno-unused-value -I" NSTF_TEST_ROOT " -" + level +
          " -gline-tables-only --offload-device-only -mcode-object-version=6 -S --offload-arch=" + chip + " " + source +
          " -o " + out);
  std::ifstream in(out);
  for (std::string line; std::getline(in, line); lines.push_back(line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (Site::Kind kind : {Site::Wait, Site::Nop, Site::Barrier})
      if (name == siteKindNames[kind]) {
        size_t begin = line.find(name);
        found.push_back({kind, lines.size(), line.substr(begin, line.find_last_not_of(" \t") + 1 - begin)});
      }
  }
}

std::vector<char> Assembly::link(const std::string &text) const {
  std::string in = folder().file("text.s"), out = folder().file("code");
  std::ofstream(in) << text;
  command(std::string(NSTF_TEST_CLANG) +
          " -x assembler -target amdgcn-amd-amdhsa -mcode-object-version=6 -mcpu=" + chip + " " + in + " -o " + out);
  std::string code = readAll(out);
  return {code.begin(), code.end()};
}

std::vector<char> Assembly::link(std::vector<uint64_t> &addresses) const {
  std::string text;
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (next < found.size() && found[next].line == i)
      text += siteSymbol + std::to_string(next++) + ":\n";
    text += lines[i] + "\n";
  }
  std::vector<char> code = link(text);
  addresses.assign(found.size(), 0);
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(code.data(), code.size()), "sites")));
  for (const llvm::object::SymbolRef &symbol : file->symbols()) {
    std::string name = llvm::cantFail(symbol.getName()).str();
    if (name.starts_with(siteSymbol))
      addresses.at(std::stoul(name.substr(siteSymbol.size()))) = llvm::cantFail(symbol.getAddress());
  }
  return code;
}

std::vector<char> Assembly::linkWithout(const Site &site) const {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i)
    if (i != site.line)
      text += lines[i] + "\n";
  return link(text);
}

} // namespace nstf::emulator::test
