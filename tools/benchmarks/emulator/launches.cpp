// bench-emulator-launches FILE.hsaco CODE_BYTES: what launches cost a HIP program, as JSON.
//
// Processor time of the first launch of each kernel of launches.s, with loading the file, and the host memory that it
// takes beside the file and its copy on the device; then of launches of an empty kernel and of nodes of a graph. Each
// first launch is one of a process of its own.
#include "runtime/emulator/hip_api/Hip.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void check(hipError_t code) {
  if (code != hipSuccess) {
    std::fprintf(stderr, "bench-emulator-launches: %s\n", hipGetErrorString(code));
    std::exit(1);
  }
}

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Of this process now, without pages of mapped files.
double residentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0, shared = 0;
  file >> total >> resident >> shared;
  return double(resident - shared) * double(sysconf(_SC_PAGESIZE));
}

struct Loaded {
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  Loaded(const char *file, const char *kernel) {
    check(hipModuleLoad(&module, file));
    check(hipModuleGetFunction(&function, module, kernel));
  }
  void launch(void *pointer, hipStream_t stream = nullptr) const {
    void *arguments[] = {&pointer};
    check(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
  }
};

nlohmann::ordered_json firstLaunch(const char *file, const char *kernel, double codeBytes) {
  unsigned *out = nullptr;
  check(hipMalloc(reinterpret_cast<void **>(&out), 64 * sizeof(unsigned)));
  const double begin = processorSeconds(), before = residentBytes();
  const Loaded loaded(file, kernel);
  loaded.launch(out);
  check(hipDeviceSynchronize());
  const double seconds = processorSeconds() - begin, bytes = residentBytes() - before - codeBytes;
  unsigned result[64];
  check(hipMemcpy(result, out, sizeof result, hipMemcpyDeviceToHost));
  if (!std::all_of(result, result + 64, [](unsigned value) { return value == 7; })) {
    std::fprintf(stderr, "bench-emulator-launches: expected kernel %s to store 7 in each lane\n", kernel);
    std::exit(1);
  }
  return {{"seconds", seconds}, {"bytes", bytes}};
}

/// Runs `measure` in a child process, so that no cache is warm.
nlohmann::ordered_json inChild(auto measure) {
  int ends[2];
  if (pipe(ends))
    std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = measure().dump();
    _exit(write(ends[1], text.data(), text.size()) != ssize_t(text.size()));
  }
  close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t size; (size = read(ends[0], block, sizeof block)) > 0;)
    text.append(block, size_t(size));
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status)
    std::exit(1);
  return nlohmann::ordered_json::parse(text);
}

/// Processor seconds of one: the least mean of several series.
double leastOf(unsigned count, auto series) {
  double least = 1e9;
  for (unsigned i = 0; i < 8; ++i) {
    const double begin = processorSeconds();
    series();
    least = std::min(least, (processorSeconds() - begin) / count);
  }
  return least;
}

nlohmann::ordered_json warmLaunches(const char *file) {
  const Loaded loaded(file, "empty");
  constexpr unsigned launches = 20000, nodes = 1000, replays = 20;
  nlohmann::ordered_json result;
  auto launchAll = [&] {
    for (unsigned i = 0; i < launches; ++i)
      loaded.launch(nullptr);
    check(hipDeviceSynchronize());
  };
  launchAll();
  result["launch"] = leastOf(launches, launchAll);
  hipStream_t stream = nullptr;
  hipGraph_t graph = nullptr;
  hipGraphExec_t instance = nullptr;
  check(hipStreamCreate(&stream));
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  for (unsigned i = 0; i < nodes; ++i)
    loaded.launch(nullptr, stream);
  check(hipStreamEndCapture(stream, &graph));
  check(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
  result["node"] = leastOf(nodes * replays, [&] {
    for (unsigned i = 0; i < replays; ++i)
      check(hipGraphLaunch(instance, stream));
    check(hipStreamSynchronize(stream));
  });
  return result;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench-emulator-launches FILE.hsaco CODE_BYTES\n");
    return 2;
  }
  const char *file = argv[1];
  const double codeBytes = std::strtod(argv[2], nullptr);
  nlohmann::ordered_json result;
  for (const char *kernel : {"direct", "pointer"})
    result[kernel] = inChild([&] { return firstLaunch(file, kernel, codeBytes); });
  result.update(inChild([&] { return warmLaunches(file); }));
  std::printf("%s\n", result.dump().c_str());
}
