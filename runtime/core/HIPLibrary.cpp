#include "runtime/core/HIPLibrary.h"

#include "nstf/Runtime.h"

#include <dlfcn.h>

namespace nstf::detail {
namespace {
template <typename Function> void find(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}
} // namespace

std::shared_ptr<HIPLibrary> HIPLibrary::load(const std::vector<std::string> &candidates,
                                             std::vector<std::string> &tried) {
  for (const std::string &candidate : candidates) {
    // Never unmapped: a driver's threads and exit handlers may still run its code.
    void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
      const char *reason = dlerror();
      tried.push_back(reason ? reason : candidate);
      continue;
    }
    std::shared_ptr<HIPLibrary> library(new HIPLibrary);
    library->handle = handle;
    library->loadedPath = candidate;
    std::string missing;
#define NSTF_FIND(name, parameters) find(handle, #name, library->name);
#define NSTF_REQUIRE(name, parameters)                                                                                 \
  if (!library->name)                                                                                                  \
    missing += (missing.empty() ? "" : ", ") + std::string(#name);
    NSTF_HIP_FUNCTIONS(NSTF_FIND)
    NSTF_HIP_OPTIONAL_FUNCTIONS(NSTF_FIND)
    NSTF_HIP_FUNCTIONS(NSTF_REQUIRE)
#undef NSTF_FIND
#undef NSTF_REQUIRE
    find(handle, "hipGetErrorName", library->hipGetErrorName);
    find(handle, "hipGetErrorString", library->hipGetErrorString);
    find(handle, "nstfEmulatorLastFault", library->nstfEmulatorLastFault);
    find(handle, "nstfEmulatorPrintFaults", library->nstfEmulatorPrintFaults);
    if (!missing.empty())
      throw Error(candidate + " is no usable HIP library: it lacks " + missing, "install HIP 4.3 or later");
    Dl_info info{};
    if (dladdr(reinterpret_cast<void *>(library->hipMalloc), &info) && info.dli_fname)
      library->loadedPath = info.dli_fname;
    return library;
  }
  return nullptr;
}

HIPLibrary::~HIPLibrary() {
  if (handle)
    dlclose(handle);
}

std::string HIPLibrary::describe(HIPError code) const {
  std::string text = hipGetErrorName ? hipGetErrorName(code) : "HIP error " + std::to_string(code);
  if (hipGetErrorString)
    text += std::string(" (") + hipGetErrorString(code) + ")";
  if (nstfEmulatorLastFault && *nstfEmulatorLastFault())
    text += std::string(": ") + nstfEmulatorLastFault();
  return text;
}

HIPError HIPLibrary::start(std::string_view target, std::string_view timing, int &devices) const {
  if (nstfEmulatorSetTiming && !timing.empty())
    if (const HIPError code = nstfEmulatorSetTiming(std::string(timing).c_str()))
      return code;
  if (nstfEmulatorSetTarget && !target.empty())
    if (const HIPError code = nstfEmulatorSetTarget(std::string(target).c_str()))
      return code;
  return hipGetDeviceCount(&devices);
}

void HIPLibrary::check(HIPError code, const std::string &what, const std::string &fix) const {
  if (code)
    throw Error(what + ": " + describe(code), fix);
}

} // namespace nstf::detail
