// A published problem, run by kernels of ours with the same loads, stores and arithmetic.
#pragma once

#include "runtime/emulator/timing/timeline/DeviceTimeline.h"
#include "tools/benchmarks/timing/bench/Bench.h"

#include <functional>
#include <map>

namespace nstf::emulator::timing {

/// "block=64 groups_per_cu=2" or "1024x1024_mask5": named numbers, and the others in their order.
class Problem {
public:
  explicit Problem(const std::string &text);
  uint64_t named(const std::string &name) const;
  uint64_t number(size_t i) const { return numbers.at(i); }

private:
  std::map<std::string, double> names;
  std::vector<uint64_t> numbers;
};

/// What of a published time is not the kernels' own.
enum class Submission {
  Host,      ///< all, from the host's call to the end it waits for
  InARow,    ///< one of many on a stream: the gap to the next
  GraphNode, ///< one of a graph's many: the same there
  None,
};

/// What is done between the published timer's start and stop, with all that was done before it to warm up.
struct Outcome {
  double nanoseconds = 0; ///< predicted, host's submissions included as the source's timer has them
  double execution = 0;   ///< of the kernels alone, beginnings included
  uint64_t launches = 0, instructions = 0, rounds = 0; ///< rounds of resident workgroups over the chip, of all launches
  uint64_t simulated = 0, workgroups = 0;
  std::string limiter; ///< of the longest launch
};

class Case {
public:
  Case(Bench &bench, const Problem &problem) : bench(bench), problem(problem) {}
  ~Case();

  Bench &bench;
  const Problem &problem;
  double flops = 0, bytes = 0; ///< that the work takes at least: what a roofline counts
  double scale = 1;            ///< of the outcome's times: units of the published value in what was run
  /// What is timed, and how often it runs before that.
  std::function<void()> timed;
  unsigned warmUps = 1;
  std::function<void()> before; ///< instead of the warm-ups
  /// A shorter run of what is timed, whose time comes off: beginning and end of a long published run don't count.
  std::function<void()> beginning;
  Submission submission = Submission::Host;

  template <typename T> T *array(uint64_t count) {
    arrays.push_back(bench.allocate(count * sizeof(T)));
    return static_cast<T *>(arrays.back());
  }
  template <typename T> T *array(uint64_t count, const std::function<T(uint64_t)> &element) {
    T *values = array<T>(count);
    for (uint64_t i = 0; i < count; ++i)
      values[i] = element(i);
    return values;
  }
  template <typename... Arguments>
  void launch(const std::string &kernel, const LaunchShape &shape, const Arguments &...arguments) {
    add(bench.call(kernel, shape, options, arguments...));
  }
  /// The host waits for it.
  void copyFromHost(uint64_t bytes);
  void fill(uint64_t bytes);

  /// Runs it all.
  Outcome run(const TimingOptions &how);

private:
  void add(const LaunchPrediction &prediction);
  /// Runs it and says how long it takes, its submission included.
  double measureNanoseconds(const std::function<void()> &what);

  TimingOptions options;
  Outcome outcome;
  double longest = 0;
  struct Submitted {
    TimedOperation operation;
    bool waits = false; ///< the host, for its end
  };
  std::vector<Submitted> operations;
  std::vector<void *> arrays;
};

/// By the kernel's name in points.tsv.
using Cases = std::map<std::string, std::function<void(Case &)>>;
void addStreams(Cases &cases);
void addArrays(Cases &cases);
void addAlgebra(Cases &cases);
void addPasses(Cases &cases);
void addArithmetic(Cases &cases);
void addModels(Cases &cases);

inline uint32_t countGroups(uint64_t items, uint32_t size) { return uint32_t((items + size - 1) / size); }
inline LaunchShape line(uint64_t items, uint32_t size) { return {{countGroups(items, size), 1, 1}, {size, 1, 1}}; }

} // namespace nstf::emulator::timing
