#include "passes/analysis/CostModel.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::LdsDirection;
using nstf::support::Schedule;

// Properties of the code that this compiler makes of tile programs, approximately; none is a fact of the chip.

static constexpr int64_t waveLanes = 64, accessBytes = 16;
/// The min number of elements along K that a lane holds of a cell, and the max number of accumulators that do not spill
/// (systolic-select-array).
static constexpr int64_t leastElements = 4, maxAccumulators = 128;
/// VGPRs in addition to accumulators, operands and loads in flight.
static constexpr double ownRegisters = 24;
/// Vector instructions that decode one code.
static constexpr double instructionsOfCode = 1.5;
/// Vector instructions of a block besides its products: branches, addresses, waits.
static constexpr double instructionsOfBlock = 10;
/// Bytes of code: of any kernel; per product, LDS read, accumulator and vector instruction; and per decoded load, by
/// whether its codes fill whole bytes or are parts of bytes.
static constexpr double codeBytes = 1100, codeOfProduct = 8, codeOfRead = 53, codeOfAccumulator = 28, codeOfVector = 4,
                        codeOfBytes = 1100, codeOfBits = 2000;

namespace {

/// What one block (a round of a phase) of one workgroup costs, in clocks of the unit that does it.
struct Block {
  const PhaseWork *work = nullptr;
  double matrix = 0, issue = 0; ///< of a SIMD
  double ldsWrite = 0, ldsRead = 0;
  double l1 = 0;           ///< of a compute unit
  double decode = 0;       ///< vector instructions that overlap with nothing
  double bytes = 0;        ///< bytes loaded
  double rowBytes = 0;     ///< the min contiguous bytes of any tile's rows
  int64_t buffers = 0;     ///< LDS buffers for the operands of products; 0: loads wait for the products
  bool isTwoAhead = false; ///< loads are issued two blocks ahead
  bool isProduct = false;
  bool loadsTwice = false; ///< lanes exchange one tile before the other is used
  double registers = 0, ldsBytes = 0, code = 0, accumulators = 0;
};

double addSquares(std::initializer_list<double> parts) {
  double sum = 0;
  for (double part : parts)
    sum += part * part;
  return std::sqrt(sum);
}

class Estimate {
public:
  Estimate(KernelOp kernel, nstf::TargetView target, const Costs &costs, ArrayRef<nstf::MatrixInstruction> instructions,
           const KernelQuery &query)
      : target(target), costs(costs), instructions(instructions), work(countWork(kernel, query)) {
    Schedule fields = kernel.getScheduleFields();
    fields.apply(query.schedule);
    schedule = fields;
    waves = fields.waves.value_or(Schedule::Waves());
    wavesPerSimd = llvm::divideCeil(waves.count(), target.simdsPerComputeUnit());
    clocksPerNs = target.peakClock() / 1000.0;
  }

  Cost run() {
    result.workgroups = work.getWorkItems();
    if (waves.count() * waveLanes > target.maxWorkgroupSize())
      return refuse("expected at most " + std::to_string(target.maxWorkgroupSize()) +
                    " work-items in a workgroup but got " + std::to_string(waves.count()) + " waves of " +
                    std::to_string(waveLanes));
    for (const PhaseWork &phase : work.phases) {
      Block block = phase.products.empty() ? makeStream(phase) : makeProducts(phase);
      if (!result.isLegal())
        return result;
      result.registers = std::max<int64_t>(result.registers, block.registers);
      result.ldsBytes = std::max<int64_t>(result.ldsBytes, block.ldsBytes);
      blocks.push_back(block);
    }
    if (result.ldsBytes > target.ldsBytes())
      return refuse("expected at most " + std::to_string(target.ldsBytes()) + " bytes of LDS but got " +
                    std::to_string(result.ldsBytes));
    result.perComputeUnit = countPlaces();
    result.microseconds = getClocks() / clocksPerNs / 1000;
    result.limiter = std::max_element(shares.begin(), shares.end(), [](const auto &a, const auto &b) {
                       return a.second < b.second;
                     })->first;
    return result;
  }

private:
  Cost refuse(std::string reason) {
    result.refusal = std::move(reason);
    return result;
  }

