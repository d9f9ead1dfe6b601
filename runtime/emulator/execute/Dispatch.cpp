#include "runtime/emulator/execute/Dispatch.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/execute/Interpreter.h"
#include "runtime/emulator/execute/Statistics.h"
#include "runtime/emulator/execute/WaveStart.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/memory/SourceFrames.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <sstream>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>
#include <unordered_map>

namespace nstf::emulator {
namespace {

/// What is kept of a code object: its micro-ops, and how long a workgroup of each kernel took.
struct CachedProgram {
  std::shared_ptr<const DecodedProgram> program;
  std::mutex mutex;
  std::unordered_map<const Kernel *, uint64_t> nanosecondsPerGroup;
};

/// The program's micro-ops, decoded at its first launch.
std::shared_ptr<CachedProgram> decoded(const Target &target, const Program &program) {
  std::lock_guard lock(program.cacheMutex);
  if (!program.cache) {
    std::vector<std::span<const uint8_t>> texts;
    for (const Program::TextRange &range : program.text())
      texts.emplace_back(reinterpret_cast<const uint8_t *>(range.begin), range.end - range.begin);
    auto cached = std::make_shared<CachedProgram>();
    cached->program = DecodedProgram::decode(target, texts);
    program.cache = cached;
  }
  return std::static_pointer_cast<CachedProgram>(program.cache);
}

/// How many threads a launch is worth: a thread that has to be woken costs more than a short launch takes.
unsigned usefulThreads(CachedProgram &cached, const Kernel &kernel, uint64_t groups, unsigned threads) {
  constexpr uint64_t shortLaunch = 200'000; // nanoseconds
  std::lock_guard lock(cached.mutex);
  auto known = cached.nanosecondsPerGroup.find(&kernel);
  if (known != cached.nanosecondsPerGroup.end() && known->second * groups < shortLaunch)
    return 1;
  return unsigned(std::min<uint64_t>(threads, groups));
}
void rememberTime(CachedProgram &cached, const Kernel &kernel, uint64_t groups, uint64_t nanoseconds) {
  std::lock_guard lock(cached.mutex);
  cached.nanosecondsPerGroup[&kernel] = nanoseconds / groups;
}
/// Time this thread had on a core, in nanoseconds.
uint64_t threadTime() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

unsigned threadCount() {
  static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const char *text = std::getenv("NSTF_EMU_THREADS");
  if (!text || !*text)
    return cores;
  char *end;
  long value = std::strtol(text, &end, 10);
  if (*end || value < 1 || value > 1024)
    throw std::runtime_error("NSTF_EMU_THREADS: expected a number from 1 to 1024 but got '" + std::string(text) + "'");
  return std::min(unsigned(value), cores);
}

/// When a launch that begins now has to be done; the epoch: whenever it is.
std::chrono::steady_clock::time_point readDeadline() {
  const char *text = std::getenv("NSTF_EMU_TIMEOUT");
  if (!text || !*text)
    return {};
  char *end;
  double seconds = std::strtod(text, &end);
  if (*end || !(seconds > 0) || seconds > 1e6)
    throw std::runtime_error("NSTF_EMU_TIMEOUT: expected seconds, more than 0 and up to 1000000, but got '" +
                             std::string(text) + "'");
  return std::chrono::steady_clock::now() + std::chrono::microseconds(int64_t(seconds * 1e6));
}

/// Matrix instructions run in fast mode; NSTF_EMU_MATRIX may say so, and nothing else yet.
void checkMatrixMode() {
  const char *mode = std::getenv("NSTF_EMU_MATRIX");
  if (mode && *mode && std::string(mode) != "fast")
    throw std::runtime_error("NSTF_EMU_MATRIX: expected 'fast' but got '" + std::string(mode) +
                             "' (matrix instructions have no exact mode yet)");
}

/// Host memory in whole cache lines, zeroed.
struct Block {
  explicit Block(size_t bytes) : bytes(bytes ? bytes : 1), words((bytes + 127) / 8) {}
  uint64_t address() const { return (reinterpret_cast<uint64_t>(words.data()) + 63) & ~uint64_t(63); }
  size_t bytes;
  std::vector<uint64_t> words;
};

/// What the packet processor would see: an AQL kernel dispatch packet (64 bytes), and a queue with the apertures.
void fillPacket(char *packet, const LaunchArguments &launch, uint64_t kernarg, uint32_t lds, uint32_t scratch) {
  auto put = [&](size_t at, auto value) { std::memcpy(packet + at, &value, sizeof(value)); };
  put(0, uint16_t(2)); // kernel dispatch
  put(2, uint16_t(3)); // dimensions
  for (unsigned i = 0; i < 3; ++i) {
    put(4 + 2 * i, uint16_t(launch.block[i]));
    put(12 + 4 * i, launch.grid[i] * launch.block[i]);
  }
  put(24, scratch);
  put(28, lds);
  put(32, launch.kernel->descriptorAddress);
  put(40, kernarg);
}
void fillQueue(char *queue) {
  std::memcpy(queue + 0x40, &sharedApertureHigh, 4);
  std::memcpy(queue + 0x44, &privateApertureHigh, 4);
}

/// The launch as seen by one host thread: registers, LDS and scratch of one workgroup at a time.
class Worker {
public:
  Worker(const Launch &launch, uint64_t scratch, ExecutionCounters *counters)
      : launch(launch), lds(launch.ldsBytes), scratch(scratch) {
    group.launch = &launch;
    group.counters = counters;
    group.lds = reinterpret_cast<uint8_t *>(lds.address());
    thread_local std::vector<std::unique_ptr<Wave>> pool; // registers are large; they serve all launches of the thread
    while (pool.size() < launch.wavesPerGroup)
      pool.push_back(std::make_unique<Wave>());
    for (unsigned i = 0; i < launch.wavesPerGroup; ++i)
      group.waves.push_back(pool[i].get());
  }

