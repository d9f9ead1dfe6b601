#include "support/Occupancy.h"

#include <algorithm>

namespace nstf::support {
namespace {

constexpr int64_t divideUp(int64_t value, int64_t by) { return (value + by - 1) / by; }
/// What `value` takes of something given out in granules; nobody takes nothing.
constexpr int64_t granted(int64_t value, int64_t granule) {
  return divideUp(std::max<int64_t>(value, 1), granule) * granule;
}

} // namespace

Occupancy occupancyOf(const ComputeUnit &unit, const KernelResources &kernel) {
  Occupancy occupancy{unit.maxWavesPerSimd, 0, "waves"};
  auto limit = [&](int64_t waves, std::string_view bound) {
    if (waves < occupancy.wavesPerSimd)
      occupancy = {waves, 0, bound};
  };
  limit(unit.vgprsPerLane / granted(kernel.vgprs, unit.vgprGranule), "VGPRs");
  limit(unit.sgprsPerSimd / granted(kernel.sgprs, unit.sgprGranule), "SGPRs");
  // Workgroups come whole: what is left when no more fits stays empty.
  int64_t groups = occupancy.wavesPerSimd * unit.simds / kernel.wavesPerGroup;
  limit(divideUp(groups * kernel.wavesPerGroup, unit.simds), "workgroup size");
  if (kernel.ldsBytes > 0) {
    groups = std::min(groups, unit.ldsBytes / granted(kernel.ldsBytes, unit.ldsGranule));
    limit(divideUp(groups * kernel.wavesPerGroup, unit.simds), "LDS");
  }
  occupancy.workgroups = groups;
  return occupancy;
}

} // namespace nstf::support
