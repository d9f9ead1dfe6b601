// The matrix cores' register maps and the layouts of plain loads (Layouts.h).
#include "dialects/systolic/Layouts.h"

using namespace mlir;
using namespace nstf::systolic;

FragmentAttr nstf::systolic::getMmaLayout(SystolicArrayAttr array, MmaOperand operand, ArrayRef<int64_t> shape,
                                          int64_t waveSize) {
  int64_t m = array.getM(), n = array.getN(), k = array.getK();
  // A cell's operands must fill the wave, and its accumulator come in groups of four rows.
  if (!array.hasCell() || waveSize % m || waveSize % n || k * m % waveSize || m % (4 * (waveSize / m)))
    return {};
  int64_t waveRows = array.getWaveRows(), waveCols = array.getWaveCols();
  int64_t perLane = array.getElementsPerLane(waveSize), groups = waveSize / m;
  SmallVector<Digit> reg, lane, wave;
  switch (operand) {
  case MmaOperand::A:
    if (shape[0] % (waveRows * m) || shape[1] % k)
      return {};
    reg = {{1, perLane, 1}, {1, shape[1] / k, k}, {0, shape[0] / waveRows / m, m}};
    lane = {{0, m, 1}, {1, groups, perLane}};
    wave = {{0, waveRows, shape[0] / waveRows}, {-1, waveCols, 0}};
    break;
  case MmaOperand::B:
    if (shape[0] % k || shape[1] % (waveCols * n))
      return {};
    reg = {{0, perLane, 1}, {0, shape[0] / k, k}, {1, shape[1] / waveCols / n, n}};
    lane = {{1, n, 1}, {0, groups, perLane}};
    wave = {{-1, waveRows, 0}, {1, waveCols, shape[1] / waveCols}};
    break;
  case MmaOperand::Acc:
    if (shape[0] % (waveRows * m) || shape[1] % (waveCols * n))
      return {};
    reg = {
        {0, 4, 1}, {0, m / (4 * groups), 4 * groups}, {1, shape[1] / waveCols / n, n}, {0, shape[0] / waveRows / m, m}};
    lane = {{1, n, 1}, {0, groups, 4}};
    wave = {{0, waveRows, shape[0] / waveRows}, {1, waveCols, shape[1] / waveCols}};
    break;
  }
  return FragmentAttr::getCanonical(array.getContext(), reg, lane, wave);
}

/// The largest power of two that divides `size` and is at most `most`.
static int64_t powerOfTwoIn(int64_t size, int64_t most) {
  int64_t power = 1;
  while (power * 2 <= most && size % (power * 2) == 0)
    power *= 2;
  return power;
}

FragmentAttr nstf::systolic::getBlockedLayout(MLIRContext *context, ArrayRef<int64_t> shape, unsigned elementBits,
                                              int64_t waves, int64_t waveSize) {
  int64_t last = shape.size() - 1, cols = shape[last], rows = shape.size() == 2 ? shape[0] : 1;
  // Sixteen bytes a lane, as long as that leaves every lane something to do.
  int64_t vector = powerOfTwoIn(cols, std::max<int64_t>(1, 128 / elementBits));
  while (vector > 1 && rows * cols / vector < waveSize)
    vector /= 2;
  int64_t lanesAlongCols = powerOfTwoIn(cols / vector, waveSize);
  int64_t lanesAlongRows = powerOfTwoIn(rows, waveSize / lanesAlongCols);
  // Of three waves none, of six two can share the work evenly; the others do the same again.
  int64_t evenWaves = powerOfTwoIn(waves, waves);
  int64_t wavesAlongRows = powerOfTwoIn(rows / lanesAlongRows, evenWaves);
  int64_t colGroups = cols / vector / lanesAlongCols;
  int64_t wavesAlongCols = powerOfTwoIn(colGroups, evenWaves / wavesAlongRows);

  SmallVector<Digit> reg = {{last, vector, 1}}, lane = {{last, lanesAlongCols, vector}}, wave;
  reg.push_back({last, colGroups / wavesAlongCols, vector * lanesAlongCols * wavesAlongCols});
  if (shape.size() == 2) {
    reg.push_back({0, rows / lanesAlongRows / wavesAlongRows, lanesAlongRows * wavesAlongRows});
    lane.push_back({0, lanesAlongRows, 1});
    wave.push_back({0, wavesAlongRows, lanesAlongRows});
  }
  lane.push_back({-1, waveSize / lanesAlongCols / lanesAlongRows, 0});
  wave.push_back({last, wavesAlongCols, vector * lanesAlongCols});
  wave.push_back({-1, waves / wavesAlongRows / wavesAlongCols, 0});
  return FragmentAttr::getCanonical(context, reg, lane, wave);
}
