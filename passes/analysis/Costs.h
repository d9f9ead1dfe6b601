// The costs of work on the target chip: the only source of clocks for plans. All of them follow from the target's
// fields (dialects/nstf/TargetFields.def); none is a constant here.
//
// Clocks are core clocks, for one wave of 64 lanes unless stated otherwise.
#pragma once

#include "dialects/nstf/Target.h"
#include "mlir/IR/Types.h"
#include "support/LdsPhases.h"

namespace nstf::systolic {

class Costs {
public:
  Costs() = default; ///< without a chip
  explicit Costs(TargetView target);

  // LDS

  /// Clocks for which an access of `bytes` in each lane (more than 0) occupies its port, without conflicts.
  int64_t getLdsPortClocks(support::LdsDirection direction, int64_t bytes) const;
  /// Additional clocks of bank conflicts. `addresses`: in bytes, of 64 lanes; `active`: a bit for each participating
  /// lane.
  int64_t getLdsConflictClocks(support::LdsDirection direction, int64_t bytes, llvm::ArrayRef<uint32_t> addresses,
                               uint64_t active) const;
  int64_t getLdsPorts() const { return ldsPorts; }
  /// Number of SIMDs that share a port.
  int64_t getSharersOfLdsPort() const { return llvm::divideCeil(simds, ldsPorts); }
  /// Clocks of products that cover the latency of an LDS access until its data is used.
  int64_t getLdsCoverClocks() const { return ldsCoverClocks; }
  /// Clocks of a barrier, a write and a read, with nothing to hide them.
  int64_t getExchangeClocks() const { return exchangeClocks; }

  // Vector memory: the address unit of a compute unit, which its SIMDs share

  /// Number of lanes whose data, `bytes` each, the address unit processes in one clock.
  int64_t getLanesTogether(int64_t bytes) const;
  /// Clocks of an instruction. `lines` is the sum over its clocks of the cache lines that the lanes of the clock touch
  /// (at least 1).
  int64_t getAddressClocks(int64_t lines) const;
  /// Clocks of a load of `bytes` in each lane to registers, of whole cache lines, limited by the return bandwidth of
  /// the L1.
  int64_t getLoadClocks(int64_t bytes) const;
  /// Clocks of a load of 4 bytes in each lane directly to LDS.
  int64_t getStageClocks() const { return stageClocks; }
  int64_t getLineBytes() const { return lineBytes; } ///< of the L1

  // Matrix cores and waves

  int64_t getSimds() const { return simds; } ///< of a compute unit
  int64_t getMatrixPassClocks() const { return matrixPassClocks; }
  /// Clocks for which an instruction with A of `type` keeps its matrix core busy; nullopt if the chip has none of that
  /// shape.
  std::optional<int64_t> getMatrixClocks(int64_t m, int64_t n, int64_t k, int64_t blocks, mlir::Type type) const;
  /// Clocks of products that cover a barrier.
  int64_t getBarrierCoverClocks() const { return barrierCoverClocks; }

  // Memory

  /// Clocks until a load that misses all caches returns.
  int64_t getMemoryLatency() const { return memoryLatency; }
  /// Bytes that a compute unit must have in flight to use its share of the memory bandwidth.
  int64_t getBytesNeeded() const { return bytesNeeded; }

private:
  /// Clocks of an access with up to 4, 8, 12 and 16 bytes in each lane.
  using ByWidth = std::array<int64_t, 4>;

  int64_t simds = 1, lineBytes = 0;
  int64_t ldsBanks = 1, ldsPorts = 1, ldsConflictClocks = 0, ldsCoverClocks = 0, exchangeClocks = 0;
  ByWidth ldsReadClocks = {}, ldsWriteClocks = {};
  int64_t issueClocks = 0, lanesPerClock = 1, bytesPerClock = 4, linesPerClock = 1, l1BytesPerClock = 1;
  int64_t stageClocks = 0, matrixPassClocks = 0, barrierCoverClocks = 0;
  int64_t memoryLatency = 0, bytesNeeded = 0;
  llvm::SmallVector<MatrixInstruction> instructions;
};

} // namespace nstf::systolic
