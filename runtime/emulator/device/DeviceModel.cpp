#include "runtime/emulator/device/DeviceModel.h"

#include "support/ChipFile.h"
#include "support/Escape.h"
#include "templates/Templates.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace nstf::emulator {

namespace {

std::map<std::string, double, std::less<>> matrixFlopsPerPass(const support::YamlMap &row) {
  std::map<std::string, double, std::less<>> rates;
  for (const support::YamlValue &value : row.get("matrix_instructions", "a list").list("a list")) {
    const support::YamlMap instruction = value.map("a matrix instruction");
    auto number = [&](const char *key) { return double(instruction.get(key, "a number").whole("a number", 1)); };
    const double flops = 2 * number("m") * number("n") * number("k") * number("blocks");
    double &rate = rates[instruction.get("a", "a type").text("a type")];
    rate = std::max(rate, flops / number("passes"));
  }
  return rates;
}

/// Reads the processor's file and the file of the chip `chosen`. Without `chosen`, the processor's own numbers take
/// precedence over those of its default chip.
DeviceModel loadModel(const std::string &processor, const support::ChipFile *chosen) {
  const std::string file = "targets/" + processor + ".yaml";
  auto text = nstf::templateText(file);
  if (!text)
    throw std::runtime_error("expected one of the chips in templates/targets but got \"" + support::escape(processor) +
                             "\"");
  const support::YamlMap row = support::YamlValue::readText(*text, "templates/" + file).map("the facts of a chip");
  const support::ChipFile chip =
      chosen ? *chosen : support::ChipFile::builtIn(row.get("default_chip", "a chip's name"), templateText);
  auto number = [&](const char *key) { return row.get(key, "a number").whole("a number", 0); };
  auto ofChip = [&](const char *key) { return row.has(key) && !chosen ? number(key) : chip.whole(key, 0); };
  DeviceModel model;
  model.name = (chosen ? chip.description : row.get("description", "a text").text("a text")) + " (NSTF emulator)";
  model.memoryBytes = ofChip("memory_bytes");
  model.l2Bytes = ofChip("l2_bytes");
  model.ldsBytes = ofChip("lds_bytes");
  model.ldsGranule = number("lds_granule");
  model.ldsBanks = uint32_t(ofChip("lds_banks"));
  model.computeUnits = ofChip("compute_units");
  model.xcds = ofChip("xcds");
  model.simds = ofChip("simds_per_compute_unit");
  model.maxWavesPerSimd = number("max_waves_per_simd");
  model.maxWorkgroupSize = number("max_workgroup_size");
  model.waveSize = number("preferred_wave_size");
  model.vgprsPerLane = number("vgprs_per_lane");
  model.vgprGranule = number("vgpr_granule");
  model.sgprsPerSimd = number("sgprs_per_simd");
  model.sgprGranule = number("sgpr_granule");
  model.peakClockMhz = ofChip("peak_clock");
  model.memoryBandwidthGBs = ofChip("memory_bandwidth");
  model.matrixFlopsPerPass = matrixFlopsPerPass(row);
  const std::string digits = processor.substr(3);
  if (digits.size() < 3)
    throw std::runtime_error("expected a processor name like gfx942 but got \"" + support::escape(processor) + "\"");
  model.major = std::stoi(digits.substr(0, digits.size() - 2));
  model.minor = std::stoi(digits.substr(digits.size() - 2, 1), nullptr, 16);
  model.stepping = std::stoi(digits.substr(digits.size() - 1), nullptr, 16);
  return model;
}

} // namespace

DeviceModel DeviceModel::load(const std::string &processor) { return loadModel(processor, nullptr); }
DeviceModel DeviceModel::load(const support::ChipFile &chip) { return loadModel(chip.target, &chip); }

const DeviceModel &DeviceModel::of(const std::string &processor) {
  static std::mutex mutex;
  static std::map<std::string, DeviceModel> models;
  std::lock_guard lock(mutex);
  auto found = models.find(processor);
  return found != models.end() ? found->second : models.emplace(processor, load(processor)).first->second;
}

} // namespace nstf::emulator
