// A compute unit's issue, with traces made here and a memory of constant latency.
#include "runtime/emulator/timing/compute_unit/ComputeUnit.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

constexpr Clocks memoryLatency = 500;

/// Instructions, one of each kind that the tests use. All stand at address 0: no fetch but the first.
enum Instruction : uint32_t {
  Matrix4Pass,
  Matrix4PassF32,
  Vector,
  Packed,
  Exp,
  ScalarAdd,
  LdsReadB32,
  LdsReadU8,
  LdsReadB128,
  LdsWriteB128,
  Load,
  ScalarLoad,
  WaitAll,
  WaitVm1,
  Nop4,
  Priority3,
  Barrier,
  TakenBranch,
  CrossingVector,
  End,
  instructions
};

TimingFact unitFact(Unit unit, unsigned passes = 0) {
  TimingFact fact;
  fact.unit = unit;
  fact.passes = uint8_t(passes);
  return fact;
}

TimingFact internalFact(InternalKind kind, unsigned immediate = 0) {
  TimingFact fact;
  fact.internal = kind;
  fact.immediate = uint16_t(immediate);
  return fact;
}

TimingFact ldsFact(unsigned bytes, bool isRead) {
  TimingFact fact = unitFact(Unit::Lds);
  fact.bytes = uint8_t(bytes);
  fact.flags = TimingFact::countsLgkm | (isRead ? TimingFact::load : TimingFact::store);
  return fact;
}

TimingFacts makeFacts() {
  std::vector<TimingFact> facts(instructions);
  facts[Matrix4Pass] = unitFact(Unit::Matrix, 4);
  facts[Matrix4PassF32] = unitFact(Unit::MatrixVector, 4);
  facts[Vector] = facts[CrossingVector] = unitFact(Unit::Vector);
  facts[CrossingVector].flags = TimingFact::crosses;
  facts[Packed] = unitFact(Unit::PackedFloat);
  facts[Exp] = unitFact(Unit::Transcendental);
  facts[ScalarAdd] = unitFact(Unit::Scalar);
  facts[LdsReadB32] = ldsFact(4, true);
  facts[LdsReadU8] = ldsFact(1, true);
  facts[LdsReadB128] = ldsFact(16, true);
  facts[LdsWriteB128] = ldsFact(16, false);
  facts[Load] = unitFact(Unit::VectorMemory);
  facts[Load].flags = TimingFact::countsVm | TimingFact::load | TimingFact::accesses;
  facts[ScalarLoad] = unitFact(Unit::ScalarMemory);
  facts[ScalarLoad].flags = TimingFact::countsLgkm | TimingFact::load | TimingFact::accesses;
  facts[WaitAll] = internalFact(InternalKind::Wait);
  facts[WaitAll].waitVm = facts[WaitAll].waitLgkm = 0;
  facts[WaitVm1] = internalFact(InternalKind::Wait);
  facts[WaitVm1].waitVm = 1;
  facts[Nop4] = internalFact(InternalKind::Nop, 4);
  facts[Priority3] = internalFact(InternalKind::Priority, 3);
  facts[Barrier] = internalFact(InternalKind::Barrier);
  facts[TakenBranch] = unitFact(Unit::Branch);
  facts[End] = internalFact(InternalKind::End);
  return TimingFacts(facts, std::vector<uint64_t>(instructions, 0));
}

class ConstantMemory : public Ports {
public:
  AccessTimes vectorAccess(unsigned, Clocks now, const TimingFact &, const MemoryRequest &,
                           std::span<const LineAccess>) override {
    return {now + memoryLatency, now + 4 + placeWait, placeWait};
  }
  Clocks scalarAccess(unsigned, Clocks now, const TimingFact &, std::span<const LineAccess>) override {
    return now + (scalarAccesses++ % 2 ? 50 : 200);
  }
  Clocks maintain(unsigned, Clocks now, const TimingFact &) override { return now; }
  Clocks instructionMiss(unsigned, Clocks now, uint64_t) override { return now; }
  void fill(TimedGroup &, unsigned) override { FAIL() << "the traces are complete"; }
  void executeStop(TimedGroup &, unsigned, Clocks) override { FAIL() << "nothing stops"; }
  void groupEnded(TimedGroup &group, Clocks drained) override { ended.push_back({&group, drained}); }

