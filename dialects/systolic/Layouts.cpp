// The layouts of matrix products and of plain loads (Layouts.h).
#include "dialects/systolic/Layouts.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace nstf::systolic;

FragmentAttr nstf::systolic::getMmaLayout(SystolicArrayAttr array, MmaOperand operand, ArrayRef<int64_t> shape,
                                          int64_t waveSize) {
  std::optional<MatrixRegisterMap> cell =
      getMatrixRegisterMap(operand, array.getM(), array.getN(), array.getK(), waveSize, array.getChained());
  if (!cell)
    return {};
  // Operands of a transposed array keep their layouts, since A's register map is the transpose of B's; only the
  // result's is transposed.
  if (array.getTransposed() && operand == MmaOperand::Acc)
    for (auto *digits : {&cell->reg, &cell->lane})
      for (Digit &digit : *digits)
        digit.dim = 1 - digit.dim;
  // The dimensions of the tile along M, N and K of the product; -1: none.
  static constexpr int64_t dims[][3] = {/*A=*/{0, -1, 1}, /*B=*/{-1, 1, 0}, /*Acc=*/{0, 1, -1}};
  const auto &[dimM, dimN, dimK] = dims[size_t(operand)];
  // Parts of a sum lie below one another. Parts of an operand take its cells along K in turn, or runs of them.
  int64_t parts = array.getParts();
  bool isAcc = operand == MmaOperand::Acc;
  SmallVector<int64_t> size(shape);
  if (isAcc && size[0] % parts)
    return {};
  size[0] /= isAcc ? parts : 1;
  struct Axis {
    int64_t dim, cell, waves, stride; ///< all for the cells of a wave
  };
  Axis m = {dimM, array.getM(), array.getWaveRows(), array.getM()},
       n = {dimN, array.getN(), array.getWaveCols(), array.getN()},
       k = {dimK, array.getK(), parts, array.getRuns() ? array.getK() : array.getDepth()};
  for (const Axis &axis : {k, n, m}) {
    if (axis.dim < 0)
      continue;
    if (size[axis.dim] % (axis.waves * axis.cell))
      return {};
    cell->reg.push_back({axis.dim, size[axis.dim] / axis.waves / axis.cell, axis.stride});
  }
  SmallVector<Digit> wave;
  for (const Axis &axis : {m, n})
    wave.push_back({axis.dim, axis.waves, axis.dim < 0 ? 0 : size[axis.dim] / axis.waves});
  wave.push_back(isAcc ? Digit{0, parts, size[0]}
                       : Digit{dimK, parts, array.getRuns() ? size[dimK] / parts : array.getK()});
  return FragmentAttr::getCanonical(array.getContext(), cell->reg, cell->lane, wave);
}

FragmentAttr nstf::systolic::getSumLayout(SystolicArrayAttr array, ArrayRef<int64_t> shape, int64_t waveSize) {
  FragmentAttr acc = getMmaLayout(array.getWhole(), MmaOperand::Acc, shape, waveSize);
  if (!acc)
    return {};
  int64_t shares = std::gcd(array.getParts(), std::max<int64_t>(1, acc.getNumRegisters() / registersOfAccess));
  int64_t kept = acc.getNumRegisters() / shares;
  if (kept % registersOfAccess)
    return {};
  SmallVector<Digit> reg, wave(acc.getWave());
  for (const Digit &digit : acc.getReg()) {
    int64_t own = std::gcd(digit.count, kept);
    if (own != digit.count && own != kept)
      return {};
    kept /= own;
    reg.push_back({digit.dim, own, digit.stride});
    wave.push_back({digit.dim, digit.count / own, digit.stride * own});
  }
  wave.push_back({-1, array.getParts() / shares, 0});
  return FragmentAttr::getCanonical(array.getContext(), reg, acc.getLane(), wave);
}

/// The largest power of two that divides `size` and is at most `max`.
static int64_t powerOfTwoIn(int64_t size, int64_t max) {
  int64_t power = 1;
  while (power * 2 <= max && size % (power * 2) == 0)
    power *= 2;
  return power;
}

FragmentAttr nstf::systolic::getBlockedLayout(MLIRContext *context, ArrayRef<int64_t> shape, unsigned elementBits,
                                              int64_t waves, int64_t waveSize, bool wavesApart) {
  int64_t last = shape.size() - 1, cols = shape[last], rows = shape.size() == 2 ? shape[0] : 1;
  // Each lane loads up to 16 bytes, or less if some lanes would have nothing to load.
  int64_t vector = powerOfTwoIn(cols, std::max<int64_t>(1, 128 / elementBits));
  while (vector > 1 && rows * cols / vector < waveSize)
    vector /= 2;
  int64_t lanesAlongCols = powerOfTwoIn(cols / vector, waveSize);
  int64_t lanesAlongRows = powerOfTwoIn(rows, waveSize / lanesAlongCols);
  // Only a power of two of waves divides the work evenly (two of six, one of three); the others repeat it.
  int64_t evenWaves = powerOfTwoIn(waves, waves);
  int64_t wavesAlongRows = powerOfTwoIn(rows / lanesAlongRows, evenWaves);
  int64_t colGroups = cols / vector / lanesAlongCols;
  int64_t wavesAlongCols = powerOfTwoIn(colGroups, evenWaves / wavesAlongRows);

  SmallVector<Digit> reg = {{last, vector, 1}}, lane = {{last, lanesAlongCols, vector}}, wave;
  reg.push_back({last, colGroups / wavesAlongCols, vector * lanesAlongCols * wavesAlongCols});
  if (shape.size() == 2) {
    int64_t rowsOfLane = rows / lanesAlongRows / wavesAlongRows;
    reg.push_back({0, rowsOfLane, lanesAlongRows * (wavesApart ? 1 : wavesAlongRows)});
    lane.push_back({0, lanesAlongRows, 1});
    wave.push_back({0, wavesAlongRows, lanesAlongRows * (wavesApart ? rowsOfLane : 1)});
  }
  lane.push_back({-1, waveSize / lanesAlongCols / lanesAlongRows, 0});
  wave.push_back({last, wavesAlongCols, vector * lanesAlongCols});
  wave.push_back({-1, waves / wavesAlongRows / wavesAlongCols, 0});
  return FragmentAttr::getCanonical(context, reg, lane, wave);
}

