#include "runtime/emulator/timing/prediction/ClockModel.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/prediction/Arithmetic.h"

#include <algorithm>

namespace nstf::emulator::timing {

void PowerDemand::addInstructions(Opcode opcode, uint64_t count) {
  const Arithmetic arithmetic = getArithmetic(opcode);
  if (!arithmetic.isMatrix) {
    if (isVector(getInfo(opcode).kind))
      vectorFlops += 128.0 * double(count);
    return;
  }
  const double flops = arithmetic.flops * double(count);
  switch (arithmetic.type) {
  case NumberType::bf16:
    bf16Flops += flops;
    break;
  case NumberType::f16:
    f16Flops += flops;
    break;
  case NumberType::i8:
  case NumberType::fp8:
  case NumberType::bf8:
    eightBitFlops += flops;
    break;
  default:
    vectorFlops += flops;
  }
}

double sustainedClock(const ChipTiming &chip, const PowerDemand &demand, double peakNs, double coreShare) {
  if (chip.powerCap == 0 || peakNs <= 0)
    return chip.sustainedClock;
  constexpr double joules = 1e-12; // of a pJ, and of a byte at 1 W/(TB/s)
  const double energy = joules * (chip.hbmPower * demand.hbmBytes + chip.vectorEnergy * demand.vectorFlops +
                                  chip.matrixEnergyF16 * demand.f16Flops + chip.matrixEnergyBf16 * demand.bf16Flops +
                                  chip.matrixEnergy8Bit * demand.eightBitFlops);
  auto power = [&](double clock) {
    const double seconds = 1e-9 * peakNs * (coreShare * chip.peakClock / clock + 1 - coreShare);
    return chip.idlePower + chip.clockPower * clock / 1000 + energy / seconds;
  };
  double low = chip.slowestClock, high = chip.peakClock;
  if (power(high) <= chip.powerCap)
    return high;
  if (power(low) >= chip.powerCap)
    return low;
  while (high - low > 0.5) // power grows with the clock
    (power((low + high) / 2) <= chip.powerCap ? low : high) = (low + high) / 2;
  return low;
}

} // namespace nstf::emulator::timing
