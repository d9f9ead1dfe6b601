// Memory accesses: string search by bytes, arrays in scratch with data-dependent indices, dynamic LDS, 3-D grids with
// partial last waves, unaligned structures, generic pointers to all three memories, constant tables, volatile and
// non-temporal accesses, loads from global memory directly to LDS, buffer descriptors.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

/// Finds the first place of a needle in the text, or -1, and the number of places, byte by byte.
extern "C" __global__ void search(const char *text, int length, const char *needle, int needleLength, int *first,
                                  unsigned *count) {
  for (int i = globalId(); i + needleLength <= length; i += gridSize()) {
    int j = 0;
    while (j < needleLength && text[i + j] == needle[j])
      ++j;
    if (j == needleLength) {
      ATOMIC(fetch_min, first, i);
      ATOMIC(fetch_add, count, 1u);
    }
  }
}

/// A counting sort of each lane's own 40 bytes, in arrays in scratch.
extern "C" __global__ void scratchArrays(const uint8_t *in, uint8_t *out, unsigned *mode) {
  int i = globalId();
  unsigned counts[256];
  uint8_t sorted[40];
  for (unsigned &count : counts)
    count = 0;
  for (int j = 0; j < 40; ++j)
    ++counts[in[i * 40 + j]];
  unsigned best = 0, place = 0;
  for (unsigned value = 0; value < 256; ++value) {
    if (counts[value] > counts[best])
      best = value;
    for (unsigned n = 0; n < counts[value]; ++n)
      sorted[place++] = uint8_t(value);
  }
  for (int j = 0; j < 40; ++j)
    out[i * 40 + j] = sorted[39 - j];
  mode[i] = best;
}

/// Uses dynamic LDS as two arrays whose sizes come from the launch.
extern "C" __global__ void dynamicLds(const short *in, int *out, int shorts) {
  extern __shared__ __attribute__((aligned(16))) char dynamic[];
  __shared__ int fixed[3];
  short *first = (short *)dynamic;
  int *second = (int *)(dynamic + ((shorts * 2 + 15) & ~15));
  for (int i = threadIdx.x; i < shorts; i += blockDim.x)
    first[i] = in[blockIdx.x * shorts + i];
  if (threadIdx.x < 3)
    fixed[threadIdx.x] = int(threadIdx.x) + 1;
  __syncthreads();
  for (int i = threadIdx.x; i < shorts; i += blockDim.x)
    second[i] = first[shorts - 1 - i] * fixed[i % 3];
  __syncthreads();
  for (int i = threadIdx.x; i < shorts; i += blockDim.x)
    out[blockIdx.x * shorts + i] = second[i] + second[(i + 1) % shorts];
}

extern "C" __global__ void grid3d(unsigned *out, unsigned width, unsigned height, unsigned depth) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < width && y < height && z < depth)
    out[(z * height + y) * width + x] = x | y << 8 | z << 16 | __builtin_popcountll(ballot(true)) << 24;
}

struct __attribute__((packed)) Packed {
  uint8_t tag;
  uint32_t word;
  uint16_t half;
  double number;
};
extern "C" __global__ void unaligned(const Packed *in, Packed *out, int n) {
  int i = globalId();
  if (i >= n)
    return;
  Packed value = in[i];
  value.word += value.tag;
  value.half ^= 0x5555;
  value.number *= 2;
  out[n - 1 - i] = value;
}

NOINLINE int sumBehind(const int *pointer, int count) { // flat accesses
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += pointer[i] * (i + 1);
  return sum;
}
__device__ const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
extern "C" __global__ void generic(const int *in, int *out) {
  __shared__ int shared[64];
  int own[8], t = threadIdx.x, i = globalId();
  shared[t] = in[i];
  for (int j = 0; j < 8; ++j)
    own[j] = in[i] + j * t;
  __syncthreads();
  // Lanes point to different kinds of memory in one instruction.
  const int *pointer = t % 4 == 0 ? shared + t % 56 : t % 4 == 1 ? own : t % 4 == 2 ? in + i / 64 * 64 : primes;
  out[i] = sumBehind(pointer, 8);
}

extern "C" __global__ void hints(const float4 *in, float4 *out, volatile int *turns) {
  int i = globalId();
  float4 value = __builtin_nontemporal_load(in + i);
  for (int j = 0; j < 3; ++j)
    turns[i] = turns[i] + 1;
  __builtin_nontemporal_store(value * float(turns[i]), out + i);
}

