// Kernels in which each work-item processes one element or a small neighbourhood.
#include "tools/benchmarks/timing/points/Case.h"

#include <array>

namespace nstf::emulator::timing {

namespace {

void vectoradd(Case &c) {
  const uint64_t n = c.problem.number(0);
  float *a = c.array<float>(n), *b = c.array<float>(n), *d = c.array<float>(n);
  c.timed = [=, &c] { c.launch("vectoradd", line(n, 256), a, b, d, int(n), 1); };
  c.flops = double(n);
  c.bytes = 12.0 * double(n);
}

void relu(Case &c) {
  const uint64_t n = c.problem.number(0);
  float *in = c.array<float>(n), *out = c.array<float>(n);
  c.timed = [=, &c] { c.launch("relu", line(n, 256), int(n), in, out); };
  c.flops = double(n);
  c.bytes = 8.0 * double(n);
}

void memcopy(Case &c) {
  const uint64_t bytes = c.problem.number(0) << 20;
  auto *from = c.array<std::byte>(bytes), *to = c.array<std::byte>(bytes);
  c.timed = [=, &c] { c.launch("memcopy_d2d", line(bytes / 64, 512), to, from); };
  c.bytes = 2.0 * double(bytes);
}

void transpose(Case &c) {
  const uint64_t side = c.problem.number(0);
  const uint32_t items = uint32_t(side / 4), groups = items / 16;
  float *out = c.array<float>(side * side), *in = c.array<float>(side * side);
  LaunchShape shape{{groups, groups, 1}, {16, 16, 1}, 16 * 16 * 16 * sizeof(float)};
  c.timed = [=, &c] { c.launch("matrixtranspose", shape, out, in, items, items, groups); };
  c.bytes = 8.0 * double(side * side);
}

void fir(Case &c) {
  const uint64_t n = c.problem.number(0), taps = c.problem.number(1);
  float *out = c.array<float>(n), *coefficients = c.array<float>(taps), *in = c.array<float>(n),
        *history = c.array<float>(taps + 1);
  c.timed = [=, &c] { c.launch("fir", line(n, 256), out, coefficients, in, history, uint32_t(taps)); };
  c.flops = 2.0 * double(n * taps);
  c.bytes = 8.0 * double(n);
}

void convolution(Case &c) {
  const uint64_t width = c.problem.number(0), side = c.problem.number(2), padded = width + side - 1;
  auto *in = c.array<uint32_t>(padded * padded);
  float *mask = c.array<float>(side * side);
  int *out = c.array<int>(width * width);
  c.timed = [=, &c] {
    c.launch("simpleconvolution", line(width * width, 64), in, mask, out, uint32_t(width), uint32_t(width),
             uint32_t(side), uint32_t(padded));
  };
  c.flops = 2.0 * double(width * width * side * side);
  c.bytes = 8.0 * double(width * width);
}

/// N1_C1_WxH_kSxS
struct Field {
  explicit Field(const Problem &problem)
      : width(uint32_t(problem.number(2))), side(uint32_t(problem.number(4))), across(width - side + 1),
        places(uint64_t(across) * across) {}
  uint32_t width, side, across;
  uint64_t places;

