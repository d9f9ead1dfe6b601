#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>

namespace nstf::emulator {

support::Occupancy occupancyOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  // Hand-written assembly may come without metadata: then the descriptor's registers count.
  const uint32_t vgprs = std::max(kernel.vgprCount, kernel.hasMetadata ? 0 : kernel.descriptor.vgprs);
  return support::occupancyOf({.simds = model.simds,
                               .maxWavesPerSimd = model.maxWavesPerSimd,
                               .vgprsPerLane = model.vgprsPerLane,
                               .vgprGranule = model.vgprGranule,
                               .sgprsPerSimd = model.sgprsPerSimd,
                               .sgprGranule = model.sgprGranule,
                               .ldsBytes = int64_t(model.ldsBytes),
                               .ldsGranule = int64_t(model.ldsGranule)},
                              {.vgprs = vgprs,
                               .sgprs = kernel.sgprCount,
                               .ldsBytes = int64_t(kernel.ldsSize + dynamicLds),
                               .wavesPerGroup = (blockSize + model.waveSize - 1) / model.waveSize});
}

} // namespace nstf::emulator
