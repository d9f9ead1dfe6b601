// Computes the places of elements in memory (Places.h).
#include "passes/systolic_to_gpu/Places.h"

using namespace mlir;
using namespace nstf::systolic;

int64_t Places::getPlace(ArrayRef<int64_t> coordinates) const {
  if (coordinates.size() == 1)
    return coordinates[0];
  if (packing)
    return packing.getPlace(coordinates[0], coordinates[1], columns, elementBits);
  return coordinates[0] * columns + coordinates[1];
}

Value Places::getPlace(IndexBuilder &index, ArrayRef<Value> coordinates) const {
  if (coordinates.size() == 1)
    return coordinates[0];
  if (!packing)
    return index.add(index.mul(coordinates[0], columns), coordinates[1]);
  Value place = index.constant(0);
  for (auto [dim, coordinate] : llvm::enumerate(coordinates))
    for (const PackedAttr::PlaceDigit &digit : packing.getPlaceDigits(dim, columns, elementBits)) {
      Value value = index.div(coordinate, digit.divisor);
      if (digit.count)
        value = index.rem(value, digit.count);
      place = index.add(place, index.mul(value, digit.stride));
    }
  return place;
}

bool Places::addsUp(FragmentAttr layout, bool transposed) const {
  if (!packing)
    return true;
  for (ArrayRef<Digit> digits : {layout.getReg(), layout.getLane(), layout.getWave()})
    for (const Digit &digit : digits) {
      if (digit.dim < 0)
        continue;
      for (const PackedAttr::PlaceDigit &place :
           packing.getPlaceDigits(transposed ? 1 - digit.dim : digit.dim, columns, elementBits)) {
        int64_t begin = digit.stride, end = digit.stride * digit.count, edge = place.divisor;
        if (begin % edge != 0 && edge % end != 0 && (edge % begin != 0 || end % edge != 0))
          return false;
      }
    }
  return true;
}

int64_t Places::getAlignment(unsigned dim) const {
  return packing ? packing.getPlaceDigits(dim, columns, elementBits).back().divisor : 1;
}
