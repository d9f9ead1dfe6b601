#include "tools/nstf-emu/EmulatorLibrary.h"
#include "runtime/emulator/launch/HostLibrary.h"

#include <set>
#include <sstream>
#include <stdexcept>

namespace nstf::emulator::tool {
namespace fs = std::filesystem;

fs::path libraryFolder() {
  if (const char *library = std::getenv("NSTF_EMULATOR_LIBRARY"); library && *library)
    return fs::absolute(library).parent_path();
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char *folder : {"../lib/emulator", NSTF_EMULATOR_FROM_BIN})
    if (fs::exists(here / folder / "libamdhip64.so"))
      return (here / folder).lexically_normal();
  throw std::runtime_error("the emulator's library was not found beside " + here.string() +
                           "; NSTF_EMULATOR_LIBRARY may name it");
}

std::string hipCoverage() {
  std::set<std::string> exported = exportedFunctions((libraryFolder() / "libamdhip64.so").string());
  std::erase_if(exported,
                [](const std::string &name) { return !name.starts_with("hip") && !name.starts_with("__hip"); });
  const std::set<std::string> unsupported = {
#define X(name) #name,
#include "runtime/emulator/hip_api/Unsupported.def"
#undef X
  };
  std::ostringstream out;
  size_t refused = 0;
  for (const std::string &name : exported)
    refused += unsupported.count(name);
  out << exported.size() << " functions are exported: " << exported.size() - refused << " work, " << refused
      << " say \"not supported\"\n";
  for (const std::string &name : exported)
    out << (unsupported.count(name) ? "refused " : "works   ") << name << "\n";
  return std::move(out).str();
}

} // namespace nstf::emulator::tool
