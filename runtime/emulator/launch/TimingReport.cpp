#include "runtime/emulator/launch/TimingReport.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

namespace nstf::emulator {
namespace {
using Json = nlohmann::ordered_json;
using timing::Clocks;
using timing::Counters;
using timing::LaunchPrediction;
using timing::MemoryCounters;

constexpr size_t printedInstructions = 12;

struct Slots {
  const char *name;
  uint64_t Counters::*count;
};
constexpr Slots slotKinds[] = {
    {"vector", &Counters::vectorInstructions},
    {"matrix", &Counters::matrixInstructions},
    {"scalar", &Counters::scalarInstructions},
    {"scalar_memory", &Counters::scalarMemoryInstructions},
    {"lds", &Counters::ldsInstructions},
    {"vector_read", &Counters::vectorReadInstructions},
    {"vector_write", &Counters::vectorWriteInstructions},
    {"branch", &Counters::branchInstructions},
    {"message", &Counters::messageInstructions},
    {"internal", &Counters::internalInstructions},
};

struct Level {
  const char *key, *name;
  uint64_t read, written;
};
std::array<Level, 4> levelsOf(const MemoryCounters &m) {
  return {{{"l1", "L1", m.l1ReadBytes, m.l1WriteBytes},
           {"l2", "L2", m.l2ReadBytes, m.l2WriteBytes},
           {"mall", "MALL", m.mallReadBytes, m.mallWriteBytes},
           {"hbm", "HBM", m.hbmReadBytes, m.hbmWriteBytes}}};
}

struct HitRate {
  const char *key, *name;
  uint64_t hits, of;
};
std::array<HitRate, 5> hitRatesOf(const MemoryCounters &m) {
  return {{{"l1", "L1", m.l1Hits, m.l1Requests},
           {"scalar", "scalar cache", m.scalarHits, m.scalarRequests},
           {"l2", "L2", m.l2Hits, m.l2Hits + m.l2Misses},
           {"mall", "MALL", m.mallHits, m.mallHits + m.mallMisses},
           {"translation", "translation", m.translations - m.translationMisses, m.translations}}};
}

std::array<Clocks, timing::stallReasons> stallsOf(const LaunchPrediction &prediction) {
  std::array<Clocks, timing::stallReasons> sum = {};
  for (const timing::InstructionStalls &instruction : prediction.stalls)
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += instruction.clocks[i];
  return sum;
}

Clocks total(const std::array<Clocks, timing::stallReasons> &clocks) {
  return std::accumulate(clocks.begin(), clocks.end(), Clocks(0));
}

Json stallsJson(const std::array<Clocks, timing::stallReasons> &clocks) {
  Json json = Json::object();
  for (size_t i = 0; i < clocks.size(); ++i)
    if (clocks[i])
      json[std::string(timing::stallNames[i])] = clocks[i];
  return json;
}

std::string format(const char *pattern, auto... values) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string microseconds(double ns) { return format(ns < 1e5 ? "%.2f us" : "%.1f us", ns / 1000); }

std::string percent(double part, double whole) { return format("%.1f %%", whole > 0 ? 100 * part / whole : 0.0); }

std::string bytes(uint64_t count) {
  return count < 10'000'000 ? format("%.1f KB", double(count) / 1e3) : format("%.1f MB", double(count) / 1e6);
}

void printTime(const ClockPrediction &predicted, std::ostream &out) {
  const LaunchPrediction &p = predicted.prediction;
  out << "  predicted " << microseconds(p.ns()) << " at " << format("%.0f MHz", p.clockMhz) << " (" << predicted.clock
      << (predicted.clock == "sustained" ? ", +-10 %" : "") << "): " << microseconds(p.executionNs) << " executing, "
      << microseconds(p.overheadNs) << " launch; " << p.clocks << " clocks";
  if (p.sample.simulated != p.sample.workgroups)
    out << "; 90 % interval " << microseconds(p.sample.low) << " to " << microseconds(p.sample.high) << ", "
        << p.sample.simulated << " of " << p.sample.workgroups << " workgroups simulated";
  if (predicted.firstNs != p.ns())
    out << "; the first of the repetitions " << microseconds(predicted.firstNs);
  out << "\n";
}

void printMemory(const MemoryCounters &memory, std::ostream &out) {
  out << "  bytes:";
  const char *separator = " ";
  for (const Level &level : levelsOf(memory)) {
    out << separator << level.name << " " << bytes(level.read) << " read, " << bytes(level.written) << " written";
    separator = "; ";
  }
  out << "\n  hits:";
  separator = " ";
  for (const HitRate &rate : hitRatesOf(memory))
    if (rate.of) {
      out << separator << rate.name << " " << percent(double(rate.hits), double(rate.of));
      separator = ", ";
    }
  out << "\n";
}

void printInstructions(std::vector<InstructionTiming> instructions, Clocks all, std::ostream &out) {
  auto clocks = [](const InstructionTiming &i) { return total(i.stalls.clocks); };
  std::ranges::stable_sort(
      instructions, [&](const InstructionTiming &a, const InstructionTiming &b) { return clocks(a) > clocks(b); });
  instructions.resize(std::min(instructions.size(), printedInstructions));
  for (const InstructionTiming &instruction : instructions) {
    if (!clocks(instruction))
      break;
    const auto &reasons = instruction.stalls.clocks;
    const size_t first = size_t(std::ranges::max_element(reasons) - reasons.begin());
    out << format("    %6.1f %%  +0x%-5llx ", 100 * double(clocks(instruction)) / double(std::max<Clocks>(all, 1)),
                  static_cast<unsigned long long>(instruction.offset))
        << instruction.text << "  (" << timing::stallNames[first]
        << (instruction.source.empty() ? "" : "; " + instruction.source) << ")\n";
  }
}

} // namespace

Json toJson(const LaunchPredictor &predictor, const PreparedLaunch &launch, const ClockPrediction &predicted) {
  const LaunchPrediction &p = predicted.prediction;
  const Counters &counters = p.counters;
  Json use = Json::object(), bytes = Json::object(), hits = Json::object(), slots = Json::object();
  for (size_t i = 0; i < timing::limiterNames.size(); ++i)
    use[std::string(timing::limiterNames[i])] = p.use[i];
  for (const Level &level : levelsOf(p.memory))
    bytes[level.key] = {{"read", level.read}, {"written", level.written}};
  for (const HitRate &rate : hitRatesOf(p.memory))
    if (rate.of)
      hits[rate.key] = double(rate.hits) / double(rate.of);
  for (const Slots &kind : slotKinds)
    slots[kind.name] = counters.*kind.count;
  Json instructions = Json::array();
  for (const InstructionTiming &instruction : predictor.getInstructions(launch, p))
    instructions.push_back({{"offset", int64_t(instruction.offset)},
                            {"instruction", instruction.text},
                            {"source", instruction.source},
                            {"issued", instruction.stalls.issued},
                            {"stalls", stallsJson(instruction.stalls.clocks)}});
  return {
      {"label", "predicted"},
      {"chip", predictor.chip().name},
      {"clock", predicted.clock},
      {"clock_mhz", p.clockMhz},
      {"ns", p.ns()},
      {"execution_ns", p.executionNs},
      {"launch_ns", p.overheadNs},
      {"first_ns", predicted.firstNs},
      {"clocks", p.clocks},
      {"interval_ns", {p.sample.low, p.sample.high}},
      {"sample", {{"workgroups", p.sample.workgroups}, {"simulated", p.sample.simulated}, {"strata", p.sample.strata}}},
      {"limiter", timing::limiterNames[size_t(p.limiter)]},
      {"use", std::move(use)},
      {"roofline", p.roofline},
      {"bytes", std::move(bytes)},
      {"hit_rates", std::move(hits)},
      {"lds_clocks", counters.ldsBusy},
      {"lds_conflict_clocks", counters.ldsConflicts},
      {"occupancy",
       {{"workgroups_per_compute_unit", p.occupancy.workgroups},
        {"waves_per_simd", p.occupancy.wavesPerSimd},
        {"bound_by", p.occupancy.bound}}},
      {"waves", counters.waves},
      {"wave_clocks", counters.waveClocks},
      {"instruction_cache_misses", counters.instructionMisses},
      {"issue_slots", std::move(slots)},
      {"stalls", stallsJson(stallsOf(p))},
      {"instructions", std::move(instructions)}};
}

void print(const LaunchPredictor &predictor, const PreparedLaunch &launch, const PredictedLaunch &predicted,
           std::ostream &out) {
  for (const ClockPrediction &prediction : predicted.predictions)
    printTime(prediction, out);
  if (predicted.predictions.empty())
    return;
  if (predicted.notKept)
    out << "  no time at the sustained clock: " << bytes(predicted.notKept)
        << " of buffers aren't kept for a second run (at most 1 GiB is)\n";
  const LaunchPrediction &p = predicted.predictions.front().prediction;
  const Counters &counters = p.counters;
  out << "  limited by " << timing::limiterNames[size_t(p.limiter)] << " (" << percent(p.use[size_t(p.limiter)], 1)
      << "); " << percent(p.roofline, 1) << " of the roofline\n"
      << "  occupancy: " << p.occupancy.wavesPerSimd << " waves a SIMD, " << p.occupancy.workgroups
      << " workgroups a compute unit, bound by " << p.occupancy.bound << "\n";
  printMemory(p.memory, out);
  out << "  LDS: " << counters.ldsBusy << " clocks, " << counters.ldsConflicts << " of them bank conflicts\n"
      << "  issue slots:";
  const char *separator = " ";
  for (const Slots &kind : slotKinds)
    if (const uint64_t count = counters.*kind.count) {
      std::string name = kind.name;
      std::ranges::replace(name, '_', ' ');
      out << separator << name << " " << percent(double(count), double(counters.instructions()));
      separator = ", ";
    }
  const auto stalls = stallsOf(p);
  out << "\n  waves stood:";
  separator = " ";
  for (size_t i = 0; i < stalls.size(); ++i)
    if (stalls[i]) {
      out << separator << timing::stallNames[i] << " " << percent(double(stalls[i]), double(total(stalls)));
      separator = ", ";
    }
  out << "\n";
  printInstructions(predictor.getInstructions(launch, p), total(stalls), out);
}

} // namespace nstf::emulator
