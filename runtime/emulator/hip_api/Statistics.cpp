#include "runtime/emulator/hip_api/Statistics.h"
#include "nstf/EmulatorStatistics.h"
#include "support/WriteFile.h"

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace nstf::emulator {
namespace {

using Json = nlohmann::ordered_json;

void putFields(Json &to, const NSTFDispatchStatistics &from) {
#define PUT(field) to[#field] = from.field;
  NSTF_DISPATCH_STATISTICS(PUT)
#undef PUT
}

/// The file NSTF_EMU_STATISTICS, written when the program ends.
class StatisticsFile {
public:
  explicit StatisticsFile(std::string path) : path(std::move(path)) {}

  void add(const NSTFDispatchStatistics &launch) {
    std::lock_guard lock(mutex);
    Json entry{{"kernel", launch.kernel}, {"grid", launch.grid}, {"block", launch.block}};
    putFields(entry, launch);
    dispatches.push_back(std::move(entry));
    auto [sum, isNew] = kernels.try_emplace(launch.kernel);
    ++sum->second.launches;
#define ADD(field) sum->second.fields.field += launch.field;
    NSTF_DISPATCH_STATISTICS(ADD)
#undef ADD
  }

  std::atomic<uint64_t> findings = 0, faults = 0;

  void write() {
    std::lock_guard lock(mutex);
    Json sums = Json::array();
    for (const auto &[name, sum] : kernels) {
      Json entry{{"kernel", name}, {"launches", sum.launches}};
      putFields(entry, sum.fields);
      sums.push_back(std::move(entry));
    }
    std::ostringstream file;
    file << "{\"target\": " << Json(Device::get().target.name) << ",\n \"findings\": " << findings
         << ", \"faults\": " << faults << ",\n \"kernels\": [";
    for (const Json &entry : sums)
      file << (&entry == &sums.front() ? "\n  " : ",\n  ") << entry.dump(-1, ' ', true, Json::error_handler_t::replace);
    file << "],\n \"dispatches\": [";
    for (const Json &entry : dispatches)
      file << (&entry == &dispatches.front() ? "\n  " : ",\n  ")
           << entry.dump(-1, ' ', true, Json::error_handler_t::replace);
    file << "]}\n";
    try {
      support::writeFile(path, file.view());
    } catch (const std::runtime_error &error) { // the program is ending
      std::cerr << "error: NSTF_EMU_STATISTICS: " << error.what() << "\n";
    }
  }

private:
  struct Sum {
    uint64_t launches = 0;
    NSTFDispatchStatistics fields = {};
  };
  std::string path;
  std::mutex mutex;
  std::vector<Json> dispatches;
  std::map<std::string, Sum> kernels;
};

/// Null without NSTF_EMU_STATISTICS. Never destroyed: programs launch kernels in their own destructors.
StatisticsFile *statisticsFile() {
  static StatisticsFile *file = [] {
    const char *path = std::getenv("NSTF_EMU_STATISTICS");
    StatisticsFile *made = path && *path ? new StatisticsFile(path) : nullptr;
    if (made)
      std::atexit([] { statisticsFile()->write(); });
    return made;
  }();
  return file;
}

struct Observer {
  NSTFDispatchObserver call = nullptr;
  void *user = nullptr;
};
std::mutex observerMutex;
Observer observer;

Observer currentObserver() {
  std::lock_guard lock(observerMutex);
  return observer;
}

} // namespace

bool wantsStatistics() { return statisticsFile() || currentObserver().call; }

void reportStatistics(const KernelOperation &launch, const ExecutionStatistics &counted, double seconds,
                      double predicted) {
  const dim3 &grid = launch.grid, &block = launch.block;
  NSTFDispatchStatistics s = {};
  s.size = sizeof(s);
  s.kernel = launch.kernel->name.c_str();
  s.grid[0] = grid.x, s.grid[1] = grid.y, s.grid[2] = grid.z;
  s.block[0] = block.x, s.block[1] = block.y, s.block[2] = block.z;
  s.workgroups = uint64_t(grid.x) * grid.y * grid.z;
  s.waves = s.workgroups * ((uint64_t(block.x) * block.y * block.z + Wave::width - 1) / Wave::width);
  using enum InstructionClass;
  s.matrix = counted[Matrix], s.vector = counted[Vector], s.lds = counted[Lds];
  s.vectorMemory = counted[VectorMemory], s.scalar = counted[Scalar], s.scalarMemory = counted[ScalarMemory];
  s.branch = counted[Branch], s.other = counted[Other];
  s.globalBytesLoaded = counted[MemorySpace::Global].loaded, s.globalBytesStored = counted[MemorySpace::Global].stored;
  s.ldsBytesLoaded = counted[MemorySpace::Lds].loaded, s.ldsBytesStored = counted[MemorySpace::Lds].stored;
  s.scratchBytesLoaded = counted[MemorySpace::Scratch].loaded;
  s.scratchBytesStored = counted[MemorySpace::Scratch].stored;
  s.scalarBytesLoaded = counted[MemorySpace::Scalar].loaded, s.scalarBytesStored = counted[MemorySpace::Scalar].stored;
  s.hostSeconds = seconds;
  s.predictedSeconds = predicted;
  if (StatisticsFile *file = statisticsFile())
    file->add(s);
  if (Observer now = currentObserver(); now.call)
    now.call(now.user, &s);
}

void reportFault() {
  if (StatisticsFile *file = statisticsFile())
    ++file->faults;
}

void reportFindings(uint64_t count) {
  if (StatisticsFile *file = statisticsFile())
    file->findings += count;
}

} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API void nstfEmulatorObserveDispatches(NSTFDispatchObserver call, void *user) {
  std::lock_guard lock(observerMutex);
  observer = {call, user};
}