  std::vector<std::pair<TimedGroup *, Clocks>> ended;
  unsigned scalarAccesses = 0;
  Clocks placeWait = 0;
};

/// Wave by wave, what they execute before s_endpgm.
using Waves = std::vector<std::vector<uint32_t>>;

std::vector<uint32_t> repeat(std::vector<uint32_t> body, unsigned times) {
  std::vector<uint32_t> all;
  for (unsigned i = 0; i < times; ++i)
    all.insert(all.end(), body.begin(), body.end());
  return all;
}

class ComputeUnitTest : public testing::Test {
protected:
  ComputeUnitTest() : chip(ChipTiming::find("mi300x")), facts(makeFacts()) {}

  std::unique_ptr<TimedGroup> group(const Waves &waves) {
    auto group = std::make_unique<TimedGroup>();
    group->recorded = std::make_unique<RecordedGroup>();
    group->waves.resize(waves.size());
    for (const std::vector<uint32_t> &wave : waves) {
      WaveTrace &trace = group->recorded->waves.emplace_back();
      for (uint32_t instruction : wave) {
        const bool accesses = facts[instruction].is(TimingFact::accesses);
        LdsDetail lds = {uint16_t(facts[instruction].bytes / 2), conflicts};
        if (accesses)
          trace.append(instruction, MemoryRequest(), {});
        else
          trace.append(instruction, facts[instruction].unit == Unit::Lds ? lds.packed()
                                    : instruction == TakenBranch         ? 1u
                                                                         : 0u);
      }
      trace.append(End, 0u);
      trace.endWith(TraceEnd::Ended);
    }
    return group;
  }

  /// How long the workgroups take together, one after the other at the same time.
  Clocks run(const std::vector<Waves> &workgroups) {
    InstructionCache instructionCache(chip);
    ConstantMemory memory;
    memory.placeWait = placeWait;
    counters = {};
    stalls.assign(instructions, {});
    ComputeUnit unit(0, chip, facts, instructionCache, memory, stalls, counters);
    std::vector<std::unique_ptr<TimedGroup>> groups;
    for (const Waves &waves : workgroups)
      unit.place(*groups.emplace_back(group(waves)), 0, 0);
    for (Clocks now = 0; now != never; now = unit.run(now))
      ;
    EXPECT_EQ(memory.ended.size(), workgroups.size());
    Clocks end = 0;
    for (auto [group, drained] : memory.ended)
      end = std::max(end, drained);
    return end;
  }
  Clocks run(const Waves &waves) { return run(std::vector<Waves>(1, waves)); }

  /// Clocks that a wave takes for `body`, in the middle of many.
  double perBody(std::vector<uint32_t> body, unsigned waves = 1) {
    constexpr unsigned few = 100, many = 300;
    const Clocks less = run(Waves(waves, repeat(body, few))), more = run(Waves(waves, repeat(body, many)));
    return double(more - less) / (many - few);
  }

  ChipTiming chip;
  TimingFacts facts;
  uint16_t conflicts = 0;
  Clocks placeWait = 0;
  Counters counters;
  StallTable stalls;
};

TEST_F(ComputeUnitTest, AVectorInstructionTakesFourClocks) { EXPECT_NEAR(perBody({Vector}), 4, 0.01); }

TEST_F(ComputeUnitTest, AMatrixInstructionTakesItsPasses) {
  EXPECT_NEAR(perBody({Matrix4Pass}), 16, 0.01);
  EXPECT_EQ(stalls[Matrix4Pass].issued, 300u);
  EXPECT_NEAR(double(stalls[Matrix4Pass].clocks[size_t(Stall::AluDependency)]), 300 * 12, 20);
}