#define LOCAL __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
/// Each wave loads 64 words to LDS without registers; LDS stores them lane by lane from its base.
extern "C" __global__ void directToLds(unsigned *in, const int *places, unsigned *out) {
  __shared__ unsigned tile[4][64];
  unsigned wave = __builtin_amdgcn_readfirstlane(threadIdx.x / 64), i = globalId();
  __builtin_amdgcn_global_load_lds((GLOBAL unsigned *)&in[places[i]], (LOCAL unsigned *)tile[wave], 4, 0, 0);
  __builtin_amdgcn_s_waitcnt(0x0f70); // vmcnt(0)
  __syncthreads();
  out[i] = tile[3 - wave][63 - threadIdx.x % 64];
}

/// A buffer descriptor checks the range: loads past it give zero, stores past it are dropped.
extern "C" __global__ void buffers(int *in, int *out, uint8_t *sums, int n) {
  __amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc(in, 0, n * 4, 0x00020000);
  __amdgpu_buffer_rsrc_t to = __builtin_amdgcn_make_buffer_rsrc(out, 0, n * 4, 0x00020000);
  int i = globalId();
  int value = __builtin_amdgcn_raw_buffer_load_b32(from, i * 4, 0, 0);
  int next = __builtin_amdgcn_raw_buffer_load_b32(from, i * 4, 4, 0);
  __builtin_amdgcn_raw_buffer_store_b32(value * 3 + next, to, i * 4, 0, 0);
  int4 four = __builtin_amdgcn_raw_buffer_load_b128(from, i % 4 * 16, 0, 0);
  __amdgpu_buffer_rsrc_t bytes = __builtin_amdgcn_make_buffer_rsrc(sums, 0, 4, 0x00020000);
  __builtin_amdgcn_raw_buffer_store_b8(uint8_t(four[0] + four[3]), bytes, i, 0, 0);
}

#else
#include <algorithm>

SUITE(memory, search, 10, 1000, 5003) {
  std::string text, needle = "abca";
  for (int i = 0; i < run.size; ++i)
    text += char('a' + run.random() % 3);
  int first = INT32_MAX;
  uint32_t count = 0;
  for (size_t at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1)) {
    first = std::min(first, int(at));
    ++count;
  }
  int *deviceFirst = run.upload(std::vector<int>{INT32_MAX});
  uint32_t *deviceCount = run.upload(std::vector<uint32_t>(1));
  run.launch("search", 3, 192, run.upload(std::vector<char>(text.begin(), text.end())), run.size,
             run.upload(std::vector<char>(needle.begin(), needle.end())), int(needle.size()), deviceFirst, deviceCount);
  run.expectEqual(run.download(deviceFirst, 1), {first}, "first");
  run.expectEqual(run.download(deviceCount, 1), {count}, "count");
}

SUITE(memory, scratchArrays, 1, 64, 70) {
  int n = run.size;
  std::vector<uint8_t> in(n * 40), expected;
  std::vector<uint32_t> modes(n);
  for (uint8_t &value : in)
    value = uint8_t(run.random() & run.random());
  for (int i = 0; i < n; ++i) {
    std::vector<uint8_t> own(in.begin() + i * 40, in.begin() + (i + 1) * 40);
    std::sort(own.begin(), own.end(), std::greater<>());
    expected.insert(expected.end(), own.begin(), own.end());
    unsigned counts[256] = {};
    for (uint8_t value : own)
      ++counts[value];
    modes[i] = unsigned(std::max_element(counts, counts + 256) - counts);
  }
  uint8_t *out = run.room<uint8_t>(n * 40);
  uint32_t *mode = run.room<uint32_t>(n);
  run.launch("scratchArrays", 1, n, run.upload(in), out, mode);
  run.expectEqual(run.download(out, n * 40), expected);
  run.expectEqual(run.download(mode, n), modes, "modes");
}

SUITE(memory, dynamicLds, 1, 100, 2001) {
  int shorts = run.size, blocks = 3;
  std::vector<int16_t> in(blocks * shorts);
  for (int16_t &value : in)
    value = int16_t(run.random());
  std::vector<int> expected(in.size());
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < shorts; ++i) {
      auto second = [&](int j) { return in[b * shorts + shorts - 1 - j] * (j % 3 + 1); };
      expected[b * shorts + i] = second(i) + second((i + 1) % shorts);
    }
  int *out = run.room<int>(in.size());
  run.launchDynamic(((shorts * 2 + 15) & ~15) + shorts * 4, "dynamicLds", blocks, 128, run.upload(in), out, shorts);
  run.expectEqual(run.download(out, in.size()), expected);
}

