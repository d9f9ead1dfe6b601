#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/benchmarks/emulator/Peak.cpp"
#include <hwy/foreach_target.h>

#include "tools/benchmarks/emulator/Peak.h"

#include <algorithm>
#include <ctime>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nstf::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `rounds` rounds of 12 independent chains, enough to hide 4 or 5 clocks of latency on two ports. Returns operations.
double multiplyAdds(unsigned rounds, float *result) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 0.001f);
  auto a = x, b = x, c = x, e = x, f = x, g = x, h = x, i = x, j = x, k = x, l = x, m = x;
  for (unsigned round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, x, y), b = hn::MulAdd(b, x, y), c = hn::MulAdd(c, x, y), e = hn::MulAdd(e, x, y);
    f = hn::MulAdd(f, x, y), g = hn::MulAdd(g, x, y), h = hn::MulAdd(h, x, y), i = hn::MulAdd(i, x, y);
    j = hn::MulAdd(j, x, y), k = hn::MulAdd(k, x, y), l = hn::MulAdd(l, x, y), m = hn::MulAdd(m, x, y);
  }
  auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
  *result = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(hn::Add(j, k), hn::Add(l, m)))));
  return double(rounds) * 12 * 2 * double(hn::Lanes(d));
}

} // namespace nstf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf {
HWY_EXPORT(multiplyAdds);

double measurePeak() {
  volatile float sink;
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::clock_t start = std::clock();
    float result;
    double operations = HWY_DYNAMIC_DISPATCH(multiplyAdds)(20'000'000, &result);
    sink = result;
    best = std::max(best, operations * CLOCKS_PER_SEC / double(std::clock() - start));
  }
  (void)sink;
  return best;
}
} // namespace nstf
#endif