  /// A phase without matrix products: its waves do not wait for one another.
  Block makeStream(const PhaseWork &phase) {
    Block block{&phase};
    double lanes = waveLanes * waves.count(), bits = 8 * phase.dotBytes;
    for (const LoadWork &load : phase.loads)
      addLoad(block, load, load.isOneRow ? waves.rows : 1);
    double instructionsOfLane = (phase.dotElements * bits / 32 + phase.vectorElements) / lanes;
    double slow = phase.transcendentals / lanes * (double(target.transcendentalClocks()) / target.valuClocks() - 1);
    double numbers = countNumbers(phase) * instructionsOfCode / lanes;
    block.issue = (instructionsOfLane + slow + numbers) * target.valuClocks() * wavesPerSimd;
    if (phase.dotColumns) {
      double columnLanes = phase.dotColumns * phase.dotBytes / accessBytes;
      block.loadsTwice = columnLanes != waveLanes && columnLanes < lanes;
    }
    block.registers = ownRegisters + block.bytes / lanes / 4;
    block.code = getCodeOfCodes(phase) + codeOfVector * (phase.dotElements + phase.vectorElements) / lanes;
    return block;
  }

  /// A phase of matrix products, whose operands go through LDS.
  Block makeProducts(const PhaseWork &phase) {
    Block block{&phase};
    block.isProduct = true;
    double lanes = waveLanes * waves.count(), blockBytes = 0, operandRegisters = 0, steps = 1;
    for (const LoadWork &load : phase.loads) {
      addLoad(block, load, 1);
      if (load.isOperand) {
        double bytes = getOperandBytes(load, phase);
        double padded = load.isCodes ? bytes : std::max(bytes, lanes * accessBytes);
        blockBytes += padded;
        block.ldsWrite += bytes / (waveLanes * accessBytes) * getPortClocks(LdsDirection::Write);
      }
    }
    for (const ProductWork &product : phase.products) {
      if (!addProduct(block, product, steps))
        return block;
      double bytes = product.type.getIntOrFloatBitWidth() / 8.0;
      double tile =
          (double(product.m) / waves.rows + double(product.n) / waves.columns) * product.k / waves.parts * bytes;
      operandRegisters += tile / waveLanes / 4 / steps * 2;
      block.ldsRead += tile * waves.count() / (waveLanes * accessBytes) * getPortClocks(LdsDirection::Read);
      block.code += codeOfRead * tile / (waveLanes * accessBytes);
    }
    double numbers = countNumbers(phase) / lanes;
    block.decode = numbers * instructionsOfCode * target.valuClocks() * wavesPerSimd;
    double vector = phase.vectorElements / lanes +
                    phase.transcendentals / lanes * (double(target.transcendentalClocks()) / target.valuClocks() - 1);
    double moves = 3 * block.bytes / lanes / accessBytes +
                   1.5 * block.ldsRead / getPortClocks(LdsDirection::Read) / waves.count() +
                   1.5 * blockBytes / lanes / accessBytes;
    block.issue +=
        (vector + moves + numbers * instructionsOfCode + instructionsOfBlock) * target.valuClocks() * wavesPerSimd;
    block.code += getCodeOfCodes(phase) + codeOfAccumulator * block.accumulators + codeOfVector * vector;
    block.registers = ownRegisters + block.accumulators + operandRegisters + blockBytes / lanes / 4;
    chooseBuffers(block, blockBytes, steps);
    return block;
  }

  /// Repeats the choice of systolic-plan-loops.
  void chooseBuffers(Block &block, double blockBytes, double steps) {
    double scratch = 0;
    for (const ProductWork &product : block.work->products)
      if (waves.parts > 1)
        scratch = std::max(scratch, double(product.m) * product.n * 4 * waves.parts);
    int64_t lds = target.ldsBytes();
    block.buffers = schedule.buffers.value_or(2);
    if (block.buffers * blockBytes + scratch > lds)
      block.buffers = steps > 1 ? 1 : 0;
    bool floods = wavesPerSimd == 1 && blockBytes > target.l1Bytes();
    if (block.work->rounds < 2 || floods || block.registers > double(target.vgprsPerLane()) / wavesPerSimd)
      block.buffers = 0;
    block.isTwoAhead = block.buffers == 2 && steps == 1 && waves.parts == 1 && block.rowBytes < target.l1LineBytes();
    block.ldsBytes = std::max<int64_t>(block.buffers, 1) * blockBytes + scratch;
  }

