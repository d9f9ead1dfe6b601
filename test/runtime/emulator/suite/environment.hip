// What a kernel can learn about its launch: its position and the launch's shape from the dispatch packet and hidden
// arguments, clocks, hardware registers, rounding and denormal modes, many and large arguments. At -O0 this file's code
// objects have version 4, where the shape comes from the dispatch packet.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

struct Packet { // hsa_kernel_dispatch_packet_t
  uint16_t header, setup, workgroup[3], reserved;
  uint32_t grid[3], privateBytes, groupBytes;
};
extern "C" __global__ void shape(unsigned *out) {
  unsigned place[3] = {blockIdx.x, blockIdx.y, blockIdx.z}, thread[3] = {threadIdx.x, threadIdx.y, threadIdx.z};
  const Packet *packet = (const Packet *)__builtin_amdgcn_dispatch_ptr();
  unsigned block =
      (blockIdx.z * (packet->grid[1] / packet->workgroup[1]) + blockIdx.y) * (packet->grid[0] / packet->workgroup[0]) +
      blockIdx.x;
  unsigned work = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned *own = out + (block * blockDim.x * blockDim.y * blockDim.z + work) * 12;
  for (int i = 0; i < 3; ++i) {
    own[i] = place[i];
    own[3 + i] = thread[i];
    own[6 + i] = packet->workgroup[i] << 16 | packet->grid[i];
  }
  own[9] = blockDim.x | blockDim.y << 8 | blockDim.z << 16;
  own[10] = __builtin_amdgcn_grid_size_x() + __builtin_amdgcn_grid_size_y() * __builtin_amdgcn_grid_size_z();
  own[11] = __builtin_amdgcn_wavefrontsize() + laneId();
}

extern "C" __global__ void clocks(uint64_t *out) {
  uint64_t cycles = __builtin_readcyclecounter(), real = __builtin_amdgcn_s_memrealtime();
  __builtin_amdgcn_s_sleep(20);
  __builtin_amdgcn_s_setprio(3);
  uint64_t cyclesLater = __builtin_readcyclecounter(), realLater = __builtin_amdgcn_s_memrealtime();
  __builtin_amdgcn_s_setprio(0);
  if (threadIdx.x == 0) {
    out[0] = cyclesLater > cycles;
    out[1] = realLater >= real;
  }
}

/// Sets, uses and restores fields of MODE: the rounding of f32 and of f64/f16, and the denormals of f32.
extern "C" __global__ void modes(const float *a, const float *b, float *out, int n) {
  int i = globalId();
  if (i >= n)
    return;
  float x = a[i], y = b[i], sums[4], tiny;
  // Volatile keeps the addition between the mode changes. The s_nop are required by the hardware.
#define SUM(rounding)                                                                                                  \
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), " #rounding "\n s_nop 1\n v_add_f32 %0, %1, %2\n"         \
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n s_nop 1"                                              \
               : "=v"(sums[rounding])                                                                                  \
               : "v"(x), "v"(y))
  SUM(0);
  SUM(1);
  SUM(2);
  SUM(3);
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n s_nop 1\n v_mul_f32 %0, 0x00800001, %1\n"
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n s_nop 1"
               : "=v"(tiny)
               : "v"(0.5f));
  for (int r = 0; r < 4; ++r)
    out[5 * i + r] = sums[r];
  out[5 * i + 4] = tiny + bits<float>(0x00800001) * 0.5f;
}

struct Large {
  int values[100];
  double last;
};
extern "C" __global__ void arguments(int *out, char a, short b, Large large, char c, double d, float e, uint8_t f,
                                     int64_t g, const int *h, bool i, _Float16 j, int k[3]) {
  if (threadIdx.x)
    return;
  out += blockIdx.x * 12;
  out[0] = a;
  out[1] = b;
  out[2] = large.values[99] + large.values[blockIdx.x];
  out[3] = int(large.last);
  out[4] = c;
  out[5] = int(d * 10);
  out[6] = int(e * 10);
  out[7] = f;
  out[8] = int(g >> 33);
  out[9] = h[1] + k[2];
  out[10] = i;
  out[11] = int(j);
}

