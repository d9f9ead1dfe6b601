// Recorded waves: what runs ahead is what would have run at its time, and results are those of an untimed launch.
#include "runtime/emulator/timing/record/Recorder.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using namespace nstf::emulator::timing;

namespace {

const char *source = R"(
// Each workgroup turns a tile round through LDS and adds the tile below.
kernel void tiles(global const float *in, global float *out, int rounds) {
  local float tile[256];
  int i = get_local_id(0), group = get_group_id(0);
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[i] = in[(group + round) * 256 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[255 - i];
    if (tile[(i * 7) % 256] > 0.5f)
      sum += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[group * 256 + i] = sum;
}
// Loads turned round through LDS and multiplied: nothing of what is computed decides what is done.
kernel void products(global const float *in, global float *out, int rounds) {
  local float tile[256];
  int i = get_local_id(0);
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[i] = in[round * 256 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[255 - i] * tile[i ^ 1] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
// A long loop without a barrier.
kernel void long_loop(global const int4 *in, global int4 *out, int rounds) {
  int4 sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum = sum * 3 + in[(round * 64 + get_local_id(0)) % 1024];
  out[get_global_id(0)] = sum;
}
// Each load touches 64 lines.
kernel void scattered(global const int *in, global int *out, int rounds) {
  int sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += in[get_local_id(0) * 64 + round % 32];
  out[get_global_id(0)] = sum;
}
// Every workgroup waits for the one before it, then tells the next.
kernel void chain(global int *flags, global int *data) {
  int group = get_group_id(0);
  if (group)
    while (__scoped_atomic_load_n(flags + group - 1, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) == 0)
      ;
  data[group * 64 + get_local_id(0)] = (group ? data[(group - 1) * 64 + get_local_id(0)] : 0) + 1;
  if (get_local_id(0) == 0)
    __scoped_atomic_store_n(flags + group, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}
// The first wave waits for the second, through LDS.
kernel void poll(global int *out) {
  local int flag;
  int i = get_local_id(0);
  if (i == 0)
    flag = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 64) {
    while (*(volatile local int *)&flag == 0)
      ;
    out[i] = flag;
  } else if (i == 64) {
    for (int k = 0; k < 100; ++k)
      out[64] += k;
    *(volatile local int *)&flag = 7;
  }
}
kernel void times(global ulong *out) {
  out[get_group_id(0) * 2] = __builtin_amdgcn_s_memtime();
  out[get_group_id(0) * 2 + 1] = __builtin_amdgcn_s_memrealtime();
}
// Of three stores the one behind a full wait may be a release, where stores carry no scope: on gfx90a.
kernel void release(global int *out) {
  __asm__ volatile("global_store_dword %0, %1, off\n"
               "s_waitcnt vmcnt(0)\n"
               "global_store_dword %0, %1, off offset:4\n"
               "global_store_dword %0, %1, off offset:8\n"
#ifdef __gfx90a__
               "global_load_dword %1, %0, off glc\n"
#else
               "global_load_dword %1, %0, off sc1\n"
#endif
               "s_waitcnt vmcnt(0)\n" : : "v"(out), "v"(1) : "memory");
}
kernel void wild(global int *out) {
  if (get_group_id(0) == 1)
    out = (global int *)16;
  out[get_local_id(0)] = 1;
}
)";

/// What waves execute.
enum class Executes { Everything, Outline, OutlineSkippingRounds };

/// A launch driven by a model without time: all workgroups resident, their waves served in turn.
class Driven {
public:
  Driven(CompiledKernels &kernels, const PackedLaunch &packed, RecorderOptions options,
         size_t issuedInATurn = ~size_t(0), Executes what = Executes::Everything)
      : driver(kernels.target, kernels.memory, packed.launch, launchOptions, 1000), facts(driver.launch()),
        recorder(driver, facts, options), outline(what == Executes::Everything ? std::nullopt : facts.outline()) {
    if (outline)
      recorder.follow(*outline, what == Executes::OutlineSkippingRounds);
    std::vector<std::unique_ptr<RecordedGroup>> groups;
    for (uint64_t i = 0; i < driver.groups(); ++i)
      groups.push_back(recorder.begin(i));
    for (bool moved = true; moved;) {
      moved = false;
      for (auto &group : groups)
        for (unsigned wave = 0; group && wave < group->waves.size(); ++wave)
          moved |= serve(*group, wave, issuedInATurn);
      for (auto &group : groups)
        if (group && std::ranges::all_of(group->waves, [](const WaveTrace &trace) {
              return trace.empty() && trace.end() == TraceEnd::Ended;
            }))
          recorder.retire(std::move(group));
    }
    for (auto &group : groups)
      EXPECT_EQ(group, nullptr) << "waves that don't get on";
  }

  /// What waves executed, as text: instruction, detail, lines.
  std::map<std::pair<uint64_t, unsigned>, std::string> executed;
  std::map<std::pair<uint64_t, unsigned>, SkippedRounds> skipped; ///< in all
  uint64_t stops = 0;
  size_t longest = 0, maxBlocks = 0; ///< of a trace

private:
  bool serve(RecordedGroup &group, unsigned wave, size_t entries) {
    WaveTrace &trace = group.waves[wave];
    if (trace.empty()) {
      if (trace.end() == TraceEnd::Ended)
        return false;
      if (trace.end() == TraceEnd::Stop) {
        ++stops;
        recorder.executeStop(group, wave, now += 21);
      } else {
        recorder.fill(group, wave);
      }
    }
    longest = std::max(longest, trace.size());
    maxBlocks = std::max(maxBlocks, trace.blockCount());
    std::ostringstream text;
    TraceReader reader = trace.reader();
    for (; !reader.empty() && entries; --entries) {
      const TraceEntry entry = reader.take();
      text << entry.instruction;
      if (!facts[entry.instruction].is(TimingFact::accesses)) {
        text << "/" << entry.detail;
        if (entry.blocks) {
          SkippedRounds &sum = skipped[{group.index, wave}];
          sum.rounds += reader.skipped(entry).rounds;
          sum.instructions += reader.skipped(entry).instructions;
        }
      } else {
        const MemoryRequest &request = reader.request(entry);
        text << "[" << unsigned(request.lanes) << "x" << unsigned(request.bytes) << " " << request.addressClocks;
        for (const LineAccess &line : reader.lines(entry))
          text << " " << std::hex << line.address << ":" << line.dwords << std::dec << ":" << line.lanes << "+"
               << line.following;
        text << "]";
      }
      text << "\n";
      for (uint32_t i = 1; i <= entry.following; ++i)
        text << entry.instruction + i << "/0\n";
    }
    trace.readTo(reader);
    executed[{group.index, wave}] += text.str();
    return text.tellp() > 0 || trace.end() == TraceEnd::More || trace.end() == TraceEnd::Stop;
  }

  LaunchOptions launchOptions;
  LaunchDriver driver;
  TimingFacts facts;
  Recorder recorder;
  std::optional<Outline> outline;
  Clocks now = 0;
};

constexpr RecorderOptions reference = {.runAhead = false};

class RecorderTest : public testing::TestWithParam<const char *> {
protected:
  CompiledKernels kernels{GetParam(), source, "-O2"};
  std::vector<float> values = [] {
    std::vector<float> v(16 * 256);
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = float(i * 37 % 101) / 101;
    return v;
  }();
};

TEST_P(RecorderTest, RunsAheadAsItWouldRunAtItsTime) {
  const float *in = upload(kernels.memory, values);
  float *out = upload(kernels.memory, std::vector<float>(4 * 256));
  const PackedLaunch packed = pack(kernels, "tiles", {4}, {256}, 0, {getBytes(in), getBytes(out), getBytes(9)});
  launch(kernels, "tiles", {4}, {256}, in, out, 9);
  const std::vector<float> expected = download(out, 4 * 256);
  Driven slow(kernels, packed, reference);
  for (uint32_t stretch : {1u, 7u, 100u, 5000u}) {
    std::fill_n(out, 4 * 256, 0.0f);
    Driven fast(kernels, packed, {.stretch = stretch}, stretch / 2 + 1);
    EXPECT_EQ(fast.executed, slow.executed) << "stretch " << stretch;
    EXPECT_EQ(download(out, 4 * 256), expected);
    EXPECT_EQ(fast.stops, 0u);
  }
}

TEST_P(RecorderTest, TracesStayShort) {
  std::vector<int> numbers(4096);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = int(i * 7919);
  const int *in = upload(kernels.memory, numbers);
  int *out = upload(kernels.memory, std::vector<int>(512));
  launch(kernels, "long_loop", {2}, {64}, in, out, 3000);
  const std::vector<int> expected = download(out, 512);
  const PackedLaunch packed = pack(kernels, "long_loop", {2}, {64}, 0, {getBytes(in), getBytes(out), getBytes(3000)});
  Driven fast(kernels, packed, {.stretch = 500}, 123);
  EXPECT_EQ(fast.longest, 500u);
  EXPECT_EQ(fast.executed, Driven(kernels, packed, reference).executed);
  EXPECT_EQ(download(out, 512), expected);
}

TEST_P(RecorderTest, TracesStayShortWhateverTheyTouch) {
  const int *in = upload(kernels.memory, std::vector<int>(64 * 64, 3));
  int *out = upload(kernels.memory, std::vector<int>(64));
  const PackedLaunch packed = pack(kernels, "scattered", {1}, {64}, 0, {getBytes(in), getBytes(out), getBytes(1000)});
  Driven fast(kernels, packed, {.stretch = 100'000}, 77);
  EXPECT_LE(fast.maxBlocks, 2048u + 2 * 66) << "and an access more, behind the one read last";
  EXPECT_EQ(fast.executed, Driven(kernels, packed, reference).executed);
  EXPECT_EQ(out[5], 3000);
}

TEST_P(RecorderTest, TheOutlineLeavesTheSameTraces) {
  const float *in = upload(kernels.memory, values);
  float *out = upload(kernels.memory, std::vector<float>(4 * 256));
  auto expectSame = [&](const PackedLaunch &packed) {
    const Driven whole(kernels, packed, {}), outline(kernels, packed, {}, 100, Executes::Outline);
    EXPECT_EQ(outline.executed, whole.executed);
    EXPECT_EQ(outline.stops, whole.stops);
  };
  expectSame(pack(kernels, "long_loop", {2}, {64}, 0, {getBytes(in), getBytes(out), getBytes(300)}));
  expectSame(pack(kernels, "scattered", {1}, {64}, 0, {getBytes(in), getBytes(out), getBytes(100)}));
  expectSame(pack(kernels, "products", {2}, {256}, 0, {getBytes(in), getBytes(out), getBytes(12)}));
  std::fill_n(out, 4 * 256, 0.0f);
  Driven(kernels, pack(kernels, "products", {2}, {256}, 0, {getBytes(in), getBytes(out), getBytes(12)}), {}, 100,
         Executes::Outline);
  EXPECT_EQ(download(out, 4 * 256), std::vector<float>(4 * 256)) << "nobody multiplied";
}

TEST_P(RecorderTest, RoundsThatAreSkippedAreTold) {
  const float *in = upload(kernels.memory, std::vector<float>(256 * 256));
  float *out = upload(kernels.memory, std::vector<float>(16 * 256));
  for (const int rounds : {20, 40, 65, 72, 73, 200})
    for (const char *kernel : {"products", "long_loop"}) {
      const PackedLaunch packed = pack(kernels, kernel, {2}, {256}, 0, {getBytes(in), getBytes(out), getBytes(rounds)});
      const Driven whole(kernels, packed, {});
      for (const uint32_t stretch : {50u, 4096u}) {
        const Driven some(kernels, packed, {.stretch = stretch}, stretch / 3, Executes::OutlineSkippingRounds);
        auto lines = [](const std::string &text) { return uint64_t(std::ranges::count(text, '\n')); };
        for (const auto &[wave, text] : whole.executed) {
          const auto found = some.skipped.find(wave);
          const SkippedRounds skipped = found == some.skipped.end() ? SkippedRounds{} : found->second;
          const std::string &recorded = some.executed.at(wave);
          EXPECT_EQ(lines(recorded) + skipped.instructions, lines(text)) << kernel << rounds;
          if (rounds == 20) {
            EXPECT_EQ(skipped.rounds, 0u);
          } else if (rounds == 200) {
            EXPECT_GT(skipped.rounds, 100u);
          }
          // Its beginning and its end are the same, stores and all.
          const size_t end = text.rfind('[', text.size() - 40);
          EXPECT_TRUE(recorded.ends_with(text.substr(end))) << kernel << rounds;
        }
      }
    }
}

// A compute unit takes an entry before it issues it, and what other waves are filled for must not take its lines away.
TEST_P(RecorderTest, TheEntryTakenLastKeepsItsLines) {
  const float *in = upload(kernels.memory, values);
  float *out = upload(kernels.memory, std::vector<float>(4 * 256));
  const PackedLaunch packed = pack(kernels, "tiles", {1}, {256}, 0, {getBytes(in), getBytes(out), getBytes(9)});
  LaunchOptions options;
  LaunchDriver driver(kernels.target, kernels.memory, packed.launch, options);
  TimingFacts facts(driver.launch());
  Recorder recorder(driver, facts, {.stretch = 3});
  std::unique_ptr<RecordedGroup> group = recorder.begin(0);
  WaveTrace &trace = group->waves[0];
  uint64_t accesses = 0;
  while (trace.end() != TraceEnd::Ended || !trace.empty()) {
    if (trace.empty()) {
      recorder.fill(*group, 0);
      continue;
    }
    TraceReader reader = trace.reader();
    const TraceEntry entry = reader.take();
    std::vector<uint64_t> before, after;
    auto linesOf = [&](std::vector<uint64_t> &addresses) {
      for (const LineAccess &line : trace.reader().lines(entry))
        addresses.push_back(line.address);
    };
    trace.readTo(reader);
    const bool isAccess = facts[entry.instruction].is(TimingFact::accesses);
    if (isAccess)
      linesOf(before);
    for (unsigned other = 1; other < 4; ++other) {
      WaveTrace &others = group->waves[other];
      TraceReader all = others.reader();
      while (!all.empty())
        all.take();
      others.readTo(all);
      recorder.fill(*group, other);
    }
    if (isAccess) {
      linesOf(after);
      EXPECT_EQ(before, after);
      EXPECT_FALSE(after.empty());
      ++accesses;
    }
  }
  EXPECT_GT(accesses, 9u);
  recorder.retire(std::move(group));
}

TEST_P(RecorderTest, WorkgroupsThatWaitForEachOther) {
  int *flags = upload(kernels.memory, std::vector<int>(8)), *data = upload(kernels.memory, std::vector<int>(8 * 64));
  const PackedLaunch packed = pack(kernels, "chain", {8}, {64}, 0, {getBytes(flags), getBytes(data)});
  Driven driven(kernels, packed, {});
  for (int i = 0; i < 8 * 64; ++i)
    EXPECT_EQ(data[i], i / 64 + 1);
  EXPECT_GE(driven.stops, 8u * 3) << "a load, an invalidation and a store each";
}

TEST_P(RecorderTest, WavesThatPollThroughLds) {
  int *out = upload(kernels.memory, std::vector<int>(65));
  const PackedLaunch packed = pack(kernels, "poll", {1}, {128}, 0, {getBytes(out)});
  Driven driven(kernels, packed, {});
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[63], 7);
  EXPECT_GT(driven.stops, 0u);
}

TEST_P(RecorderTest, APlainStoreBehindAFullWaitIsAStopWhereItMayBeARelease) {
  int *out = upload(kernels.memory, std::vector<int>(4));
  const PackedLaunch packed = pack(kernels, "release", {1}, {64}, 0, {getBytes(out)});
  Driven driven(kernels, packed, {});
  const unsigned load = 1;
  EXPECT_EQ(driven.stops, std::string(GetParam()) == "gfx90a" ? load + 1 : load);
  EXPECT_EQ(download(out, 3), std::vector<int>(3, 1));
}

TEST_P(RecorderTest, WavesReadTheModelsTime) {
  uint64_t *out = upload(kernels.memory, std::vector<uint64_t>(4));
  const PackedLaunch packed = pack(kernels, "times", {2}, {64}, 0, {getBytes(out)});
  Driven driven(kernels, packed, {.clockMhz = 2100});
  EXPECT_EQ(download(out, 4), (std::vector<uint64_t>{21, 3, 42, 4})) << "in the order in which they were executed";
}

TEST_P(RecorderTest, FaultsAreTheKernels) {
  int *out = upload(kernels.memory, std::vector<int>(64));
  const PackedLaunch packed = pack(kernels, "wild", {2}, {64}, 0, {getBytes(out)});
  EXPECT_THROW(Driven(kernels, packed, {}), Fault);
}

INSTANTIATE_TEST_SUITE_P(, RecorderTest, testing::Values("gfx90a", "gfx942"));

} // namespace