  void addLoad(Block &block, const LoadWork &load, double times) {
    block.bytes += load.bytes * times;
    block.l1 += load.bytes * times / target.l1BytesPerClock();
    bool isNarrow = load.byRow || load.byColumn;
    if (isNarrow && load.elements > 1)
      block.rowBytes = block.rowBytes ? std::min(block.rowBytes, load.rowBytes) : load.rowBytes;
  }

  /// The bytes of an operand in the type that is multiplied.
  static double getOperandBytes(const LoadWork &load, const PhaseWork &phase) {
    return load.elements * phase.products.front().type.getIntOrFloatBitWidth() / 8.0;
  }

  static double countNumbers(const PhaseWork &phase) {
    double numbers = 0;
    for (const LoadWork &load : phase.loads)
      numbers += load.isCodes ? load.elements : 0;
    return numbers;
  }

  static double getCodeOfCodes(const PhaseWork &phase) {
    double code = 0;
    for (const LoadWork &load : phase.loads)
      if (load.isCodes)
        code += 8 * load.bytes < 7.9 * load.elements ? codeOfBits : codeOfBytes;
    return code;
  }

  double getPortClocks(LdsDirection direction) const {
    return double(costs.getLdsPortClocks(direction, accessBytes)) / costs.getLdsPorts();
  }

  /// Returns false where no matrix instruction fits. `steps` becomes the number of cells along K of a wave.
  bool addProduct(Block &block, const ProductWork &product, double &steps) {
    std::string type;
    llvm::raw_string_ostream(type) << product.type;
    std::string misfit = "expected products of a type that matrix cores multiply but got " + type;
    const nstf::MatrixInstruction *best = nullptr;
    std::string tiles = std::to_string(product.m) + "x" + std::to_string(product.n) + "x" + std::to_string(product.k);
    for (const nstf::MatrixInstruction &one : instructions) {
      if (one.blocks != 1 || one.a != type || one.b != type)
        continue;
      int64_t depth = std::max(one.k, leastElements * waveLanes / one.m);
      if (product.m % (waves.rows * one.m) || product.n % (waves.columns * one.n) ||
          product.k % (waves.parts * depth)) {
        if (!best)
          misfit = "expected cells of " + std::to_string(one.m) + "x" + std::to_string(one.n) + "x" +
                   std::to_string(depth) + " or others to tile a product of " + tiles + " on " + schedule.get("waves") +
                   " waves";
        continue;
      }
      if (product.m * product.n / (waves.rows * waves.columns * waveLanes) > maxAccumulators) {
        misfit = "expected at most " + std::to_string(maxAccumulators) + " accumulators a lane but got " +
                 std::to_string(product.m * product.n / (waves.rows * waves.columns * waveLanes));
        continue;
      }
      if (!best || std::pair(one.m * one.n, one.k) > std::pair(best->m * best->n, best->k))
        best = &one;
    }
    if (!best) {
      refuse(misfit);
      return false;
    }
    double cells = double(product.m) * product.n * product.k / waves.count() / (best->m * best->n * best->k);
    double pack = std::max<double>(leastElements, 8.0 * accessBytes / product.type.getIntOrFloatBitWidth());
    double depth = std::max<double>(best->k, pack * waveLanes / best->m);
    steps = std::max(1.0, product.k / waves.parts / depth);
    block.matrix += cells * best->passes * costs.getMatrixPassClocks() * wavesPerSimd;
    block.issue += cells * target.valuClocks() * wavesPerSimd;
    block.accumulators += double(product.m) * product.n / (waves.rows * waves.columns * waveLanes);
    block.code += codeOfProduct * cells;
    return true;
  }