  /// Runs workgroup `index`, x fastest. Throws Fault.
  void run(uint64_t index) {
    const uint32_t *grid = launch.arguments->grid;
    group.id[0] = uint32_t(index % grid[0]);
    group.id[1] = uint32_t(index / grid[0] % grid[1]);
    group.id[2] = uint32_t(index / grid[0] / grid[1]);
    std::memset(group.lds, 0, launch.ldsBytes);
    for (unsigned i = 0; i < launch.wavesPerGroup; ++i)
      startWave(*group.waves[i], group, i, scratch + uint64_t(i) * launch.scratchBytes * Wave::width);
    Wave *faulting = nullptr;
    try {
      runWorkgroup(group, faulting);
    } catch (const WaveFault &fault) {
      throw Fault(message(fault, *faulting), fault.hasAddress);
    }
  }

private:
  std::string message(const WaveFault &fault, const Wave &wave) const {
    const DecodedProgram &program = *launch.program;
    std::ostringstream text;
    text << fault.what << ": kernel '" << launch.kernel->name << "', pc 0x" << std::hex << program.addressOf(fault.op)
         << " (entry + 0x" << program.addressOf(fault.op) - launch.kernel->entry << "), instruction '"
         << program.textOf(fault.op) << "', workgroup " << std::dec << '(' << group.id[0] << ", " << group.id[1] << ", "
         << group.id[2] << "), wave " << wave.number;
    if (fault.lane >= 0)
      text << ", lane " << fault.lane;
    if (fault.hasAddress)
      text << ", address 0x" << std::hex << fault.address << ": " << launch.memory->describe(fault.address);
    const Program &object = *launch.kernel->program;
    std::string source = describe(findSourceFrames(object.elf(), program.addressOf(fault.op) - object.base()));
    if (!source.empty())
      text << "; " << source;
    return text.str();
  }

  const Launch &launch;
  Workgroup group;
  Block lds;
  uint64_t scratch;
};

/// The arena for that many threads. It stays: workers that just left it are found again without being woken.
tbb::task_arena &arenaOf(unsigned threads) {
  static std::mutex mutex;
  static std::map<unsigned, std::unique_ptr<tbb::task_arena>> arenas;
  std::lock_guard lock(mutex);
  std::unique_ptr<tbb::task_arena> &arena = arenas[threads];
  if (!arena)
    arena = std::make_unique<tbb::task_arena>(int(threads));
  return *arena;
}

/// Runs all workgroups. After a fault no new ones begin; those with lower numbers have begun and run to their end, so
/// the fault reported is the lowest workgroup's. Returns the threads' time together, in nanoseconds.
uint64_t runGrid(const Launch &launch, uint64_t groups, unsigned threads, uint64_t scratch, uint64_t scratchPerThread,
                 ExecutionStatistics *statistics) {
  std::atomic<uint64_t> next{0}, time{0};
  std::mutex mutex;
  uint64_t faultyGroup = UINT64_MAX;
  std::exception_ptr fault;
  auto work = [&](unsigned thread) {
    uint64_t start = threadTime();
    std::unique_ptr<ExecutionCounters> counters(statistics ? new ExecutionCounters : nullptr);
    Worker worker(launch, scratch + thread * scratchPerThread, counters.get());
    for (uint64_t index; (index = next.fetch_add(1)) < groups;) {
      try {
        worker.run(index);
      } catch (...) {
        next = groups;
        std::lock_guard lock(mutex);
        if (index < faultyGroup) {
          faultyGroup = index;
          fault = std::current_exception();
        }
      }
    }
    time += threadTime() - start;
    if (counters) {
      std::lock_guard lock(mutex);
      counters->addTo(*statistics);
    }
  };
  if (threads == 1) {
    work(0);
  } else {
    arenaOf(threads).execute([&] { tbb::parallel_for(0u, threads, work, tbb::simple_partitioner()); });
  }
  if (fault)
    std::rethrow_exception(fault);
  return time;
}

} // namespace

void dispatch(const Target &target, Memory &memory, const LaunchArguments &arguments, ExecutionStatistics *statistics) {
  const Kernel &kernel = *arguments.kernel;
  auto refuse = [&](const std::string &why) { throw std::runtime_error("kernel '" + kernel.name + "': " + why); };
  uint64_t items = 1, groups = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (!arguments.block[i] || arguments.block[i] > 1024)
      refuse("expected block sizes from 1 to 1024 but got " + std::to_string(arguments.block[i]));
    items *= arguments.block[i];
    groups *= arguments.grid[i];
  }
  if (items > 1024)
    refuse("expected at most 1024 work-items in a workgroup but got " + std::to_string(items));
  if (kernel.descriptor.wave32)
    refuse("made for waves of 32 lanes, which " + target.name + " doesn't have");
  uint64_t ldsBytes = kernel.ldsSize + uint64_t(arguments.dynamicLds);
  if (ldsBytes > target.ldsBytes)
    refuse("expected at most " + std::to_string(target.ldsBytes) + " bytes of LDS but got " + std::to_string(ldsBytes));
  if (arguments.kernargSize < kernel.kernargSize)
    refuse("expected " + std::to_string(kernel.kernargSize) + " bytes of arguments but got " +
           std::to_string(arguments.kernargSize));
  checkMatrixMode();
  if (!groups)
    return;

