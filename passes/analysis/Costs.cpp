#include "passes/analysis/Costs.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::LdsDirection;

/// The lanes of a wave and the dword of vector memory and LDS instructions.
static constexpr int64_t waveLanes = 64;
static constexpr int64_t dwordBytes = 4;

static_assert(nstf::TargetView::maxLdsBanks == nstf::support::maxLdsBanks);

Costs::Costs(TargetView target)
    : simds(target.simdsPerComputeUnit()), lineBytes(target.l1LineBytes()), ldsBanks(target.ldsBanks()),
      ldsPorts(target.ldsPorts()), ldsConflictClocks(target.ldsConflictClocks()),
      ldsCoverClocks(target.ldsCoverClocks()), exchangeClocks(target.exchangeClocks()),
      ldsReadClocks{target.ldsReadClocksB32(), target.ldsReadClocksB64(), target.ldsReadClocksB96(),
                    target.ldsReadClocksB128()},
      ldsWriteClocks{target.ldsWriteClocksB32(), target.ldsWriteClocksB64(), target.ldsWriteClocksB96(),
                     target.ldsWriteClocksB128()},
      issueClocks(target.vmemIssueClocks()), lanesPerClock(target.vmemLanesPerClock()),
      bytesPerClock(target.vmemBytesPerClock()), linesPerClock(target.vmemLinesPerClock()),
      l1BytesPerClock(target.l1BytesPerClock()), stageClocks(target.ldsDmaClocks()),
      matrixPassClocks(target.matrixPassClocks()), barrierCoverClocks(target.barrierCoverClocks()),
      memoryLatency(target.l2Latency() + (target.mallLatencyNs() + target.hbmLatencyNs()) * target.peakClock() / 1000),
      bytesNeeded(memoryLatency * target.hbmReadBandwidth() * 1000 / (target.peakClock() * target.computeUnits())),
      instructions(target.matrixInstructions()) {}

int64_t Costs::getLdsPortClocks(LdsDirection direction, int64_t bytes) const {
  const ByWidth &clocks = direction == LdsDirection::Read ? ldsReadClocks : ldsWriteClocks;
  return clocks[std::min<int64_t>((bytes - 1) / dwordBytes, clocks.size() - 1)];
}

int64_t Costs::getLdsConflictClocks(LdsDirection direction, int64_t bytes, ArrayRef<uint32_t> addresses,
                                    uint64_t active) const {
  return ldsConflictClocks * support::ldsConflictClocks(direction, bytes, addresses, active, ldsBanks);
}

int64_t Costs::getLanesTogether(int64_t bytes) const {
  const int64_t lanes = bytesPerClock / int64_t(llvm::PowerOf2Ceil(std::max(bytes, dwordBytes)));
  return std::clamp<int64_t>(lanes, 1, std::min(lanesPerClock, waveLanes));
}

int64_t Costs::getAddressClocks(int64_t lines) const {
  return std::max<int64_t>(llvm::divideCeil(lines, linesPerClock), issueClocks);
}

int64_t Costs::getLoadClocks(int64_t bytes) const {
  return std::max<int64_t>(llvm::divideCeil(waveLanes * bytes, l1BytesPerClock), issueClocks);
}

std::optional<int64_t> Costs::getMatrixClocks(int64_t m, int64_t n, int64_t k, int64_t blocks, Type type) const {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  for (const MatrixInstruction &one : instructions)
    if (one.m == m && one.n == n && one.k == k && one.blocks == blocks && one.a == name)
      return one.passes * matrixPassClocks;
  return std::nullopt;
}