TEST_F(ComputeUnitTest, ThreeVectorInstructionsHideUnderAMatrixInstruction) {
  EXPECT_NEAR(perBody({Matrix4Pass, Vector, Vector, Vector}), 16, 0.01);
  EXPECT_NEAR(perBody({Matrix4Pass, Vector, Vector, Vector, Vector}), 20, 0.01);
  EXPECT_NEAR(perBody({Matrix4PassF32, Vector, Vector, Vector}), 28, 0.01);
}

TEST_F(ComputeUnitTest, TheyHideFromAnotherWaveToo) {
  // Wave 0 and wave 4 share a SIMD.
  const unsigned times = 300;
  Waves waves(5);
  waves[0] = repeat({Matrix4Pass}, times);
  waves[4] = repeat({Vector, Vector, Vector}, times);
  EXPECT_NEAR(double(run(waves)), times * 16, 100);
}

TEST_F(ComputeUnitTest, PackedFloatsDontHide) {
  EXPECT_NEAR(perBody({Packed}), 4, 0.01);
  EXPECT_NEAR(perBody({Matrix4Pass, Packed}), 28, 0.01);
  const unsigned times = 300;
  Waves waves(5);
  waves[0] = repeat({Matrix4Pass}, times);
  waves[4] = repeat({Packed}, times);
  EXPECT_NEAR(double(run(waves)), times * 21, 100);
}

TEST_F(ComputeUnitTest, TranscendentalsHideUnderAMatrixInstructionButNotBesideVectorOnes) {
  EXPECT_NEAR(perBody({Exp}), 16, 0.01);
  EXPECT_NEAR(perBody({Exp, Vector}), 20, 0.01);
  EXPECT_NEAR(perBody({Matrix4Pass, Exp}), 20, 0.01);
  EXPECT_NEAR(perBody({Matrix4Pass, Vector, Vector, Vector, Matrix4Pass, Exp}), 36, 0.01);
}

TEST_F(ComputeUnitTest, AnInstructionAcrossAFetchBoundaryTakesAClockMore) {
  EXPECT_NEAR(perBody({CrossingVector}), 5, 0.01);
}

TEST_F(ComputeUnitTest, NopsAndBranchesTakeTheirTime) {
  EXPECT_NEAR(perBody({Nop4}), 16, 0.01);
  EXPECT_NEAR(perBody({Nop4, Matrix4Pass}), 20, 0.01); // the nop begins a turn after the issue before it
  EXPECT_NEAR(perBody({TakenBranch}), chip.branchClocks + chip.fetchWindowClocks, 0.01);
}

TEST_F(ComputeUnitTest, WavesOfASimdShareItsUnitsAndIssueDifferentKindsAtOnce) {
  Waves waves(5);
  waves[0] = waves[4] = repeat({Vector}, 200);
  EXPECT_NEAR(double(run(waves)), 2 * 200 * 4, 50);
  waves[4] = repeat({ScalarAdd}, 200);
  EXPECT_NEAR(double(run(waves)), 200 * 4, 50);
}

TEST_F(ComputeUnitTest, SimdsDontDisturbEachOther) {
  EXPECT_NEAR(perBody({Vector, ScalarAdd}, 4), 8, 0.01);
  EXPECT_NEAR(perBody({Matrix4Pass}, 4), 16, 0.01);
}

TEST_F(ComputeUnitTest, ThePriorityDecidesThenTheAge) {
  // Both want the vector unit all the time: the first wave is done in half of the time, the other when all is.
  Waves waves(5);
  waves[0] = waves[4] = repeat({Vector}, 200);
  run(waves);
  EXPECT_EQ(counters.vectorInstructions, 400u);
  EXPECT_NEAR(double(counters.waveClocks), 800 + 1600, 50);
  waves[4].insert(waves[4].begin(), Priority3);
  run(waves);
  EXPECT_NEAR(double(counters.waveClocks), 800 + 1600, 50);
}