  /// The workgroups that fit on a compute unit at once.
  int64_t countPlaces() const {
    int64_t byWaves = target.maxWavesPerSimd() * target.simdsPerComputeUnit() / waves.count();
    int64_t byLds = result.ldsBytes ? target.ldsBytes() / result.ldsBytes : byWaves;
    int64_t wavesByRegisters = target.vgprsPerLane() / std::max<int64_t>(result.registers, 1);
    int64_t byRegisters = wavesByRegisters * target.simdsPerComputeUnit() / waves.count();
    return std::max<int64_t>(std::min({byWaves, byLds, byRegisters}), 1);
  }

  // Time

  double getClocks() {
    int64_t items = work.getWorkItems(), capacity = target.computeUnits() * result.perComputeUnit;
    int64_t rounds = std::max<int64_t>(llvm::divideCeil(items, capacity), 1);
    int64_t last = items - (rounds - 1) * capacity, first = std::min(items, capacity);
    result.rounds = rounds;
    double begin = target.slotTurnaroundNs() * clocksPerNs, cached = getLatency(/*isCold=*/false);
    double clocks = begin + 2 * target.scalarMissLatency() + getCodeClocks() + getLatency(/*isCold=*/true);
    clocks += getBlocks(first, /*isCold=*/true) + getEnd();
    double again = begin + target.scalarMissLatency() + cached + getEnd();
    clocks += std::max<int64_t>(rounds - 2, 0) * (getBlocks(capacity, /*isCold=*/false) + again);
    if (rounds > 1)
      clocks += getBlocks(last, /*isCold=*/false) + again;
    double memory = getMemoryClocks();
    shares["HBM"] += std::max(0.0, memory - clocks);
    return std::max(clocks, memory);
  }

  /// The latency of a load that misses the L2; a cold load misses the MALL as well.
  double getLatency(bool isCold) const {
    double beyond = target.mallLatencyNs() + (isCold ? target.hbmLatencyNs() : 0);
    return target.l2Latency() + beyond * clocksPerNs;
  }

  double getCodeClocks() const {
    double bytes = codeBytes;
    for (const Block &block : blocks)
      bytes += block.code;
    return bytes / target.instructionLineBytes() * target.instructionMissLatency() /
           (1 + target.instructionPrefetchLines());
  }

  /// The time after the last block: the stores, and before them the sums that waves exchange.
  double getEnd() const {
    double stored = 0, exchanged = 0;
    for (const Block &block : blocks) {
      stored += block.work->storedBytes * block.work->rounds;
      for (const ProductWork &product : block.work->products)
        if (waves.parts > 1)
          exchanged = std::max(exchanged, double(product.m) * product.n * 4 * waves.parts);
    }
    return target.storeAcknowledgeNs() * clocksPerNs + stored / target.l1BytesPerClock() +
           exchanged / (waveLanes * accessBytes) *
               (getPortClocks(LdsDirection::Write) + getPortClocks(LdsDirection::Read));
  }

  /// The clocks of all blocks of one round of workgroups, of which `active` run at once.
  double getBlocks(int64_t active, bool isCold) {
    double clocks = 0;
    for (const Block &block : blocks)
      if (!block.work->loads.empty() || block.isProduct)
        clocks += block.work->rounds * getBlockClocks(block, active, isCold);
    return clocks;
  }

