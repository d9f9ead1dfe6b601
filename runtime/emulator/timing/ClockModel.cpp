#include "runtime/emulator/timing/ClockModel.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <algorithm>
#include <charconv>

namespace nstf::emulator::timing {
namespace {

/// Flops of a wave's "v_mfma_f32_32x32x4_2b_f16" and the like; 0: no shape in the name.
double matrixFlops(std::string_view mnemonic) {
  size_t at = mnemonic.find('x');
  at = at == mnemonic.npos ? at : mnemonic.rfind('_', at) + 1;
  double flops = 2;
  uint64_t rows = 0;
  for (unsigned dimension = 0; dimension < 3 && at < mnemonic.size(); ++dimension) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(mnemonic.data() + at, mnemonic.data() + mnemonic.size(), value);
    if (error != std::errc())
      return 0;
    rows = dimension ? rows : value;
    flops *= double(value);
    at = size_t(end - mnemonic.data()) + 1; // behind the x
  }
  if (rows == 4)
    return flops * (mnemonic.find("f64") == mnemonic.npos ? 16 : 4); // blocks, which older names don't tell
  for (std::string_view blocks : {"_2b", "_4b"})
    if (mnemonic.find(blocks) != mnemonic.npos)
      flops *= blocks[1] - '0';
  return flops;
}

} // namespace

void PowerDemand::addInstructions(std::string_view mnemonic, uint64_t count) {
  const bool isMatrix = mnemonic.starts_with("v_mfma") || mnemonic.starts_with("v_smfmac");
  if (!isMatrix) {
    if (mnemonic.starts_with("v_"))
      vectorFlops += 128.0 * double(count);
    return;
  }
  const double flops = matrixFlops(mnemonic) * double(count);
  auto has = [&](std::string_view type) { return mnemonic.find(type, 11) != mnemonic.npos; }; // behind the result's
  if (has("bf16"))
    bf16Flops += flops;
  else if (has("f16"))
    f16Flops += flops;
  else if (has("fp8") || has("bf8") || has("i8"))
    eightBitFlops += flops;
  else
    vectorFlops += flops;
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
