// Operations on fragment layouts: the canonical form, and the layouts of slices and of tiles with other sizes.
#include "dialects/systolic/Systolic.h"

using namespace mlir;
using namespace nstf::systolic;

static SmallVector<Digit> canonicalize(ArrayRef<Digit> digits) {
  SmallVector<Digit> result;
  for (Digit digit : digits) {
    if (digit.count == 1)
      continue;
    if (digit.dim < 0)
      digit.stride = 0;
    if (!result.empty() && result.back().dim == digit.dim &&
        (digit.dim < 0 || digit.stride == result.back().stride * result.back().count))
      result.back().count *= digit.count;
    else
      result.push_back(digit);
  }
  return result;
}

FragmentAttr FragmentAttr::getCanonical(MLIRContext *context, ArrayRef<Digit> reg, ArrayRef<Digit> lane,
                                        ArrayRef<Digit> wave) {
  return get(context, canonicalize(reg), canonicalize(lane), canonicalize(wave));
}

int64_t FragmentAttr::getNumRegisters() const {
  int64_t count = 1;
  for (const Digit &digit : getReg())
    count *= digit.count;
  return count;
}

SmallVector<int64_t> FragmentAttr::getRegisterCoordinates(int64_t index, unsigned rank) const {
  SmallVector<int64_t> coordinates(rank, 0);
  for (const Digit &digit : getReg()) {
    if (digit.dim >= 0)
      coordinates[digit.dim] += (index % digit.count) * digit.stride;
    index /= digit.count;
  }
  return coordinates;
}

FragmentAttr FragmentAttr::dropDim(int64_t dim) const {
  auto drop = [&](ArrayRef<Digit> digits, bool keepsReplicas) {
    SmallVector<Digit> result;
    for (Digit digit : digits) {
      if (digit.dim == dim && !keepsReplicas)
        continue;
      if (digit.dim == dim)
        digit = {-1, digit.count, 0};
      else if (digit.dim > dim)
        --digit.dim;
      result.push_back(digit);
    }
    return result;
  };
  return getCanonical(getContext(), drop(getReg(), false), drop(getLane(), true), drop(getWave(), true));
}

FragmentAttr FragmentAttr::transpose() const {
  auto turn = [](ArrayRef<Digit> digits) {
    SmallVector<Digit> result(digits);
    for (Digit &digit : result)
      digit.dim = digit.dim < 0 ? digit.dim : 1 - digit.dim;
    return result;
  };
  return get(getContext(), turn(getReg()), turn(getLane()), turn(getWave()));
}

FragmentAttr FragmentAttr::insertUnitDim(int64_t dim) const {
  auto insert = [&](ArrayRef<Digit> digits) {
    SmallVector<Digit> result(digits);
    for (Digit &digit : result)
      digit.dim += digit.dim >= dim;
    return result;
  };
  return getCanonical(getContext(), insert(getReg()), insert(getLane()), insert(getWave()));
}

FragmentAttr FragmentAttr::refine(int64_t dim, int64_t factor) const {
  auto stretch = [&](ArrayRef<Digit> digits) {
    SmallVector<Digit> result(digits);
    for (Digit &digit : result)
      digit.stride *= digit.dim == dim ? factor : 1;
    return result;
  };
  SmallVector<Digit> reg = stretch(getReg());
  reg.insert(reg.begin(), {dim, factor, 1});
  return getCanonical(getContext(), reg, stretch(getLane()), stretch(getWave()));
}

FragmentAttr FragmentAttr::coarsen(int64_t dim, int64_t factor) const {
  bool divides = true;
  auto shrink = [&](ArrayRef<Digit> digits, bool keepsReplicas) {
    SmallVector<Digit> result;
    for (Digit digit : digits) {
      if (digit.dim != dim) {
        result.push_back(digit);
        continue;
      }
      // A digit splits into the values inside one element of the new tile, and those that count these elements.
      int64_t inside = digit.stride >= factor ? 1 : std::min(digit.count, factor / digit.stride);
      divides &= digit.count % inside == 0 &&
                 (digit.stride >= factor ? digit.stride % factor == 0 : factor % digit.stride == 0) &&
                 (inside == digit.count || inside * digit.stride % factor == 0);
      if (keepsReplicas)
        result.push_back({-1, inside, 0});
      result.push_back({dim, digit.count / inside, std::max<int64_t>(digit.stride / factor, 1)});
    }
    return result;
  };
  SmallVector<Digit> reg = shrink(getReg(), false), lane = shrink(getLane(), true), wave = shrink(getWave(), true);
  return divides ? getCanonical(getContext(), reg, lane, wave) : FragmentAttr();
}
