#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "test/runtime/emulator/execute/HostPeak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <chrono>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::test::HWY_NAMESPACE {

/// Independent chains enough to hide the latency of any host; returns FLOP.
double multiplyAdds(unsigned rounds, float *sink) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  constexpr int chains = 12;
  auto a = hn::Set(d, sink[0]), b = hn::Set(d, sink[1]);
  auto v0 = a, v1 = b, v2 = a, v3 = b, v4 = a, v5 = b, v6 = a, v7 = b, v8 = a, v9 = b, v10 = a, v11 = b;
  for (unsigned i = 0; i < rounds; ++i) {
    v0 = hn::MulAdd(v0, a, b), v1 = hn::MulAdd(v1, a, b), v2 = hn::MulAdd(v2, a, b), v3 = hn::MulAdd(v3, a, b);
    v4 = hn::MulAdd(v4, a, b), v5 = hn::MulAdd(v5, a, b), v6 = hn::MulAdd(v6, a, b), v7 = hn::MulAdd(v7, a, b);
    v8 = hn::MulAdd(v8, a, b), v9 = hn::MulAdd(v9, a, b), v10 = hn::MulAdd(v10, a, b), v11 = hn::MulAdd(v11, a, b);
  }
  v0 = hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), hn::Add(v6, v7)));
  sink[2] += hn::GetLane(hn::Add(v0, hn::Add(hn::Add(v8, v9), hn::Add(v10, v11))));
  return 2.0 * chains * double(hn::Lanes(d)) * rounds;
}

} // namespace nstf::emulator::test::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "runtime/emulator/execute/Dispatch.h"
#include "test/runtime/emulator/execute/HostPeak.h"

namespace nstf::emulator::test {
HWY_EXPORT(multiplyAdds);

double hostPeakFlops() {
  hostVectorTarget(); // NSTF_EMU_VECTORS counts from here on
  float sink[3] = {0.5f, 0.25f, 0};
  double best = 0;
  for (int i = 0; i < 10; ++i) {
    auto start = std::chrono::steady_clock::now();
    double flops = HWY_DYNAMIC_DISPATCH(multiplyAdds)(1'500'000, sink);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = flops / seconds.count() > best ? flops / seconds.count() : best;
  }
  return best;
}

} // namespace nstf::emulator::test
#endif