TEST_F(ComputeUnitTest, LdsAccessesTakeTheirPorts) {
  EXPECT_NEAR(perBody({LdsReadB32}), 4, 0.01);
  EXPECT_NEAR(perBody({LdsReadB128}), 16, 0.01);
  EXPECT_NEAR(perBody({LdsWriteB128}), 20, 0.01);
  EXPECT_NEAR(perBody({LdsReadB128}, 2), 32, 0.01); // SIMDs 0 and 1 share a port
  EXPECT_NEAR(perBody({LdsReadB128}, 4) / 4, 8, 0.01);
  EXPECT_NEAR(double(run(Waves{{LdsReadB32, WaitAll}})), 52 + 12, 12);
  EXPECT_NEAR(double(run(Waves{{LdsReadB128, WaitAll}})), 64 + 12, 12);
}

TEST_F(ComputeUnitTest, NarrowReadsTakeTheirClocksLonger) {
  const Clocks wide = run(Waves{{LdsReadB32, WaitAll}});
  EXPECT_EQ(run(Waves{{LdsReadU8, WaitAll}}), wide + chip.ldsNarrowReadClocks);
  chip.ldsNarrowReadClocks = 8;
  EXPECT_EQ(run(Waves{{LdsReadU8, WaitAll}}), wide + 8);
  EXPECT_EQ(run(Waves{{LdsReadB32, WaitAll}}), wide);
}

TEST_F(ComputeUnitTest, ConflictsTakePortAndBanks) {
  conflicts = 62; // all lanes of a b32 access in one bank
  EXPECT_NEAR(perBody({LdsReadB32}), 66, 0.01);
  EXPECT_NEAR(perBody({LdsReadB32}, 4) / 4, 64, 0.5);
}

TEST_F(ComputeUnitTest, VectorMemoryComesBackInOrderAndStopsWhereTooMuchIsUnderWay) {
  EXPECT_NEAR(double(run(Waves{{Load, Load, WaitVm1}})), double(memoryLatency) + 4 + 8, 12);
  // 24 under way at a time: memoryLatency for each 24.
  EXPECT_NEAR(perBody({Load}), double(memoryLatency) / chip.vmemOutstandingPerWave, 1);
}

TEST_F(ComputeUnitTest, WavesThatStandForPlacesOfMissesSaySo) {
  // Two SIMDs: the second wave's load comes when the first one's holds the address unit.
  auto stood = [&](Stall reason) { return stalls[Load].clocks[size_t(reason)]; };
  run(Waves{{Load}, {Load}});
  EXPECT_EQ(stood(Stall::MissPlaces), 0u);
  const Clocks busy = stood(Stall::ArbiterWinStall);
  placeWait = 100;
  run(Waves{{Load}, {Load}});
  EXPECT_EQ(stood(Stall::MissPlaces), 100u);
  EXPECT_EQ(stood(Stall::ArbiterWinStall), busy);
}

TEST(PlaceWaits, WhatOfATimeTheyTake) {
  PlaceWaits waits;
  EXPECT_EQ(waits.within(0, 1000), 0u);
  waits.add(10, 20);
  waits.add(30, 50);
  EXPECT_EQ(waits.within(0, 1000), 30u);
  EXPECT_EQ(waits.within(15, 40), 15u);
  EXPECT_EQ(waits.within(20, 30), 0u);
  EXPECT_EQ(waits.within(35, 36), 1u);
  for (Clocks i = 0; i < 100; ++i)
    waits.add(100 + 10 * i, 101 + 10 * i);
  EXPECT_EQ(waits.within(1000, 2000), 10u);
}

TEST_F(ComputeUnitTest, ScalarLoadsComeBackAsTheyLike) {
  const Clocks both = run(Waves{{ScalarLoad, ScalarLoad, WaitAll}});
  EXPECT_NEAR(double(both), 200, 16); // the second is back after 50
}

TEST_F(ComputeUnitTest, ABarrierOpensWithItsLastWave) {
  Waves waves = {{Barrier, Vector}, {Barrier, Vector}, repeat({Vector}, 100)};
  waves[2].push_back(Barrier);
  EXPECT_NEAR(double(run(waves)), 400 + chip.barrierClocks + 12, 16);
  EXPECT_GT(stalls[Barrier].clocks[size_t(Stall::Barrier)], 700u);
  waves[2].pop_back(); // ended waves don't count
  EXPECT_NEAR(double(run(waves)), 400 + chip.barrierClocks + 12, 16);
}

} // namespace
