// The loop has no branches, so the compiler vectorises it. Highway's foreach_target compiles it once for each kind of
// vectors and selects the host's kind at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/model/FillRandom.cpp"
#include <hwy/foreach_target.h>

#include "runtime/model/FillRandom.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nstf::runtime::HWY_NAMESPACE {

void fillFloats(const RandomWeights &given, uint64_t begin, float *HWY_RESTRICT numbers, size_t count) {
  RandomWeights random = given; // a copy, which `numbers` cannot alias
  for (size_t i = 0; i < count; ++i)
    numbers[i] = random(begin + i);
}

} // namespace nstf::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::runtime {

HWY_EXPORT(fillFloats);

void fillRandom(const RandomWeights &random, uint64_t begin, std::span<float> numbers) {
  HWY_DYNAMIC_DISPATCH(fillFloats)(random, begin, numbers.data(), numbers.size());
}

} // namespace nstf::runtime
#endif