SUITE(memory, grid3d, 1, 9, 16) {
  unsigned width = run.size, height = run.size / 2 + 1, depth = 5;
  suite::Grid block(7, 3, 2); // 42 work-items: one partial wave
  std::vector<uint32_t> expected(width * height * depth);
  auto inside = [](unsigned size, unsigned at, unsigned block) { return std::min(block, size - at / block * block); };
  for (unsigned z = 0; z < depth; ++z)
    for (unsigned y = 0; y < height; ++y)
      for (unsigned x = 0; x < width; ++x)
        expected[(z * height + y) * width + x] =
            x | y << 8 | z << 16 | (inside(width, x, 7) * inside(height, y, 3) * inside(depth, z, 2)) << 24;
  uint32_t *out = run.room<uint32_t>(expected.size());
  run.launch("grid3d", {(width + 6) / 7, (height + 2) / 3, (depth + 1) / 2}, block, out, width, height, depth);
  run.expectEqual(run.download(out, expected.size()), expected);
}

namespace {
#pragma pack(push, 1)
struct Packed {
  uint8_t tag;
  uint32_t word;
  uint16_t half;
  double number;
};
#pragma pack(pop)
} // namespace
SUITE(memory, unaligned, 1, 64, 333) {
  int n = run.size;
  std::vector<Packed> in(n);
  for (Packed &value : in)
    value = {uint8_t(run.random()), run.random(), uint16_t(run.random()), run.uniform(-1, 1)};
  Packed *out = run.room<Packed>(n);
  run.launch("unaligned", suite::blocksFor(n, 64), 64, run.upload(in), out, n);
  auto got = run.download(out, n);
  for (int i = 0; i < n; ++i) {
    Packed value = in[i];
    value.word += value.tag;
    value.half ^= 0x5555;
    value.number *= 2;
    run.expect(std::memcmp(&got[n - 1 - i], &value, sizeof value) == 0, "structure " + std::to_string(i));
  }
}

SUITE(memory, generic, 1, 2, 5) {
  const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  int n = run.size * 64;
  std::vector<int> in(n), expected(n);
  for (int &value : in)
    value = int(run.random() >> 12);
  for (int i = 0; i < n; ++i)
    for (int j = 0, t = i % 64, group = i - t; j < 8; ++j) {
      int value = t % 4 == 0   ? in[group + t % 56 + j]
                  : t % 4 == 1 ? in[i] + j * t
                  : t % 4 == 2 ? in[group + j]
                               : primes[j];
      expected[i] += value * (j + 1);
    }
  int *out = run.room<int>(n);
  run.launch("generic", run.size, 64, run.upload(in), out);
  run.expectEqual(run.download(out, n), expected);
}

SUITE(memory, hints, 1, 64, 100) {
  auto in = run.floats(4 * run.size), expected = in;
  for (float &value : expected)
    value *= 3;
  float *out = run.room<float>(in.size());
  run.launch("hints", 1, run.size, run.upload(in), out, run.upload(std::vector<int>(run.size)));
  run.expectEqual(run.download(out, in.size()), expected);
}

SUITE(memory, directToLds, 1, 2, 5) {
  int n = run.size * 256;
  auto in = run.integers(1000);
  std::vector<int> places(n);
  std::vector<uint32_t> expected(n);
  for (int &place : places)
    place = int(run.random() % 1000);
  for (int i = 0; i < n; ++i)
    expected[i] = in[places[i ^ 255]];
  uint32_t *out = run.room<uint32_t>(n);
  run.launch("directToLds", run.size, 256, run.upload(in), run.upload(places), out);
  run.expectEqual(run.download(out, n), expected);
}

SUITE(memory, buffers, 20, 64, 127) {
  int n = run.size;
  std::vector<int> in(n + 64), expected(n + 64, -1);
  for (int &value : in)
    value = int(run.random() >> 3);
  for (int i = 0; i < n; ++i)
    expected[i] = int(unsigned(in[i]) * 3 + unsigned(i + 1 < n ? in[i + 1] : 0));
  std::vector<uint8_t> sums(8);
  for (int i = 0; i < 4; ++i)
    sums[i] = uint8_t(in[i * 4] + in[i * 4 + 3]);
  uint8_t *bytes = run.upload(std::vector<uint8_t>(8));
  int *out = run.upload(std::vector<int>(n + 64, -1));
  run.launch("buffers", suite::blocksFor(n, 64) + 1, 64, run.upload(in), out, bytes, n);
  run.expectEqual(run.download(out, n + 64), expected);
  run.expectEqual(run.download(bytes, 8), sums, "bytes");
}
#endif
