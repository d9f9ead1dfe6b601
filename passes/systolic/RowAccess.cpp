#include "passes/systolic/RowAccess.h"
#include <numeric>

using namespace nstf::systolic;

/// An access of at least this many bits is better than one twice as wide whose elements must be shifted where a row
/// cuts it.
constexpr int64_t wideEnough = 64;

int64_t KnownIndex::getDivisor() const { return std::gcd(congruence.modulus, congruence.residue); }

RowAccess RowAccess::get(int64_t wanted, unsigned bits, int64_t length, const KnownIndex &column) {
  RowAccess narrow{std::gcd(std::gcd(wanted, length), column.getDivisor()), std::nullopt};
  std::optional<int64_t> first = column.congruence.modulo(wanted);
  if (!first || length < wanted)
    return narrow;
  int64_t last = (length + wanted - *first) % wanted;
  bool beginsBefore = column.minimum < 0 && *first != 0;
  if (last == 0)
    return {wanted, beginsBefore ? std::optional(Cut{*first - wanted, 0}) : std::nullopt};
  if (beginsBefore || narrow.width * bits >= wideEnough)
    return narrow;
  return {wanted, Cut{length - last, length - wanted}};
}
