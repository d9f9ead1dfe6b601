#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/memory/CodeObject.h"

namespace nstf::emulator {

support::Occupancy getOccupancy(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  return support::getOccupancy({.simds = model.simds,
                                .maxWavesPerSimd = model.maxWavesPerSimd,
                                .vgprsPerLane = model.vgprsPerLane,
                                .vgprGranule = model.vgprGranule,
                                .sgprsPerSimd = model.sgprsPerSimd,
                                .sgprGranule = model.sgprGranule,
                                .ldsBytes = int64_t(model.ldsBytes),
                                .ldsGranule = int64_t(model.ldsGranule)},
                               {.vgprs = kernel.descriptor.vgprs, // what a wave gets; metadata may omit the AGPRs
                                .sgprs = kernel.sgprCount,
                                .ldsBytes = int64_t(kernel.ldsSize + dynamicLds),
                                .wavesPerGroup = (blockSize + model.waveSize - 1) / model.waveSize});
}

std::string getMisfit(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  const support::Occupancy occupancy = getOccupancy(model, kernel, blockSize, dynamicLds);
  if (occupancy.workgroups)
    return "";
  auto text = [](auto number) { return std::to_string(number); };
  return "expected a workgroup that fits a compute unit of " + text(model.simds) + " SIMDs, each with " +
         text(model.maxWavesPerSimd) + " waves, " + text(model.vgprsPerLane) + " VGPRs and " +
         text(model.sgprsPerSimd) + " SGPRs, and " + text(model.ldsBytes) + " bytes of LDS, but got one of " +
         text((blockSize + model.waveSize - 1) / model.waveSize) + " waves with " + text(kernel.descriptor.vgprs) +
         " VGPRs and " + text(kernel.sgprCount) + " SGPRs each and " + text(kernel.ldsSize + dynamicLds) +
         " bytes of LDS";
}

} // namespace nstf::emulator