  double getBlockClocks(const Block &block, int64_t active, bool isCold) {
    double resident = std::clamp(std::ceil(double(active) / target.computeUnits()), 1.0, double(result.perComputeUnit));
    Traffic traffic = getTraffic(*block.work, block.bytes, active);
    // Several blocks read parts of one line; only the first of them waits for memory.
    double lineShare = block.rowBytes ? std::min(1.0, block.rowBytes / target.l1LineBytes()) : 1;
    double latency = target.l2Latency() + lineShare * (getLatency(isCold) - target.l2Latency());
    // Each load in flight occupies a line of the L1.
    double lines = resident * block.bytes * latency / target.l1Bytes();
    double memory = std::max({resident * block.l1, traffic.l2, traffic.mall, traffic.hbm});
    double chain = latency, busy = 0;
    if (!block.isProduct) {
      double exchange = block.loadsTwice ? latency + 2 * (target.barrierClocks() + target.ldsLatency()) : 0;
      chain += exchange + block.l1 + block.issue;
      busy = std::max(addSquares({lines, chain, memory}), resident * block.issue);
    } else {
      double exchange = block.ldsWrite + 2 * target.barrierClocks();
      // All workgroups issue their loads at once, and the memory serves one after another.
      double burst = std::max({block.l1, traffic.l2, traffic.mall, traffic.hbm});
      chain = (latency + burst) / (block.isTwoAhead ? 2 : 1) + exchange + block.decode;
      if (block.buffers == 0)
        chain += block.ldsRead + block.matrix;
      if (block.buffers < 2)
        chain += 2 * target.ldsLatency();
      double lds = resident * (block.ldsWrite + block.ldsRead);
      busy = std::max(lines, addSquares({chain, memory, resident * block.matrix, lds, resident * block.issue}));
      note("matrix", block, resident * block.matrix);
      note("LDS", block, lds);
    }
    note("latency", block, std::max(chain, lines));
    note("issue", block, resident * block.issue);
    note("L1", block, resident * block.l1);
    note("L2", block, traffic.l2);
    note("MALL", block, traffic.mall);
    note("HBM", block, traffic.hbm);
    return busy;
  }

  void note(const char *part, const Block &block, double clocks) { shares[part] += clocks * block.work->rounds; }

  /// The clocks of a block at each level of memory.
  struct Traffic {
    double l2 = 0, mall = 0, hbm = 0;
  };

  Traffic getTraffic(const PhaseWork &phase, double bytes, int64_t active) const {
    double byRow = 0, byColumn = 0, byBoth = 0, common = 0;
    for (const LoadWork &load : phase.loads)
      (load.byRow ? (load.byColumn ? byBoth : byRow) : load.byColumn ? byColumn : common) += load.bytes;
    double xcds = std::min<double>(target.xcds(), active), onXcd = std::ceil(active / xcds);
    // The work items on an XCD form a rectangle; the shape that shares most is taken.
    double distinct = std::numeric_limits<double>::max();
    for (int64_t rows = 1; rows <= std::min<double>(work.rows, onXcd); ++rows) {
      double columns = std::min<double>(work.columns, std::ceil(onXcd / rows));
      if (rows * columns >= std::min<double>(onXcd, work.getWorkItems()))
        distinct = std::min(distinct, rows * byRow + columns * byColumn + rows * columns * byBoth + common);
    }
    double share = double(active) / work.getWorkItems();
    double whole = (work.rows * byRow + work.columns * byColumn + work.getWorkItems() * byBoth) * share + common;
    Traffic traffic;
    traffic.l2 = onXcd * bytes / (target.l2ReadBytesPerClock() * target.l2Channels());
    if (target.mallBytes())
      traffic.mall = distinct * xcds / target.mallReadBandwidth() * clocksPerNs;
    traffic.hbm = whole / target.hbmReadBandwidth() * clocksPerNs;
    return traffic;
  }

  /// The time memory needs to deliver and take each byte once.
  double getMemoryClocks() const {
    double read = 0, written = 0;
    for (const PhaseWork &phase : work.phases) {
      for (const LoadWork &load : phase.loads) {
        double times = (load.byRow ? work.rows : 1) * (load.byColumn ? work.columns : 1);
        read += load.bytes * times * phase.rounds;
      }
      written += phase.storedBytes * phase.rounds * work.getWorkItems();
    }
    return (read / target.hbmReadBandwidth() + written / target.hbmWriteBandwidth() + target.slotTurnaroundNs() +
            target.storeAcknowledgeNs()) *
           clocksPerNs;
  }

  nstf::TargetView target;
  const Costs &costs;
  ArrayRef<nstf::MatrixInstruction> instructions;
  KernelWork work;
  Schedule schedule;
  Schedule::Waves waves;
  int64_t wavesPerSimd = 1;
  double clocksPerNs = 1;
  std::vector<Block> blocks;
  std::map<std::string, double> shares; ///< clocks of all blocks, by the unit that they wait for
  Cost result;
};

} // namespace

Cost CostModel::estimate(const KernelQuery &query) const {
  return Estimate(kernel, target, costs, instructions, query).run();
}
