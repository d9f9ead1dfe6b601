#include "runtime/emulator/timing/prediction/Roofline.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/prediction/Arithmetic.h"

#include <algorithm>

namespace nstf::emulator::timing {
namespace {

double matrixFlopsPerPass(const DeviceModel &model, NumberType type) {
  static constexpr std::string_view names[] = {"",    "f16", "bf16",       "f32",       "xf32",
                                               "f64", "i8",  "f8E4M3FNUZ", "f8E5M2FNUZ"};
  const auto found = model.matrixFlopsPerPass.find(names[size_t(type)]);
  return found == model.matrixFlopsPerPass.end() ? 0 : found->second;
}

/// Flops that a SIMD can do in a clock; 0 if it lacks this arithmetic.
double peakRate(const Arithmetic &arithmetic, const DeviceModel &model, const ChipTiming &chip) {
  if (arithmetic.isMatrix)
    return (arithmetic.isSparse ? 2 : 1) * matrixFlopsPerPass(model, arithmetic.type) / chip.matrixPassClocks;
  // The fastest instructions of each type are fused multiply-adds, of pairs where these exist.
  const double lanes = model.waveSize;
  switch (arithmetic.type) {
  case NumberType::f16:
    return 4 * lanes / chip.valuClocks;
  case NumberType::f32:
    return 4 * lanes / chip.packedF32Clocks;
  default:
    return 2 * lanes / chip.f64Clocks;
  }
}

} // namespace

double getRoofline(const LaunchPrediction &prediction, const DecodedProgram &program, const DeviceModel &model,
                   const ChipTiming &chip) {
  if (prediction.executionNs <= 0)
    return 0;
  const OpcodeCounts issued = countIssued(prediction.stalls, program);
  double matrixClocks = 0, vectorClocks = 0;
  for (unsigned i = 0; i < opcodeCount; ++i)
    if (issued[i]) {
      const Arithmetic arithmetic = getArithmetic(Opcode(i));
      if (const double rate = arithmetic.flops ? peakRate(arithmetic, model, chip) : 0)
        (arithmetic.isMatrix ? matrixClocks : vectorClocks) += double(issued[i]) * arithmetic.flops / rate;
    }
  const double nsPerClock = 1000 / (prediction.clockMhz * chip.computeUnits * model.simds);
  const double bytes = double(prediction.memory.hbmReadBytes + prediction.memory.hbmWriteBytes);
  return std::max(std::max(matrixClocks, vectorClocks) * nsPerClock, bytes / chip.memoryBandwidth) /
         prediction.executionNs;
}

} // namespace nstf::emulator::timing
