// What is known of the emulated chip, out of templates/targets/<processor>.yaml and the file of its default chip.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nstf::support {
struct ChipFile;
}

namespace nstf::emulator {

struct DeviceModel {
  std::string name; ///< for people: "AMD Instinct MI300X, CDNA3 (NSTF emulator)"
  uint64_t memoryBytes = 0, l2Bytes = 0, ldsBytes = 0, ldsGranule = 0;
  uint32_t ldsBanks = 0;
  uint32_t computeUnits = 0, xcds = 0, simds = 0, maxWavesPerSimd = 0, maxWorkgroupSize = 0, waveSize = 0;
  uint32_t vgprsPerLane = 0, vgprGranule = 0, sgprsPerSimd = 0, sgprGranule = 0;
  uint32_t peakClockMhz = 0;
  uint32_t memoryBandwidthGBs = 0;
  std::map<std::string, double, std::less<>> matrixFlopsPerPass; ///< of the fastest instruction, by A's MLIR type
  // Of "gfx" major minor stepping, the last two one hexadecimal digit each.
  int major = 0, minor = 0, stepping = 0;

  /// The facts of `processor` ("gfx942"). Throws std::runtime_error when there is no such row.
  static DeviceModel load(const std::string &processor);
  /// The same of another chip with that processor.
  static DeviceModel load(const support::ChipFile &chip);
  /// The same, read once.
  static const DeviceModel &of(const std::string &processor);
};

} // namespace nstf::emulator
