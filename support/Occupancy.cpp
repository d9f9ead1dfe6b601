#include "support/Occupancy.h"

#include <algorithm>

namespace nstf::support {
namespace {

constexpr int64_t divideUp(int64_t value, int64_t by) { return (value + by - 1) / by; }
/// The amount allocated for `value`, in whole granules and at least one.
constexpr int64_t granted(int64_t value, int64_t granule) {
  return divideUp(std::max<int64_t>(value, 1), granule) * granule;
}

} // namespace

Occupancy getOccupancy(const ComputeUnit &unit, const KernelResources &kernel) {
  Occupancy occupancy{unit.maxWavesPerSimd, 0, "waves"};
  auto limit = [&](int64_t waves, std::string_view bound) {
    if (waves < occupancy.wavesPerSimd)
      occupancy = {waves, 0, bound};
  };
  limit(unit.vgprsPerLane / granted(kernel.vgprs, unit.vgprGranule), "VGPRs");
  limit(unit.sgprsPerSimd / granted(kernel.sgprs, unit.sgprGranule), "SGPRs");
  // A workgroup is resident as a whole: wave slots that are too few for another workgroup stay empty.
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
