// Decides how much of a large launch is simulated, and estimates the durations of the remaining workgroups.
//
// Workgroups are dispatched in the order of their numbers, in rounds of as many as the chip holds. The first round
// begins all at once with cold caches; later ones are alike unless the caches are still filling. Whole rounds are
// compared (in a round that is half complete, only the fast workgroups have ended) until two consecutive ones agree and
// the mean of each stratum is known. A stratum consists of the workgroups that execute about the same number of
// instructions; this separates edges, causal rows and ragged batches. The durations of the remaining workgroups are
// drawn from their stratum. For kinds beyond all simulated ones only the instruction count is known. Their clocks for
// an instruction are the average over all workgroups, including unfinished ones (among workgroups of unlike sizes the
// older and shorter ones finish first, so an average over finished ones would be too low).
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <cstddef>
#include <map>
#include <vector>

namespace nstf::emulator::timing {

class Sampler {
public:
  /// A simulated workgroup.
  struct Group {
    uint64_t index = 0;
    uint32_t computeUnit = 0;
    Clocks begun = 0, drained = 0; ///< its place on the compute unit was taken from `begun` to `drained`
    uint64_t instructions = 0;     ///< of all its waves
  };

  /// For a launch of `groups` workgroups of which `residents` are on the chip at a time. `patience`: wave instructions
  /// after which the sample is accepted even if rounds still drift.
  Sampler(uint64_t groups, uint64_t residents, uint32_t computeUnits, uint64_t patience);

  /// Whether a launch can be sampled: it must have at least a few rounds.
  static bool pays(uint64_t groups, uint64_t residents) { return groups > 3 * residents; }

  /// `steady`: the caches that the launch fills are full.
  void retired(const Group &group, bool steady = true);
  /// Whether the workgroups simulated so far represent the rest.
  bool settled() const { return accepted; }
  /// The duration of workgroup `index`, which is not simulated and executes `instructions` instructions. For a kind
  /// beyond all simulated ones it follows from `pace`, in clocks an instruction. Precondition: settled().
  Clocks draw(uint64_t index, uint64_t instructions, double pace) const;
  /// Whether a workgroup with this number of instructions is of such a kind.
  bool isBeyond(uint64_t instructions) const;

  uint64_t strata() const { return known.size(); }
  /// The difference between the last two rounds: 0.02 is 2 %.
  double drift() const { return lastDrift; }
  /// Half the width of the 90 % confidence interval of the simulated workgroups' mean duration, divided by this mean.
  double uncertainty() const;

private:
  struct Stratum {
    std::vector<Clocks> durations; ///< in the order of workgroup numbers
    uint64_t instructions = 0;     ///< sum
    double mean() const;
    double halfInterval() const;
    double meanInstructions() const { return double(instructions) / double(durations.size()); }
  };
  using Strata = std::map<int64_t, Stratum>; ///< by getStratum
  struct Round {
    std::vector<Group> retired;
    uint64_t size = 0;
  };
  static int64_t getStratum(uint64_t instructions);
  static Strata getStrata(const Round *first, const Round *last);
  void look(bool steady);
  void forgetFew();

  const uint64_t groups, residents, patience;
  std::vector<bool> hasRetired; ///< by compute unit
  uint32_t unitsLeft;
  uint64_t instructions = 0;
  std::vector<Round> rounds;
  size_t complete = 0;   ///< number of leading rounds whose workgroups have all retired
  size_t steadyFrom = 0; ///< first of the rounds that agree
  double lastDrift = 0;
  bool accepted = false;
  Strata known;
};

} // namespace nstf::emulator::timing
