// What a planned loop takes of a compute unit: registers, LDS, the lines of the L1, time.
#pragma once

#include "dialects/nstf/Target.h"
#include "passes/analysis/Costs.h"
#include "passes/analysis/Loops.h"

namespace nstf::systolic {

class LoopResources {
public:
  /// Precondition: the kernel has its array and wave size.
  LoopResources(KernelOp kernel, nstf::TargetView target) : kernel(kernel), target(target), costs(target) {}

  /// Of a lane, with one workgroup on a compute unit.
  int64_t getRegisterLimit() const;
  /// A lane's, by what is planned: sums, operands, what is on its way and addresses.
  int64_t countRegisters(const ProductLoop &product, PlanAttr plan) const;
  int64_t getLdsLimit() const { return target.ldsBytes(); }
  /// The kernel's, with the scratch that it will have.
  int64_t countLdsBytes(const ProductLoop &product, PlanAttr plan) const;
  /// What a block takes of LDS.
  static int64_t countBlockBytes(const ProductLoop &product);
  /// Of a compute unit, at most: what waits in registers for its buffer, and what goes past them.
  static int64_t countBytesInFlight(const ProductLoop &product, PlanAttr plan);
  /// Steps of a cell along K that a block's products are made in; 0 where they are no whole number.
  int64_t countSteps(const ProductLoop &product) const;
  /// For which a block keeps the matrix core of a SIMD busy.
  int64_t getBlockClocks(const ProductLoop &product) const;
  int64_t getWavesPerSimd() const;
  const Costs &getCosts() const { return costs; }

private:
  KernelOp kernel;
  nstf::TargetView target;
  Costs costs;
};

/// A lane's registers of 32 bits that hold a tile.
int64_t countRegisters(mlir::Type tile);

} // namespace nstf::systolic
