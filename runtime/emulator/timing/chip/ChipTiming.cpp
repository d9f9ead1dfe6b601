#include "runtime/emulator/timing/chip/ChipTiming.h"

#include "runtime/emulator/timing/chip/CacheLimits.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/LdsPhases.h"
#include "templates/Templates.h"

#include <bit>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <type_traits>

namespace nstf::emulator::timing {
namespace {

constexpr uint64_t maxCacheLines = uint64_t(1) << 23; // of all caches of a kind: their tags use memory of the host
constexpr std::string_view folder = "targets/timing/", suffix = ".yaml";

const TimingField fields[] = {
#define FIELD(type, key, name, unit, min, what, isModelled)                                                            \
  {#key,                                                                                                               \
   unit,                                                                                                               \
   what,                                                                                                               \
   min,                                                                                                                \
   std::is_integral_v<type>,                                                                                           \
   isModelled,                                                                                                         \
   [](const ChipTiming &chip) { return double(chip.name); },                                                           \
   [](ChipTiming &chip, double value) { chip.name = type(value); }},
#define NSTF_TIMING_FIELD(type, key, name, unit, min, what) FIELD(type, key, name, unit, min, what, true)
#define NSTF_DEVICE_FIELD(type, key, name, unit, min, what) FIELD(type, key, name, unit, min, what, false)
#include "runtime/emulator/timing/chip/TimingFields.def"
#undef FIELD
};

/// More than any chip will have: larger values would make the memory and time of a prediction grow without bound.
double largest(std::string_view unit) {
  if (unit == "B")
    return 0x1p50;
  if (unit == "count")
    return 65536;
  return 1e6; // clk, ns, MHz, W, GB/s and rates
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

[[noreturn]] void fail(const support::ChipFile &file, const std::string &key, const std::string &expected) {
  const support::ChipConstant &constant = file.constants.at(key);
  constant.place.error("expected '" + key + "' to be " + expected + " but got " + shown(constant.value));
}

/// Checks the value, or an end of the range, of one constant.
void checkAlone(const support::ChipConstant &constant, const TimingField &field, double value) {
  auto expect = [&](bool holds, const std::string &expected) {
    if (!holds)
      constant.place.error("expected '" + std::string(field.key) + "' to be " + expected + " but got " + shown(value));
  };
  expect(!field.isWhole || value == std::floor(value), "a whole number");
  expect(value >= field.min, "at least " + shown(field.min));
  expect(value <= largest(field.unit), "at most " + shown(largest(field.unit)));
}

/// Checks relations between constants.
void checkTogether(const support::ChipFile &file, const ChipTiming &chip) {
  for (const char *key : {"instruction_line_bytes", "l1_line_bytes", "scalar_line_bytes", "l2_line_bytes",
                          "mall_line_bytes", "interleave_bytes", "tlb_page_bytes"})
    if (!std::has_single_bit(uint64_t(file.constants.at(key).value)))
      fail(file, key, "a power of two");
  if (chip.computeUnits > 4096)
    fail(file, "compute_units", "at most 4096");
  if (chip.computeUnits % chip.xcds)
    fail(file, "compute_units", "a multiple of the " + std::to_string(chip.xcds) + " XCDs");
  if (chip.peakClock > 10000)
    fail(file, "peak_clock", "at most 10000 MHz");
  if (chip.sustainedClock > chip.peakClock)
    fail(file, "sustained_clock", "at most the peak clock " + shown(chip.peakClock));
  if (chip.slowestClock > chip.peakClock)
    fail(file, "slowest_clock", "at most the peak clock " + shown(chip.peakClock));
  if (chip.interleaveBytes < chip.l2LineBytes)
    fail(file, "interleave_bytes", "at least an L2 line of " + std::to_string(chip.l2LineBytes));
  if (chip.mallBytes)
    for (const char *key : {"mall_read_bandwidth", "mall_write_bandwidth", "mall_copy_bandwidth"})
      if (file.constants.at(key).value == 0)
        fail(file, key, "more than 0 with a MALL");
  // Limits of the memory system's tables (CacheLimits.h; Dram).
  auto limit = [&](const char *key, double bound) {
    if (file.constants.at(key).value > bound)
      fail(file, key, "at most " + shown(bound));
  };
  for (const char *key : {"instruction_cache_ways", "l1_ways", "scalar_cache_ways", "l2_ways", "mall_ways"})
    limit(key, maxCacheWays);
  for (const char *key : {"l2_channels", "mall_slices", "hbm_channels", "hbm_banks"})
    limit(key, 1024);
  limit("instruction_prefetch_lines", 64);
  limit("l2_kernel_end", 2);
  if (chip.xcds > 1 && chip.l2KernelEnd == 0)
    fail(file, "l2_kernel_end", "at least 1 with " + std::to_string(chip.xcds) + " XCDs");
  limit("l1_misses_in_flight", 4096);
  limit("simds_per_compute_unit", maxSimds);
  limit("lds_ports", chip.simdsPerComputeUnit); // at most one each
  limit("lds_banks", support::maxLdsBanks);
  limit("lds_bytes", double(uint64_t(1) << 30));
  limit("l2_line_bytes", maxCacheLineBytes);
  limit("mall_line_bytes", std::min(chip.interleaveBytes, maxCacheLineBytes));
  limit("l1_line_bytes", std::min(128u, chip.l2LineBytes));
  limit("scalar_line_bytes", chip.l2LineBytes);
  limit("instruction_line_bytes", chip.l2LineBytes);
  limit("tlb_reach_bytes", double(chip.tlbPageBytes) * maxCacheWays);
  for (const char *key : {"lds_latency", "cross_lane_latency"}) // latencies count from the issue of such a read
    if (file.constants.at(key).value < chip.ldsReadClocksB32)
      fail(file, key, "at least lds_read_clocks_b32, " + std::to_string(chip.ldsReadClocksB32));
  if (chip.hbmRefreshNs >= chip.hbmRefreshIntervalNs)
    fail(file, "hbm_refresh_ns", "less than hbm_refresh_interval_ns, " + shown(chip.hbmRefreshIntervalNs));
  // `parts`: the number of parts of the cache with sets of their own; `count`: the number of such caches on the chip.
  auto cache = [&](const char *key, uint64_t bytes, uint64_t line, uint64_t ways, uint64_t parts, uint64_t count) {
    const uint64_t sets = line * ways * parts, bound = maxCacheLines / count * line;
    if (bytes % sets)
      fail(file, key, "a multiple of " + std::to_string(sets) + ", a set of each channel");
    if (bytes > bound)
      fail(file, key, "at most " + std::to_string(bound));
  };
  const uint64_t units = chip.computeUnits, xcds = chip.xcds;
  cache("instruction_cache_bytes", chip.instructionCacheBytes, chip.instructionLineBytes, chip.instructionCacheWays, 1,
        units);
  cache("l1_bytes", chip.l1Bytes, chip.l1LineBytes, chip.l1Ways, 1, units);
  cache("scalar_cache_bytes", chip.scalarCacheBytes, chip.scalarLineBytes, chip.scalarCacheWays, 1, units);
  cache("l2_bytes", chip.l2Bytes, chip.l2LineBytes, chip.l2Ways, chip.l2Channels, xcds);
  cache("mall_bytes", chip.mallBytes, chip.mallLineBytes, chip.mallWays, chip.mallSlices, 1);
}

ChipTiming make(const support::YamlValue &document) {
  const support::ChipFile file = support::ChipFile::read(document, templateText);
  std::vector<std::string> known;
  for (const TimingField &field : fields)
    known.push_back(field.key);
  for (const auto &[key, constant] : file.constants)
    if (std::ranges::find(known, key) == known.end())
      constant.place.error("expected a constant that is known but got '" + support::escape(key) + "'" +
                           support::didYouMean(key, known));
  ChipTiming chip;
  chip.name = file.name;
  chip.target = file.target;
  chip.file = file;
  for (const TimingField &field : fields) {
    const support::ChipConstant &constant = file.get(field.key, field.unit);
    checkAlone(constant, field, constant.value);
    if (constant.range)
      for (double end : {constant.range->lowest, constant.range->highest})
        checkAlone(constant, field, end);
    field.set(chip, constant.value);
  }
  checkTogether(file, chip);
  return chip;
}

} // namespace

const ChipTiming &ChipTiming::find(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, ChipTiming, std::less<>> chips; // chips that were requested
  std::lock_guard lock(mutex);
  if (auto found = chips.find(name); found != chips.end())
    return found->second;
  const std::string file = std::string(folder) + std::string(name) + std::string(suffix);
  if (auto text = templateText(file))
    return chips.emplace(name, parse(*text, "templates/" + file)).first->second;
  std::string known;
  for (const std::string &other : names())
    known += (known.empty() ? "" : ", ") + other;
  throw std::runtime_error("expected one of the chips " + known + " or a .yaml file but got '" + support::escape(name) +
                           "'" + support::didYouMean(name, names()));
}

ChipTiming ChipTiming::parse(std::string_view text, const std::string &file) {
  return make(support::YamlValue::readText(text, file));
}

ChipTiming ChipTiming::load(const std::filesystem::path &path) { return make(support::YamlValue::readFile(path)); }

ChipTiming ChipTiming::choose(const std::string &text) { return text.ends_with(suffix) ? load(text) : find(text); }

std::vector<std::string> ChipTiming::names() {
  std::vector<std::string> names;
  for (std::string_view file : templateNames(folder))
    names.emplace_back(file.substr(folder.size(), file.size() - folder.size() - suffix.size()));
  return names;
}

std::span<const TimingField> timingFields() { return fields; }

} // namespace nstf::emulator::timing