  std::shared_ptr<CachedProgram> cached = decoded(target, *kernel.program);
  std::shared_ptr<const DecodedProgram> program = cached->program;
  // A kernel with preloaded arguments begins 256 bytes further on; before it stands a prologue for old firmware.
  const MicroOp *entry = program->at(kernel.entry + (kernel.descriptor.preloadDwords ? 256 : 0));
  if (!entry)
    refuse("its entry is not in the code object's text");

  Launch launch;
  launch.target = &target;
  launch.kernel = &kernel;
  launch.arguments = &arguments;
  launch.program = program.get();
  launch.entry = entry;
  launch.deadline = readDeadline();
  launch.memory = &memory;
  launch.ldsBytes = uint32_t(ldsBytes);
  // Recursion and calls through pointers: the compiler doesn't know how much stack they need.
  constexpr size_t dynamicStack = 16 * 1024;
  launch.scratchBytes =
      uint32_t((kernel.scratchSize + (kernel.descriptor.dynamicStack ? dynamicStack : 0) + 3) & ~size_t(3));
  launch.wavesPerGroup = uint32_t((items + Wave::width - 1) / Wave::width);

  // Memory that lives as long as the launch: arguments (with room behind for loads of whole blocks), packet, queue,
  // scratch.
  size_t argumentBytes = std::max<size_t>(arguments.kernargSize, kernel.kernargSize);
  Block block((argumentBytes + 127) / 64 * 64 + 64 + 256);
  launch.kernarg = block.address();
  launch.dispatchPacket = launch.kernarg + (argumentBytes + 63) / 64 * 64;
  launch.queue = launch.dispatchPacket + 64;
  if (arguments.kernargSize)
    std::memcpy(reinterpret_cast<void *>(launch.kernarg), arguments.kernarg, arguments.kernargSize);
  fillPacket(reinterpret_cast<char *>(launch.dispatchPacket), arguments, launch.kernarg, launch.ldsBytes,
             launch.scratchBytes);
  fillQueue(reinterpret_cast<char *>(launch.queue));

  unsigned threads = usefulThreads(*cached, kernel, groups, threadCount());
  uint64_t scratchPerThread = uint64_t(launch.scratchBytes) * Wave::width * launch.wavesPerGroup;
  Block scratch(scratchPerThread * threads);

  std::vector<Region> regions = memory.regions()->all();
  auto add = [&](uint64_t begin, uint64_t size, RegionKind kind, bool writable) {
    Region region{begin, begin + size, writable, kind, 0};
    regions.insert(std::upper_bound(regions.begin(), regions.end(), region,
                                    [](const Region &a, const Region &b) { return a.begin < b.begin; }),
                   region);
  };
  add(launch.kernarg, launch.queue + 256 - launch.kernarg, RegionKind::Arguments, false);
  if (scratchPerThread)
    add(scratch.address(), scratchPerThread * threads, RegionKind::Scratch, true);
  RegionTable table(std::move(regions));
  launch.regions = &table;
  uint64_t time = runGrid(launch, groups, threads, scratch.address(), scratchPerThread, statistics);
  rememberTime(*cached, kernel, groups, time);
}

} // namespace nstf::emulator
