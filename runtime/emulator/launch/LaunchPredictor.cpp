#include "runtime/emulator/launch/LaunchPredictor.h"

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/memory/SourceFrames.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/timing/prediction/Arithmetic.h"
#include "runtime/emulator/timing/prediction/ClockModel.h"
#include "support/Escape.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace nstf::emulator {
namespace {
using timing::LaunchPrediction;
using timing::Limiter;

constexpr uint64_t maxSnapshotBytes = uint64_t(1) << 30;

/// The contents of all memory that kernels may write, but for that of the host's services: a repeated launch gets its
/// own (LaunchSession::hostServices).
class Snapshot {
  static bool isKept(const Region &region) {
    return region.writable && region.kind != RegionKind::Host && region.kind != RegionKind::Heap;
  }

public:
  static uint64_t sizeOf(const Memory &memory) {
    uint64_t bytes = 0;
    for (const Region &region : memory.regions()->all())
      bytes += isKept(region) ? region.size() : 0;
    return bytes;
  }
  explicit Snapshot(const Memory &memory) {
    for (const Region &region : memory.regions()->all())
      if (isKept(region))
        saved.push_back({region.data(), {region.data<std::byte>(), region.data<std::byte>() + region.size()}});
  }
  void restore() const {
    for (const auto &[place, bytes] : saved)
      std::memcpy(place, bytes.data(), bytes.size());
  }

private:
  std::vector<std::pair<void *, std::vector<std::byte>>> saved;
};

/// Adds the issued wave instructions; for a sample, scaled to the whole launch. (Bytes are the prediction's.)
void addInstructions(const LaunchPrediction &prediction, const DecodedProgram &program, ExecutionStatistics &sum) {
  const timing::OpcodeCounts issued = timing::countIssued(prediction.stalls, program);
  for (unsigned i = 0; i < opcodeCount; ++i) {
    sum.executed[i] += issued[i];
    sum[getClass(Opcode(i))] += issued[i];
  }
}

/// The share of a launch's time that scales with the core clock.
double coreShareOf(Limiter limiter) {
  switch (limiter) {
  case Limiter::Mall:
  case Limiter::Hbm:
  case Limiter::KernelLaunch:
    return 0;
  case Limiter::Latency: // of caches, units and memory alike
    return 0.5;
  default:
    return 1;
  }
}

} // namespace

LaunchPredictor::LaunchPredictor(LaunchSession &session, timing::ChipTiming chip, const timing::TimingOptions &options)
    : session(session), constants(std::move(chip)), timing(options), atPeak(constants), sustained(constants) {
  if (constants.target != session.target().name)
    throw InputError("--timing: expected a chip of " + session.target().name + " but got " +
                     support::escape(constants.name) + ", which is one of " + support::escape(constants.target));
  if (session.checks())
    throw InputError("--timing: expected a run without --check but got both");
  for (const PreparedLaunch &launch : session.launches()) {
    const auto &[x, y, z] = launch.shape.block;
    const std::string misfit = getMisfit(session.model(), *launch.kernel, x * y * z, launch.shape.dynamicLds);
    if (!misfit.empty())
      launch.description->place.error("kernel '" + support::escape(launch.kernel->name) + "': " + misfit);
  }
}

PredictedLaunch LaunchPredictor::predict(const PreparedLaunch &launch, const LaunchOptions &options) {
  PredictedLaunch predicted;
  auto run = [&](std::string_view clock, double clockMhz, timing::MemorySystem &caches) {
    predicted.result = {};
    LaunchOptions how = options;
    how.services = &session.hostServices(!predicted.predictions.empty());
    const auto start = std::chrono::steady_clock::now();
    try {
      predicted.predictions.push_back(predictAt(clock, clockMhz, caches, launch, how, predicted.result));
    } catch (const Fault &fault) {
      predicted.result.fault = fault.finding;
    }
    predicted.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return !predicted.result.fault;
  };
  if (timing.clockMhz) {
    run("given", timing.clockMhz, atPeak);
    return predicted;
  }
  const uint64_t bytes = Snapshot::sizeOf(session.deviceMemory());
  predicted.notKept = bytes > maxSnapshotBytes ? bytes : 0;
  std::optional<Snapshot> before;
  if (!predicted.notKept)
    before.emplace(session.deviceMemory());
  if (!run("peak", constants.peakClock, atPeak) || !before)
    return predicted;
  before->restore();
  run("sustained", getSustainedClock(launch, predicted.predictions.front().prediction), sustained);
  return predicted;
}

ClockPrediction LaunchPredictor::predictAt(std::string_view clock, double clockMhz, timing::MemorySystem &caches,
                                           const PreparedLaunch &launch, LaunchOptions options, LaunchResult &result) {
  options.matrix = launch.matrix;
  if (executesAll())
    options.statistics = &result.statistics;
  timing::TimingOptions atClock = timing;
  atClock.clockMhz = clockMhz;
  const LaunchArguments arguments = session.getArguments(launch);
  ClockPrediction predicted{clock, {}};
  for (uint32_t i = 0; i < launch.description->repeat; ++i) {
    predicted.prediction =
        timing::predict(session.target(), session.deviceMemory(), arguments, options, constants, caches, atClock);
    if (i == 0)
      predicted.firstNs = predicted.prediction.ns();
    if (!executesAll())
      addInstructions(predicted.prediction, getProgram(launch), result.statistics);
  }
  return predicted;
}

std::vector<InstructionTiming> LaunchPredictor::getInstructions(const PreparedLaunch &launch,
                                                                const LaunchPrediction &prediction) const {
  const Kernel &kernel = *launch.kernel;
  const DecodedProgram &program = getProgram(launch);
  Disassembler disassembler(session.target());
  std::vector<uint32_t> issued; // by address
  for (uint32_t i = 0; i < prediction.stalls.size(); ++i)
    if (prediction.stalls[i].issued)
      issued.push_back(i);
  std::ranges::sort(issued, {}, [&](uint32_t i) { return program.addressOfInstruction(i); });
  std::vector<InstructionTiming> instructions;
  std::vector<uint64_t> addresses; // in the ELF
  for (uint32_t i : issued) {
    const uint64_t address = program.addressOfInstruction(i);
    instructions.push_back(
        {address - kernel.entry, disassembler.print(program.bytesAt(address), address), "", prediction.stalls[i]});
    addresses.push_back(address - kernel.program->base());
  }
  const auto frames = findSourceFrames(kernel.program->elf(), addresses);
  for (size_t i = 0; i < instructions.size(); ++i)
    instructions[i].source = describe(frames[i]);
  return instructions;
}

double LaunchPredictor::getSustainedClock(const PreparedLaunch &launch, const LaunchPrediction &atPeak) const {
  timing::PowerDemand demand;
  demand.hbmBytes = double(atPeak.memory.hbmReadBytes + atPeak.memory.hbmWriteBytes);
  const timing::OpcodeCounts issued = timing::countIssued(atPeak.stalls, getProgram(launch));
  for (unsigned i = 0; i < opcodeCount; ++i)
    demand.addInstructions(Opcode(i), issued[i]);
  return timing::sustainedClock(constants, demand, atPeak.executionNs + constants.kernelGapNs,
                                coreShareOf(atPeak.limiter));
}

const DecodedProgram &LaunchPredictor::getProgram(const PreparedLaunch &launch) const {
  return *CachedProgram::of(session.target(), *launch.kernel, launch.matrix)->decoded; // lives as long as the program
}

} // namespace nstf::emulator
