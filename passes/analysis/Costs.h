// What work costs on the chip that is compiled for: the one place where the clocks of plans come from. All of them
// follow from the target's fields (dialects/nstf/TargetFields.def), none is a number of its own.
//
// Clocks are core clocks, of one wave of 64 lanes where nothing else is said.
#pragma once

#include "dialects/nstf/Target.h"
#include "mlir/IR/Types.h"
#include "support/LdsPhases.h"

namespace nstf::systolic {

class Costs {
public:
  Costs() = default; ///< of no chip
  explicit Costs(TargetView target);

  // LDS

  /// For which an access of `bytes` a lane (more than 0) holds its port, without conflicts.
  int64_t getLdsPortClocks(support::LdsDirection direction, int64_t bytes) const;
  /// What bank conflicts add to that. `addresses`: bytes, of 64 lanes; `active`: those that take part, a bit each.
  int64_t getLdsConflictClocks(support::LdsDirection direction, int64_t bytes, llvm::ArrayRef<uint32_t> addresses,
                               uint64_t active) const;
  int64_t getLdsPorts() const { return ldsPorts; }
  /// SIMDs that share a port.
  int64_t getSharersOfLdsPort() const { return llvm::divideCeil(simds, ldsPorts); }
  /// In which products go by from an access until what it brings is used.
  int64_t getLdsCoverClocks() const { return ldsCoverClocks; }
  /// Of a barrier, a write and a read that nothing hides.
  int64_t getExchangeClocks() const { return exchangeClocks; }

  // Vector memory: a compute unit's address unit, which its SIMDs share

  /// Lanes whose data, `bytes` each, the address unit takes in the same clock.
  int64_t getLanesTogether(int64_t bytes) const;
  /// Of an instruction, the sum over its clocks' lanes of the lines these touch (1 where they touch none).
  int64_t getAddressClocks(int64_t lines) const;
  /// Of a load of `bytes` a lane to registers: of whole lines, so that what the L1 returns is what takes time.
  int64_t getLoadClocks(int64_t bytes) const;
  /// Of a load of 4 bytes a lane past the registers to the LDS.
  int64_t getStageClocks() const { return stageClocks; }
  int64_t getLineBytes() const { return lineBytes; } ///< of the L1

  // Matrix cores and waves

  int64_t getSimds() const { return simds; } ///< of a compute unit
  int64_t getMatrixPassClocks() const { return matrixPassClocks; }
  /// For which an instruction with A of `type` keeps its matrix core busy. Empty: the chip has none of that shape.
  std::optional<int64_t> getMatrixClocks(int64_t m, int64_t n, int64_t k, int64_t blocks, mlir::Type type) const;
  /// In which products go by beside a barrier.
  int64_t getBarrierCoverClocks() const { return barrierCoverClocks; }

  // Memory

  /// Until a load brings what no cache has.
  int64_t getMemoryLatency() const { return memoryLatency; }
  /// Bytes that a compute unit must have on their way for its share of the memory's bandwidth.
  int64_t getBytesNeeded() const { return bytesNeeded; }

private:
  /// Of an access by its bytes a lane: up to 4, 8, 12, 16.
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
