// One kernel of NSTF inside a program of one's own: y = x * w^T, checked against three loops.
//
// It needs HIP's API header, libamdhip64 and what `nstfc kernel` wrote: matmul.h at compile time, matmul.hsaco beside
// it at run time. Of NSTF nothing is linked.
#include <hip/hip_runtime_api.h>

#include <matmul.h> // what nstfc kernel wrote; after HIP's header, so that it has matmul_launch

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error, const char *what) {
  if (error == hipSuccess)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

/// Device memory with the numbers of `values`.
static float *upload(const std::vector<float> &values) {
  void *memory = nullptr;
  check(hipMalloc(&memory, values.size() * sizeof(float)), "hipMalloc");
  check(hipMemcpy(memory, values.data(), values.size() * sizeof(float), hipMemcpyHostToDevice), "hipMemcpy");
  return static_cast<float *>(memory);
}

/// Numbers from -1 to 1.
static std::vector<float> makeNumbers(std::size_t count, unsigned seed) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = static_cast<float>(static_cast<int>(seed >> 8) - (1 << 23)) / (1 << 23);
  }
  return numbers;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s matmul.hsaco\n", argv[0]);
    return 1;
  }
  const int M = MATMUL_M, N = MATMUL_N, K = MATMUL_K;

  hipDeviceProp_t properties;
  check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
  const matmul_target *target = matmul_find_target(properties.gcnArchName);
  if (!target) {
    std::fprintf(stderr, "error: %s holds no code for %s\n", argv[1], properties.gcnArchName);
    return 1;
  }
  hipModule_t module;
  check(hipModuleLoad(&module, argv[1]), argv[1]);
  hipFunction_t function;
  check(hipModuleGetFunction(&function, module, MATMUL_SYMBOL), "matmul.h and the code object belong to each other");

  std::vector<float> x = makeNumbers(std::size_t(M) * K, 1), w = makeNumbers(std::size_t(N) * K, 2);
  std::vector<float> y(std::size_t(M) * N);
  matmul_arguments arguments;
  arguments.x = upload(x);
  arguments.w = upload(w);
  arguments.y = upload(y);
  check(matmul_launch(function, target, &arguments, nullptr), "matmul_launch");
  check(hipMemcpy(y.data(), arguments.y, y.size() * sizeof(float), hipMemcpyDeviceToHost), "hipMemcpy");

  double worst = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += double(x[i * K + k]) * w[j * K + k];
      double error = std::fabs(y[i * N + j] - sum);
      worst = error <= worst ? worst : error; // a NaN stays
    }
  std::printf("%s: %d x %d x %d, largest error %.3g\n", target->name, M, N, K, worst);

  check(hipFree(const_cast<float *>(arguments.x)), "hipFree");
  check(hipFree(const_cast<float *>(arguments.w)), "hipFree");
  check(hipFree(arguments.y), "hipFree");
  check(hipModuleUnload(module), "hipModuleUnload");
  return worst <= 1e-4 ? 0 : 1;
}
