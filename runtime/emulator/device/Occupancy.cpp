#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>

namespace nstf::emulator {

Occupancy occupancyOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds) {
  Occupancy result;
  const uint32_t granule = model.vgprGranule;
  const uint32_t needed = std::max(kernel.vgprCount, kernel.hasMetadata ? 0 : kernel.descriptor.vgprs);
  const uint32_t registers = std::max(granule, (needed + granule - 1) / granule * granule);
  const uint32_t byRegisters = model.vgprsPerLane / registers;
  const uint32_t wavesPerSimd = std::min(model.maxWavesPerSimd, byRegisters);
  const uint32_t wavesPerGroup = (blockSize + model.waveSize - 1) / model.waveSize;
  // A workgroup's waves spread over the SIMDs, each of which needs room for its share.
  const uint32_t share = (wavesPerGroup + model.simds - 1) / model.simds;
  result.workgroups = wavesPerGroup <= model.simds ? wavesPerSimd * model.simds / wavesPerGroup : wavesPerSimd / share;
  result.bound = byRegisters < model.maxWavesPerSimd                              ? "VGPRs"
                 : wavesPerSimd * model.simds > result.workgroups * wavesPerGroup ? "workgroup size"
                                                                                  : "waves";
  const size_t lds = (kernel.ldsSize + dynamicLds + model.ldsGranule - 1) / model.ldsGranule * model.ldsGranule;
  if (lds && model.ldsBytes / lds < result.workgroups) {
    result.workgroups = uint32_t(model.ldsBytes / lds);
    result.bound = "LDS";
  }
  result.wavesPerSimd = std::min(wavesPerSimd, (result.workgroups * wavesPerGroup + model.simds - 1) / model.simds);
  return result;
}

} // namespace nstf::emulator
