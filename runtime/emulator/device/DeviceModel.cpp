#include "runtime/emulator/device/DeviceModel.h"

#include "support/Yaml.h"
#include "templates/Templates.h"

#include <map>
#include <mutex>
#include <stdexcept>

namespace nstf::emulator {

DeviceModel DeviceModel::load(const std::string &processor) {
  const std::string file = "targets/" + processor + ".yaml";
  auto text = nstf::templateText(file);
  if (!text)
    throw std::runtime_error("expected one of the chips in templates/targets but got \"" + processor + "\"");
  const support::YamlMap row = support::YamlValue::readText(*text, "templates/" + file).map("the facts of a chip");
  auto number = [&](const char *key) { return row.get(key, "a number").whole("a number", 0); };
  DeviceModel model;
  model.name = row.get("description", "a text").text("a text") + " (NSTF emulator)";
  model.memoryBytes = number("memory_bytes");
  model.l2Bytes = number("l2_bytes");
  model.ldsBytes = number("lds_bytes");
  model.ldsGranule = number("lds_granule");
  model.computeUnits = number("compute_units");
  model.xcds = number("xcds");
  model.simds = number("simds_per_compute_unit");
  model.maxWavesPerSimd = number("max_waves_per_simd");
  model.maxWorkgroupSize = number("max_workgroup_size");
  model.waveSize = number("preferred_wave_size");
  model.vgprsPerLane = number("vgprs_per_lane");
  model.vgprGranule = number("vgpr_granule");
  model.sgprsPerSimd = number("sgprs_per_simd");
  model.sgprGranule = number("sgpr_granule");
  model.peakClockMhz = number("peak_clock");
  model.memoryBandwidthGBs = number("memory_bandwidth");
  const std::string digits = processor.substr(3);
  if (digits.size() < 3)
    throw std::runtime_error("expected a processor name like gfx942 but got \"" + processor + "\"");
  model.major = std::stoi(digits.substr(0, digits.size() - 2));
  model.minor = std::stoi(digits.substr(digits.size() - 2, 1), nullptr, 16);
  model.stepping = std::stoi(digits.substr(digits.size() - 1), nullptr, 16);
  return model;
}

const DeviceModel &DeviceModel::of(const std::string &processor) {
  static std::mutex mutex;
  static std::map<std::string, DeviceModel> models;
  std::lock_guard lock(mutex);
  auto found = models.find(processor);
  return found != models.end() ? found->second : models.emplace(processor, load(processor)).first->second;
}

} // namespace nstf::emulator
