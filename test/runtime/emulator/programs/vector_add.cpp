// A plain HIP program as a user writes it, compiled by g++ with the distribution's HIP header and linked to the
// distribution's libamdhip64, which the emulator replaces through LD_LIBRARY_PATH. Its argument is the folder of
// kernels.<chip>.hsaco. It prints the device and the time; the exit code is 0 if every sum is right.
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <string>
#include <vector>

#define CHECK(call)                                                                                                    \
  if (hipError_t error = call) {                                                                                       \
    std::printf("%s: %s\n", #call, hipGetErrorString(error));                                                          \
    return 1;                                                                                                          \
  }

int main(int, char **argv) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count));
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  std::string arch = properties.gcnArchName;
  std::printf("%d device, %s, %s\n", count, properties.name, arch.c_str());

  hipModule_t module;
  hipFunction_t add;
  CHECK(
      hipModuleLoad(&module, (std::string(argv[1]) + "/kernels." + arch.substr(0, arch.find(':')) + ".hsaco").c_str()));
  CHECK(hipModuleGetFunction(&add, module, "vectorAdd"));

  int n = 100000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i)
    a[i] = float(i), b[i] = float(2 * i);
  const size_t bytes = n * sizeof(float);
  void *da, *db, *dc;
  CHECK(hipMalloc(&da, bytes));
  CHECK(hipMalloc(&db, bytes));
  CHECK(hipMalloc(&dc, bytes));
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipMemcpyAsync(da, a.data(), bytes, hipMemcpyHostToDevice, stream));
  CHECK(hipMemcpyAsync(db, b.data(), bytes, hipMemcpyHostToDevice, stream));
  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  void *parameters[] = {&da, &db, &dc, &n};
  CHECK(hipEventRecord(start, stream));
  CHECK(hipModuleLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr));
  CHECK(hipEventRecord(stop, stream));
  CHECK(hipMemcpyAsync(c.data(), dc, bytes, hipMemcpyDeviceToHost, stream));
  CHECK(hipStreamSynchronize(stream));
  float milliseconds;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  std::printf("%.3f us\n", double(milliseconds) * 1000);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += c[i] != float(3 * i);
  std::printf("%d of %d sums wrong\n", wrong, n);
  CHECK(hipEventDestroy(start));
  CHECK(hipEventDestroy(stop));
  CHECK(hipStreamDestroy(stream));
  CHECK(hipFree(da));
  CHECK(hipFree(db));
  CHECK(hipFree(dc));
  CHECK(hipModuleUnload(module));
  return wrong != 0;
}
