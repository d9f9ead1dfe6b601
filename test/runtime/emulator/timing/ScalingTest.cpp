// How predicted time must follow conflicts, bandwidths and the number of workgroups.
#include "test/runtime/emulator/timing/TimedKernels.h"

namespace nstf::emulator::timing::test {
namespace {

class ScalingTest : public TimedKernelsTest {
protected:
  /// A few compute units with their part of the chip's bandwidth, so that small launches use all of it.
  void takePartOfChip() {
    const uint32_t part = chip.computeUnits / (4 * chip.xcds);
    chip.computeUnits = 4 * chip.xcds;
    for (double ChipTiming::*bandwidth :
         {&ChipTiming::l2ReadBytesPerClock, &ChipTiming::l2WriteBytesPerClock, &ChipTiming::mallReadBandwidth,
          &ChipTiming::mallWriteBandwidth, &ChipTiming::mallCopyBandwidth, &ChipTiming::hbmReadBandwidth,
          &ChipTiming::hbmWriteBandwidth, &ChipTiming::hbmCopyBandwidth})
      chip.*bandwidth /= part;
  }
  /// Caches that hold next to nothing, where the chip has them.
  void shrinkL2() { chip.l2Bytes = 1 << 16; }
  void shrinkMall() { chip.mallBytes = std::min<uint64_t>(chip.mallBytes, 1 << 17); }
};
INSTANTIATE_TEST_SUITE_P(Chips, ScalingTest, bothChips, getName);

TEST_P(ScalingTest, MoreConflictsAreNeverFaster) {
  int *out = upload(kernels.memory, std::vector<int>(4 * 1024));
  const std::pair<const char *, uint32_t> kernelsAndItems[] = {
      {"readInt", 1024},   {"readInt2", 1024}, {"readInt4", 512}, {"writeInt", 1024},
      {"writeInt2", 1024}, {"writeInt4", 512}, {"addInt", 1024}};
  for (const auto &[kernel, items] : kernelsAndItems) { // as many as use an LDS port all the time
    const Clocks first = predicted(kernel, {1}, {items}, out, 1, 64).clocks;
    Clocks before = first;
    for (int stride : {2, 4, 8, 16, 32}) {
      const Clocks clocks = predicted(kernel, {1}, {items}, out, stride, 64).clocks;
      EXPECT_GE(clocks, before) << kernel << " " << stride;
      before = clocks;
    }
    EXPECT_GT(double(before), 1.2 * double(first)) << kernel;
  }
}

TEST_P(ScalingTest, HalfTheBandwidthIsNeverFaster) {
  takePartOfChip();
  const int n = 1 << 17;
  float *a = upload(kernels.memory, ramp(n)), *b = upload(kernels.memory, ramp(n));
  const PackedLaunch copy = pack(kernels, "copy", {n / 256}, {256}, 0, {getBytes(a), getBytes(b)});
  auto clocks = [&] { // of the second copy, from and to where the first one left the data
    MemorySystem caches(chip);
    auto run = [&] { return predict(kernels.target, kernels.memory, copy.launch, options, chip, caches, timing); };
    run();
    return run().clocks;
  };
  auto expectSlower = [&](const char *name, auto ChipTiming::*bandwidth, unsigned limits = 1) {
    const auto whole = chip.*bandwidth;
    if (!whole) // a chip without MALL
      return;
    Clocks first = 0, before = 0;
    for (unsigned divisor = limits; divisor <= 8 * limits; divisor *= 2) {
      chip.*bandwidth = whole / divisor;
      const Clocks now = clocks();
      EXPECT_GE(now, before) << name << " / " << divisor;
      before = now;
      first = first ? first : now;
    }
    EXPECT_GT(double(before), 1.3 * double(first)) << name;
    chip.*bandwidth = whole;
  };
  expectSlower("L1", &ChipTiming::l1BytesPerClock, 8);
  expectSlower("L1 writes", &ChipTiming::l1WriteBytesPerClock, 8);
  expectSlower("L2 reads", &ChipTiming::l2ReadBytesPerClock);
  expectSlower("L2 writes", &ChipTiming::l2WriteBytesPerClock);
  shrinkL2();
  expectSlower("MALL reads", &ChipTiming::mallReadBandwidth);
  expectSlower("MALL writes", &ChipTiming::mallWriteBandwidth);
  expectSlower("MALL copies", &ChipTiming::mallCopyBandwidth);
  shrinkMall();
  expectSlower("HBM reads", &ChipTiming::hbmReadBandwidth);
  expectSlower("HBM writes", &ChipTiming::hbmWriteBandwidth);
  expectSlower("HBM copies", &ChipTiming::hbmCopyBandwidth);
}

TEST_P(ScalingTest, TwiceTheWorkgroupsOfAFullChipTakeTwiceTheTime) {
  chip.computeUnits = 2 * chip.xcds;
  float *out = upload(kernels.memory, std::vector<float>(1 << 20));
  const uint32_t full = chip.computeUnits * 8;
  const double once = double(predicted("compute", {full}, {256}, out, 40).clocks);
  const double twice = double(predicted("compute", {2 * full}, {256}, out, 40).clocks);
  EXPECT_NEAR(twice / once, 2, 0.1);
}

TEST_P(ScalingTest, TwiceTheWorkgroupsTakeTwiceTheTimeOfMemoryToo) {
  takePartOfChip();
  shrinkL2();
  shrinkMall();
  const uint32_t full = chip.computeUnits * 8;
  const int rows = 48, n = int(2 * full) * rows * 256;
  float *a = upload(kernels.memory, std::vector<float>(n)), *c = upload(kernels.memory, std::vector<float>(n));
  const LaunchPrediction once = predicted("copyRows", {full}, {256}, a, c, rows);
  const LaunchPrediction twice = predicted("copyRows", {2 * full}, {256}, a, c, rows);
  EXPECT_EQ(once.limiter, Limiter::Hbm);
  EXPECT_NEAR(double(twice.clocks) / double(once.clocks), 2, 0.1);
}

} // namespace
} // namespace nstf::emulator::timing::test
