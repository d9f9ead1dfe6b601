// Matrix transposition through an LDS tile, for elements of 1, 2, 4, 8 and 16 bytes, any width and height, with padded
// and swizzled tiles.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

template <typename T, bool swizzled> INLINE void transpose(const T *in, T *out, int width, int height) {
  __shared__ T tile[32][swizzled ? 32 : 33];
  auto column = [](int x, int y) { return swizzled ? x ^ y : x; };
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int y = ty; y < 32; y += 8) {
    int row = blockIdx.y * 32 + y, c = blockIdx.x * 32 + tx;
    if (row < height && c < width)
      tile[y][column(tx, y)] = in[row * width + c];
  }
  __syncthreads();
  for (int y = ty; y < 32; y += 8) {
    int row = blockIdx.x * 32 + y, c = blockIdx.y * 32 + tx;
    if (row < width && c < height)
      out[row * height + c] = tile[tx][column(y, tx)];
  }
}

#define KERNEL(type, T, swizzled)                                                                                      \
  extern "C" __global__ void transpose_##type(const T *in, T *out, int width, int height) {                            \
    transpose<T, swizzled>(in, out, width, height);                                                                    \
  }
KERNEL(u8, uint8_t, false)
KERNEL(u16, uint16_t, true)
KERNEL(u32, uint32_t, false)
KERNEL(u64, uint64_t, true)
KERNEL(u128, uint4, false)

#else

namespace {
struct Four {
  uint32_t values[4];
  bool operator==(const Four &) const = default;
};
template <typename T> void transposeCase(suite::Run &run, const char *kernel) {
  int width = run.size, height = run.size / 2 + 3;
  std::vector<T> in(width * height);
  for (T &value : in)
    for (size_t i = 0; i < sizeof(T); ++i)
      reinterpret_cast<uint8_t *>(&value)[i] = uint8_t(run.random());
  T *out = run.room<T>(in.size());
  run.launch(kernel, {suite::blocksFor(width, 32), suite::blocksFor(height, 32)}, {32, 8}, run.upload(in), out, width,
             height);
  auto got = run.download(out, in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      run.expect(got[x * height + y] == in[y * width + x], "wrong at " + std::to_string(x) + ", " + std::to_string(y));
}
} // namespace

SUITE(transpose, u8, 16, 45, 64) { transposeCase<uint8_t>(run, "transpose_u8"); }
SUITE(transpose, u16, 16, 45, 64) { transposeCase<uint16_t>(run, "transpose_u16"); }
SUITE(transpose, u32, 16, 45, 64) { transposeCase<uint32_t>(run, "transpose_u32"); }
SUITE(transpose, u64, 16, 45, 64) { transposeCase<uint64_t>(run, "transpose_u64"); }
SUITE(transpose, u128, 16, 45, 64) { transposeCase<Four>(run, "transpose_u128"); }
#endif
