// Who acts next, of a fixed number of actors that each know their next time.
//
// A tournament: changing an actor's time takes as many steps as the number of actors has bits. At the same time the
// actor of the lowest number acts first.
#pragma once

#include "runtime/emulator/timing/Clocks.h"

#include <bit>
#include <vector>

namespace nstf::emulator::timing {

class EventQueue {
public:
  explicit EventQueue(size_t actors) : leaves(std::bit_ceil(actors)), times(leaves, never), winners(2 * leaves) {
    for (size_t i = 0; i < leaves; ++i)
      winners[leaves + i] = uint32_t(i);
    for (size_t node = leaves; --node;)
      winners[node] = winners[2 * node];
  }

  uint32_t actor() const { return winners[1]; }
  /// Of two actors or more: who probably acts after that, the first of the half in which the next one isn't.
  uint32_t runnerUp() const { return winners[winners[2] == winners[1] ? 3 : 2]; }
  Clocks time() const { return times[winners[1]]; } ///< of the next actor; never: nobody acts any more

  void set(uint32_t actor, Clocks time) {
    times[actor] = time;
    for (size_t node = (leaves + actor) / 2; node; node /= 2) {
      const uint32_t left = winners[2 * node], right = winners[2 * node + 1];
      winners[node] = times[right] < times[left] ? right : left;
    }
  }

private:
  const size_t leaves;
  std::vector<Clocks> times;
  std::vector<uint32_t> winners; ///< of the pairs below a node; 1 is the root
};

} // namespace nstf::emulator::timing