__device__ int counter = 5;
__device__ int counters[100];
/// Module variables keep their values from launch to launch.
extern "C" __global__ void variables(int *out, int turn) {
  counters[threadIdx.x] += int(threadIdx.x) * turn;
  if (threadIdx.x == 0)
    counter *= turn;
  out[threadIdx.x] = counters[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    out[100] = counter;
}

#else
#include <cfenv>

SUITE(environment, shape, 1, 2, 3) {
  unsigned blocks[3] = {unsigned(run.size), 2, 3}, threads[3] = {5, unsigned(run.size), 4};
  unsigned perBlock = threads[0] * threads[1] * threads[2], count = blocks[0] * blocks[1] * blocks[2] * perBlock;
  std::vector<uint32_t> expected;
  for (unsigned b = 0; b < count / perBlock; ++b)
    for (unsigned t = 0; t < perBlock; ++t) {
      uint32_t grid[3];
      for (unsigned i = 0; i < 3; ++i)
        grid[i] = blocks[i] * threads[i];
      for (uint32_t value : {b % blocks[0], b / blocks[0] % blocks[1], b / blocks[0] / blocks[1], t % threads[0],
                             t / threads[0] % threads[1], t / threads[0] / threads[1], threads[0] << 16 | grid[0],
                             threads[1] << 16 | grid[1], threads[2] << 16 | grid[2],
                             threads[0] | threads[1] << 8 | threads[2] << 16, grid[0] + grid[1] * grid[2], 64 + t % 64})
        expected.push_back(value);
    }
  uint32_t *out = run.room<uint32_t>(count * 12);
  run.launch("shape", {blocks[0], blocks[1], blocks[2]}, {threads[0], threads[1], threads[2]}, out);
  run.expectEqual(run.download(out, count * 12), expected);
}

SUITE(environment, clocks, 64) {
  uint64_t *out = run.room<uint64_t>(2);
  run.launch("clocks", 1, run.size, out);
  run.expectEqual(run.download(out, 2), {1, 1});
}

SUITE(environment, modes, 1, 100, 333) {
  int n = run.size;
  auto a = run.floats(n), b = run.floats(n, -1e-6f, 1e-6f);
  std::vector<float> expected(5 * n);
  for (int i = 0; i < n; ++i) {
    double sum = double(a[i]) + double(b[i]); // exact
    float nearest = float(sum), up = nearest, down = nearest;
    if (up < sum)
      up = std::nextafter(up, INFINITY);
    if (down > sum)
      down = std::nextafter(down, -INFINITY);
    float zero = sum > 0 ? down : up;
    for (int r = 0; r < 4; ++r)
      expected[5 * i + r] = r == 0 ? nearest : r == 1 ? up : r == 2 ? down : zero;
    // One mode flushes it to zero. In the other the result is half of an odd number of units, which rounds to even.
    expected[5 * i + 4] = std::ldexp(float(0x00400000), -149);
  }
  float *out = run.room<float>(5 * n);
  run.launch("modes", suite::blocksFor(n, 128), 128, run.upload(a), run.upload(b), out, n);
  run.expectEqual(run.download(out, 5 * n), expected);
}

namespace {
struct Large {
  int values[100];
  double last;
};
} // namespace
SUITE(environment, arguments, 0, 1, 98) {
  Large large;
  for (int i = 0; i < 100; ++i)
    large.values[i] = 7 * i;
  large.last = 1234.5;
  int blocks = run.size + 1, *h = run.upload(std::vector<int>{10, 20, 30}), *out = run.room<int>(12 * blocks);
  run.launch("arguments", blocks, 64, out, char(-3), short(-300), large, char('c'), 2.5, 3.5f, uint8_t(200),
             int64_t(77) << 33, static_cast<const int *>(h), true, _Float16(12), h);
  std::vector<int> expected;
  for (int b = 0; b < blocks; ++b)
    for (int value : {-3, -300, 693 + 7 * b, 1234, int('c'), 25, 35, 200, 77, 50, 1, 12})
      expected.push_back(value);
  run.expectEqual(run.download(out, 12 * blocks), expected);
}

SUITE(environment, variables, 1, 3, 7) {
  std::vector<int> expected(101);
  expected[100] = 5;
  int *out = run.room<int>(101);
  for (int turn = 1; turn <= run.size; ++turn) {
    run.launch("variables", 1, 100, out, turn);
    for (int t = 0; t < 100; ++t)
      expected[t] += t * turn;
    expected[100] *= turn;
  }
  run.expectEqual(run.download(out, 101), expected);
}
#endif