PatchLayouts nstf::systolic::getPatchLayouts(MLIRContext *context, ArrayRef<int64_t> shape, unsigned elementBits,
                                             int64_t depth, int64_t waves, int64_t waveSize) {
  constexpr unsigned minAccessBits = 32;
  if (shape[0] % depth)
    return {};
  for (int64_t width = powerOfTwoIn(shape[1], 128 / elementBits); width > 1 && width * elementBits >= minAccessBits;
       width /= 2) {
    int64_t down = shape[0] / depth, across = shape[1] / width; // number of patches
    int64_t lanesDown = powerOfTwoIn(down, waveSize), lanesAcross = waveSize / lanesDown;
    int64_t wavesAcross = across % lanesAcross ? 0 : powerOfTwoIn(across / lanesAcross, powerOfTwoIn(waves, waves));
    if (wavesAcross == 0 || waves % wavesAcross || down / lanesDown % (waves / wavesAcross))
      continue;
    int64_t wavesDown = waves / wavesAcross;
    Digit row = {0, depth, 1}, column = {1, width, 1};
    Digit moreColumns = {1, across / lanesAcross / wavesAcross, width * lanesAcross * wavesAcross},
          moreRows = {0, down / lanesDown / wavesDown, depth * lanesDown * wavesDown};
    Digit lane[] = {{0, lanesDown, depth}, {1, lanesAcross, width}},
          wave[] = {{1, wavesAcross, width * lanesAcross}, {0, wavesDown, depth * lanesDown}};
    return {FragmentAttr::getCanonical(context, {column, row, moreColumns, moreRows}, lane, wave),
            FragmentAttr::getCanonical(context, {row, column, moreColumns, moreRows}, lane, wave)};
  }
  return {};
}

FragmentAttr nstf::systolic::getPackedLayout(PackedAttr packing, ArrayRef<int64_t> shape, unsigned elementBits,
                                             int64_t waves) {
  if (!packing.divides(shape, elementBits))
    return {};
  int64_t granule = packing.getGranule(elementBits), rows = packing.getRows();
  int64_t run = packing.getRun(elementBits), span = packing.getSpan(elementBits);
  int64_t across = packing.getBytes() * 8 / elementBits;
  int64_t evenWaves = powerOfTwoIn(waves, waves);
  int64_t wavesAlongRows = powerOfTwoIn(shape[0] / rows, evenWaves);
  int64_t wavesAlongCols = powerOfTwoIn(shape[1] / across, evenWaves / wavesAlongRows);
  return FragmentAttr::getCanonical(
      packing.getContext(),
      {{1, run, 1},
       {1, granule / run, span},
       {1, shape[1] / across / wavesAlongCols, across * wavesAlongCols},
       {0, shape[0] / rows / wavesAlongRows, rows * wavesAlongRows}},
      {{0, rows, 1}, {1, across / granule, run}},
      {{0, wavesAlongRows, rows}, {1, wavesAlongCols, across}, {-1, waves / wavesAlongRows / wavesAlongCols, 0}});
}

int64_t nstf::systolic::getVectorWidth(FragmentAttr layout, int64_t dim, unsigned elementBits) {
  ArrayRef<Digit> digits = layout.getReg();
  if (digits.empty() || digits.front().dim != dim || digits.front().stride != 1)
    return 1;
  int64_t width = 1;
  while (digits.front().count % (2 * width) == 0 && 2 * width * elementBits <= 128)
    width *= 2;
  return width;
}

AccessRegisters nstf::systolic::getAccessRegisters(FragmentAttr layout, int64_t width, int64_t dim, PackedAttr packing,
                                                   unsigned elementBits) {
  AccessRegisters registers{width, llvm::to_vector(llvm::seq<int64_t>(layout.getNumRegisters()))};
  if (!packing || width != packing.getRun(elementBits) || width == packing.getGranule(elementBits))
    return registers;
  int64_t span = packing.getSpan(elementBits), granule = packing.getGranule(elementBits),
          across = granule / width * span;
  for (ArrayRef<Digit> digits : {layout.getLane(), layout.getWave()})
    for (const Digit &digit : digits) // each lane must begin within the first run
      if (digit.dim == dim && digit.stride * digit.count > span && digit.stride % across)
        return registers;
  std::map<SmallVector<int64_t>, int64_t> numbers;
  for (int64_t number = 0; number < layout.getNumRegisters(); number += width)
    numbers[layout.getRegisterCoordinates(number, 2)] = number;
  SmallVector<int64_t> order;
  for (auto &[coordinates, number] : numbers) {
    if (coordinates[dim] % across >= span)
      continue;
    for (SmallVector<int64_t> next = coordinates; next[dim] < coordinates[dim] + across; next[dim] += span) {
      auto found = numbers.find(next);
      if (found == numbers.end())
        return registers;
      llvm::append_range(order, llvm::seq(found->second, found->second + width));
    }
  }
  return int64_t(order.size()) == layout.getNumRegisters() ? AccessRegisters{granule, order} : registers;
}
