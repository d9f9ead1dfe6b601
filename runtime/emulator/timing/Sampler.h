// How much of a large launch has to be simulated, and how long the rest of its workgroups last.
//
// Workgroups are dispatched in the order of their numbers, so they come in rounds of as many as the chip holds. The
// first round begins all at once on cold caches; later ones are alike unless the memory still fills up. So whole rounds
// are watched (one that is half done has shown only its fast workgroups) until two that follow one another agree and
// the mean of each stratum is known. A stratum are the workgroups that execute about as many instructions: edges,
// causal rows and ragged batches tell themselves apart that way. The rest draw their durations from their stratum. Of
// kinds that come later only the instructions are known: they last as long as those do on average, in workgroups that
// are under way as well (of unlike ones the older and shorter are done first, and would promise too much).
#pragma once

#include "runtime/emulator/timing/Clocks.h"

#include <cstddef>
#include <map>
#include <vector>

namespace nstf::emulator::timing {

class Sampler {
public:
  /// A workgroup that was simulated.
  struct Group {
    uint64_t index = 0;
    uint32_t computeUnit = 0;
    Clocks begun = 0, drained = 0; ///< its place on the compute unit was taken from and to
    uint64_t instructions = 0;     ///< of all its waves
  };

  /// Of a launch of `groups` workgroups of which `residents` are on the chip at a time. `patience`: wave instructions
  /// after which it is settled though rounds still drift.
  Sampler(uint64_t groups, uint64_t residents, uint32_t computeUnits, uint64_t patience);

  /// Whether there can be anything to leave out: a few rounds at least.
  static bool pays(uint64_t groups, uint64_t residents) { return groups > 3 * residents; }

  /// `steady`: the memory behind it is in the state that it keeps: caches that the launch fills are full.
  void retired(const Group &group, bool steady = true);
  /// The workgroups simulated so far tell of the rest.
  bool settled() const { return accepted; }
  /// How long workgroup `index` lasts that isn't simulated and executes so many instructions; one of a kind beyond all
  /// that were, by `pace`, clocks an instruction. Once it is settled.
  Clocks draw(uint64_t index, uint64_t instructions, double pace) const;
  /// Whether it is of such a kind.
  bool isBeyond(uint64_t instructions) const;

  uint64_t strata() const { return known.size(); }
  /// By how much the last rounds differ: 0.02 is 2 %.
  double drift() const { return lastDrift; }
  /// The 90 % interval of the strata's means, each weighted with its share of the time: half of it over the mean.
  double uncertainty() const;

private:
  struct Stratum {
    std::vector<Clocks> durations; ///< by workgroup number
    uint64_t instructions = 0;     ///< sum
    double mean() const;
    double halfInterval() const;
    double meanInstructions() const { return double(instructions) / double(durations.size()); }
  };
  using Strata = std::map<int64_t, Stratum>; ///< by stratumOf
  struct Round {
    std::vector<Group> retired;
    uint64_t size = 0;
  };
  static int64_t stratumOf(uint64_t instructions);
  static Strata strataOf(const Round *first, const Round *last);
  void look(bool steady);
  void forgetFew();

  const uint64_t groups, residents, patience;
  std::vector<bool> hasRetired; ///< by compute unit
  uint32_t unitsLeft;
  uint64_t instructions = 0;
  std::vector<Round> rounds;
  size_t complete = 0;   ///< rounds at the beginning of which all workgroups have retired
  size_t steadyFrom = 0; ///< the rounds from this one on agree
  double lastDrift = 0;
  bool accepted = false;
  Strata known;
};

} // namespace nstf::emulator::timing
