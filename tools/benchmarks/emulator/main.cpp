// bench-emulator-kernels: times whole kernels on the emulator.
//
// bench-emulator-kernels KERNELS.hsaco GEMM.hsaco TARGET THREADS SECONDS CLOCK prints JSON, which tools/bench shows.
// CLOCK is "wall" or "processor", the time of all threads together, which other work on the machine does not affect.
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/Statistics.h"
#include "tools/benchmarks/emulator/Peak.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace nstf::emulator;

namespace {

class Kernels {
public:
  Kernels(const char *path, const Target &target, bool wallClock) : target(target), wallClock(wallClock) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    program = Program::load(memory, TargetId::parse(target.name),
                            {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()}, path);
  }

  template <typename T> T *allocate(size_t count) { return static_cast<T *>(memory.allocate(count * sizeof(T))); }

  /// The mean time of a launch in seconds, over as many launches as fit in `seconds`.
  template <typename... Arguments>
  double time(const char *name, unsigned gridX, unsigned gridY, const LaunchOptions &options, double seconds,
              Arguments... arguments) {
    const Kernel *kernel = program->kernel(name);
    if (!kernel)
      throw std::runtime_error("no kernel " + std::string(name));
    std::vector<std::byte> block(kernel->kernargSize + 64);
    size_t at = 0;
    auto put = [&](const auto &value) {
      std::memcpy(block.data() + kernel->arguments.at(at++).offset, &value, sizeof(value));
    };
    (put(arguments), ...);
    LaunchArguments launch{kernel, {gridX, gridY, 1}, {256, 1, 1}, 0, block.data(), block.size()};
    dispatch(target, memory, launch, options);
    auto now = [&] {
      if (!wallClock)
        return double(std::clock()) / CLOCKS_PER_SEC;
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    unsigned launches = 0;
    double start = now(), spent = 0;
    do {
      dispatch(target, memory, launch, options);
      ++launches;
      spent = now() - start;
    } while (spent < seconds);
    return spent / launches;
  }

private:
  const Target &target;
  const bool wallClock;
  Memory memory;
  std::unique_ptr<Program> program;
};

nlohmann::ordered_json measure(const char *kernelsFile, const char *gemmFile, const Target &target, unsigned threads,
                               double seconds, bool wallClock) {
  nlohmann::ordered_json result;
  LaunchOptions options;
  options.threads = threads;
  Kernels kernels(kernelsFile, target, wallClock), gemm(gemmFile, target, wallClock);
  result["vectors"] = hostVectorTarget();
  result["peak"] = nstf::measurePeak();

  constexpr int size = 1024;
  auto *a = gemm.allocate<_Float16>(size * size), *b = gemm.allocate<_Float16>(size * size);
  auto *c = gemm.allocate<float>(size * size);
  for (int i = 0; i < size * size; ++i) {
    a[i] = _Float16(float(i % 61 - 30) / 32);
    b[i] = _Float16(float(i % 53 - 26) / 32);
  }
  for (MatrixMode mode : {MatrixMode::Fast, MatrixMode::Exact}) {
    options.matrix = mode;
    double time = gemm.time("gemm_f16", size / 128, size / 128, options, seconds, a, b, c, size, size, size);
    result[mode == MatrixMode::Fast ? "gemm_fast" : "gemm_exact"] = 2.0 * size * size * size / time;
  }
  options.matrix = MatrixMode::Fast;

  constexpr int groups = 64, rounds = 1000;
  float *out = kernels.allocate<float>(groups * 256);
  ExecutionStatistics counted;
  LaunchOptions counting = options;
  counting.statistics = &counted;
  kernels.time("valu", groups, 1, counting, 0, out, rounds);
  double instructions = double(counted[InstructionClass::Vector]) / 2; // two launches were counted
  result["valu"] = instructions / kernels.time("valu", groups, 1, options, seconds, out, rounds);

  constexpr size_t quads = size_t(1) << 20;
  float *from = kernels.allocate<float>(4 * quads), *to = kernels.allocate<float>(4 * quads);
  for (size_t i = 0; i < 4 * quads; ++i)
    from[i] = float(i);
  result["copy"] = 16.0 * quads / kernels.time("copy", quads / 256, 1, options, seconds, from, to);
  return result;
}

} // namespace

int main(int argc, char **argv) try {
  const Target *target = argc == 7 ? Target::find(argv[3]) : nullptr;
  if (!target) {
    std::fprintf(stderr,
                 "usage: bench-emulator-kernels KERNELS.hsaco GEMM.hsaco TARGET THREADS SECONDS wall|processor\n");
    return 1;
  }
  const bool wallClock = std::string(argv[6]) == "wall";
  auto result = measure(argv[1], argv[2], *target, unsigned(std::stoi(argv[4])), std::stod(argv[5]), wallClock);
  std::printf("%s\n", result.dump().c_str());
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
