// The resources of a compute unit that a planned loop uses: registers, LDS, L1 lines, time.
#pragma once

#include "dialects/nstf/Target.h"
#include "passes/analysis/Costs.h"
#include "passes/analysis/Loops.h"

namespace nstf::systolic {

class LoopResources {
public:
  /// Precondition: the kernel has its array and wave size.
  LoopResources(KernelOp kernel, nstf::TargetView target) : kernel(kernel), target(target), costs(target) {}

  /// Registers of a lane, with one workgroup on a compute unit.
  int64_t getRegisterLimit() const;
  /// Registers of a lane that the plan uses: sums, operands, tiles in flight and addresses.
  int64_t countRegisters(const ProductLoop &product, PlanAttr plan) const;
  int64_t getLdsLimit() const { return target.ldsBytes(); }
  /// LDS bytes of the kernel, including its future scratch.
  int64_t countLdsBytes(const ProductLoop &product, PlanAttr plan) const;
  /// LDS bytes of a block.
  static int64_t countBlockBytes(const ProductLoop &product);
  /// Upper bound for the bytes in flight of a compute unit: tiles that wait in registers for their buffer, and tiles
  /// that bypass the registers.
  static int64_t countBytesInFlight(const ProductLoop &product, PlanAttr plan);
  /// The number of steps of one cell along K that make up a block's products; 0 if it is not an integer.
  int64_t countSteps(const ProductLoop &product) const;
  /// Clocks for which a block keeps the matrix core of a SIMD busy.
  int64_t getBlockClocks(const ProductLoop &product) const;
  int64_t getWavesPerSimd() const;
  const Costs &getCosts() const { return costs; }

private:
  KernelOp kernel;
  nstf::TargetView target;
  Costs costs;
};

/// The 32-bit registers of a lane that hold a tile.
int64_t countRegisters(mlir::Type tile);

} // namespace nstf::systolic
