// Facts of the emulated chip, from templates/targets/<processor>.yaml and the file of the processor's default chip.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nstf::support {
struct ChipFile;
}

namespace nstf::emulator {

struct DeviceModel {
  std::string name; ///< for messages: "AMD Instinct MI300X, CDNA3 (NSTF emulator)"
  uint64_t memoryBytes = 0, l2Bytes = 0, ldsBytes = 0, ldsGranule = 0;
  uint32_t ldsBanks = 0;
  uint32_t computeUnits = 0, xcds = 0, simds = 0, maxWavesPerSimd = 0, maxWorkgroupSize = 0, waveSize = 0;
  uint32_t vgprsPerLane = 0, vgprGranule = 0, sgprsPerSimd = 0, sgprGranule = 0;
  uint32_t peakClockMhz = 0;
  uint32_t memoryBandwidthGBs = 0;
  std::map<std::string, double, std::less<>> matrixFlopsPerPass; ///< of the fastest instruction, by A's MLIR type
  // The parts of the name: "gfx", major, minor, stepping; minor and stepping have one hexadecimal digit each.
  int major = 0, minor = 0, stepping = 0;

  /// The facts of `processor` ("gfx942"). Throws std::runtime_error if there is no file for it.
  static DeviceModel load(const std::string &processor);
  /// The facts of a given chip.
  static DeviceModel load(const support::ChipFile &chip);
  /// The facts of `processor`, read once and cached.
  static const DeviceModel &of(const std::string &processor);
};

} // namespace nstf::emulator