  void launch(Case &c, const float *in, float *out) const {
    const std::array<uint32_t, 2> size{width, width}, mask{side, side}, one{1, 1}, none{0, 0};
    c.launch("im2col", line(places, 256), in, out, size, mask, one, none, one, 1u, 1u);
  }
};

void im2col(Case &c) {
  Field field(c.problem);
  float *in = c.array<float>(uint64_t(field.width) * field.width),
        *out = c.array<float>(field.places * field.side * field.side);
  c.timed = [=, &c] { field.launch(c, in, out); };
  c.bytes = 4.0 * (double(field.width) * field.width + double(field.places) * field.side * field.side);
}

void conv2d(Case &c) {
  Field field(c.problem);
  const int m = 3, n = int(field.places), k = int(field.side * field.side);
  float *in = c.array<float>(uint64_t(field.width) * field.width),
        *columns = c.array<float>(field.places * uint64_t(k));
  float *weights = c.array<float>(uint64_t(m) * k), *bias = c.array<float>(16 * field.places),
        *out = c.array<float>(16 * field.places + 16); // the kernel clears it up to the end of the last tile
  LaunchShape shape{{countGroups(field.places, 16), 1, 1}, {16, 16, 1}};
  c.timed = [=, &c] {
    field.launch(c, in, columns);
    c.launch("tiled_gemm", shape, m, n, k, 1.0f, 0.0f, weights, columns, bias, out);
  };
  c.flops = 2.0 * m * n * k;
  c.bytes = 4.0 * (double(field.width) * field.width + 2.0 * n * k + 2.0 * m * n);
}

void polybench2dconv(Case &c) {
  const uint64_t n = c.problem.named("size");
  float *a = c.array<float>(n * n), *b = c.array<float>(n * n);
  LaunchShape shape{{countGroups(n, 16), countGroups(n, 16), 1}, {16, 16, 1}};
  c.timed = [=, &c] { c.launch("polybench_2dconv", shape, a, b, int(n), int(n)); };
  c.flops = 17.0 * double(n * n);
  c.bytes = 8.0 * double(n * n);
}

void stencil3d(Case &c) {
  const uint64_t n = c.problem.named("grid"), steps = c.problem.named("timesteps");
  float *a = c.array<float>(n * n * n), *b = c.array<float>(n * n * n);
  LaunchShape shape{{countGroups(n, 16), countGroups(n, 16), uint32_t(n)}, {16, 16, 1}};
  c.timed = [=, &c] {
    for (uint64_t step = 0; step < steps; ++step)
      c.launch("parboil_stencil", shape, step % 2 ? b : a, step % 2 ? a : b, int(n), int(n), int(n), 0.4f, 0.1f);
  };
  c.flops = 8.0 * double(n * n * n * steps);
  c.bytes = 8.0 * double(n * n * n * steps);
}

void stencil2d(Case &c) {
  const uint64_t n = c.problem.number(0), pitch = (n + 2 + 15) / 16 * 16;
  float *in = c.array<float>((n + 2) * pitch + 64), *out = c.array<float>((n + 2) * pitch + 64);
  LaunchShape shape{{uint32_t(n / 16), uint32_t(n / 64), 1}, {1, 64, 1}};
  c.timed = [=, &c] { c.launch("stencil2d", shape, in, out, int(pitch), 0.25f, 0.15f, 0.05f); };
  c.flops = 11.0 * double(n * n);
  c.bytes = 8.0 * double(n * n);
}

void blackscholes(Case &c) {
  const uint64_t n = c.problem.named("size");
  auto values = [&](float low, float high) {
    return c.array<float>(n, [=](uint64_t i) { return low + (high - low) * float(i * 7919 % 1024) / 1024; });
  };
  float *price = values(5, 30), *strike = values(1, 100), *years = values(0.25f, 10), *volatility = values(0.1f, 0.5f);
  float *call = c.array<float>(n), *put = c.array<float>(n);
  c.timed = [=, &c] {
    c.launch("tango_blackscholes", line(n, 256), price, strike, years, volatility, 0.02f, call, put, int(n));
  };
  c.flops = 60.0 * double(n);
  c.bytes = 24.0 * double(n);
}

} // namespace

void addArrays(Cases &cases) {
  cases.insert({{"vectoradd", vectoradd},
                {"relu", relu},
                {"memcopy_d2d", memcopy},
                {"matrixtranspose", transpose},
                {"fir", fir},
                {"heteromark_fir", fir},
                {"simpleconvolution", convolution},
                {"im2col", im2col},
                {"conv2d", conv2d},
                {"polybench_2dconv", polybench2dconv},
                {"parboil_stencil", stencil3d},
                {"stencil2d", stencil2d},
                {"tango_blackscholes", blackscholes}});
}

} // namespace nstf::emulator::timing
