#include "runtime/emulator/timing/ChipTiming.h"

#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "templates/Templates.h"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace nstf::emulator::timing {
namespace {

constexpr std::string_view folder = "targets/timing/", suffix = ".yaml";

const TimingField fields[] = {
#define NSTF_TIMING_FIELD(type, key, name, unit, least, what)                                                          \
  {#key,                                                                                                               \
   unit,                                                                                                               \
   what,                                                                                                               \
   least,                                                                                                              \
   std::is_integral_v<type>,                                                                                           \
   [](const ChipTiming &chip) { return double(chip.name); },                                                           \
   [](ChipTiming &chip, double value) { chip.name = type(value); }},
#include "runtime/emulator/timing/TimingFields.def"
};

/// More than any chip will have: beyond it memory and time of a prediction would grow without bound.
double largest(std::string_view unit) {
  if (unit == "B")
    return 0x1p50;
  if (unit == "count")
    return 65536;
  return 1e6; // clk, ns, MHz, W, GB/s and rates
}

[[noreturn]] void fail(const support::ChipFile &file, const std::string &key, const std::string &expected) {
  char got[32];
  std::snprintf(got, sizeof got, "%.15g", file.constants.at(key).value);
  file.constants.at(key).place.error("expected '" + key + "' to be " + expected + " but got " + got);
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

/// What no constant says on its own.
void checkTogether(const support::ChipFile &file, const ChipTiming &chip) {
  for (const char *key : {"instruction_line_bytes", "l1_line_bytes", "scalar_line_bytes", "l2_line_bytes",
                          "mall_line_bytes", "interleave_bytes"})
    if (!std::has_single_bit(uint64_t(file.constants.at(key).value)))
      fail(file, key, "a power of two");
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
  if (chip.mallBytes && (chip.mallReadBandwidth == 0 || chip.mallWriteBandwidth == 0))
    fail(file, chip.mallReadBandwidth == 0 ? "mall_read_bandwidth" : "mall_write_bandwidth", "more than 0 with a MALL");
  auto cache = [&](const char *key, uint64_t bytes, uint64_t line, uint64_t ways, uint64_t parts) {
    if (bytes % (line * ways * parts) || bytes / (line * ways * parts) > (1u << 24))
      fail(file, key, "a multiple of " + std::to_string(line * ways * parts) + ", a set of each channel");
  };
  cache("instruction_cache_bytes", chip.instructionCacheBytes, chip.instructionLineBytes, chip.instructionCacheWays, 1);
  cache("l1_bytes", chip.l1Bytes, chip.l1LineBytes, chip.l1Ways, 1);
  cache("scalar_cache_bytes", chip.scalarCacheBytes, chip.scalarLineBytes, chip.scalarCacheWays, 1);
  cache("l2_bytes", chip.l2Bytes, chip.l2LineBytes, chip.l2Ways, chip.l2Channels);
  cache("mall_bytes", chip.mallBytes, chip.mallLineBytes, chip.mallWays, chip.mallSlices);
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
    const double value = file.get(field.key, field.unit).value;
    if (field.isWhole && value != std::floor(value))
      fail(file, field.key, "a whole number");
    if (!(value >= field.least))
      fail(file, field.key, "at least " + shown(field.least));
    if (value > largest(field.unit))
      fail(file, field.key, "at most " + shown(largest(field.unit)));
    field.set(chip, value);
  }
  checkTogether(file, chip);
  return chip;
}

std::vector<ChipTiming> readBuiltIn() {
  std::vector<ChipTiming> chips;
  for (std::string_view name : templateNames(folder))
    chips.push_back(ChipTiming::parse(*templateText(name), "templates/" + std::string(name)));
  return chips;
}

const std::vector<ChipTiming> &builtInChips() {
  static const std::vector<ChipTiming> chips = readBuiltIn();
  return chips;
}

} // namespace

const ChipTiming &ChipTiming::find(std::string_view name) {
  for (const ChipTiming &chip : builtInChips())
    if (chip.name == name)
      return chip;
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
  for (const ChipTiming &chip : builtInChips())
    names.push_back(chip.name);
  return names;
}

std::span<const TimingField> timingFields() { return fields; }

} // namespace nstf::emulator::timing
