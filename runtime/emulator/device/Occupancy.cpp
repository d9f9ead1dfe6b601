#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/memory/CodeObject.h"

namespace nstf::emulator {

support::Occupancy occupancyOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  return support::occupancyOf({.simds = model.simds,
                               .maxWavesPerSimd = model.maxWavesPerSimd,
                               .vgprsPerLane = model.vgprsPerLane,
                               .vgprGranule = model.vgprGranule,
                               .sgprsPerSimd = model.sgprsPerSimd,
                               .sgprGranule = model.sgprGranule,
                               .ldsBytes = int64_t(model.ldsBytes),
                               .ldsGranule = int64_t(model.ldsGranule)},
                              {.vgprs = kernel.descriptor.vgprs, // what a wave gets; metadata may leave the AGPRs out
                               .sgprs = kernel.sgprCount,
                               .ldsBytes = int64_t(kernel.ldsSize + dynamicLds),
                               .wavesPerGroup = (blockSize + model.waveSize - 1) / model.waveSize});
}

} // namespace nstf::emulator
