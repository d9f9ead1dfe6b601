// The kernels of a target and which step launches which of them, read from the IR (nstf.variant).
#pragma once

#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Remarks.h"
#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Schedule.h"

#include <map>
#include <string>
#include <vector>

namespace nstf {

/// What launching a kernel takes.
struct LaunchInfo {
  struct Argument {
    enum Kind { Operand, Result, Control, Scratch, Zeros } kind;
    unsigned index = 0;      ///< of the step's operand or result
    mlir::MemRefType memory; ///< of Scratch and Zeros, the launch's own
    std::string name, access;

    /// Whether it is the launch's own, which nothing outside it reads.
    bool isOwn() const { return kind == Scratch || kind == Zeros; }
  };
  /// What a share of the workgroups computes.
  struct Part {
    systolic::GeometryAttr geometry;
    std::vector<std::pair<std::string, int64_t>> grid; ///< of each axis the extent, a parameter, and the tile
    std::map<std::string, int64_t> parameters;         ///< whole numbers
    std::map<std::string, int64_t> perToken;           ///< rows for each token of the extents that grow with a step
    support::Schedule schedule;
    std::string array; ///< as printed
  };
  std::vector<Argument> arguments;
  std::vector<Part> parts;
  int64_t waveSize = 0, waves = 0;
  bool readsTokens = false, readsPosition = false; ///< from the control block

  /// Requests that a part of it serves each by itself, 1 where none does.
  int64_t getMaxRequests() const;
  /// Workgroups of a launch in a bucket of up to `tokens` rows.
  int64_t getWorkItems(int64_t tokens) const;
};

/// A kernel as it was compiled. Steps of several buckets may share it.
struct KernelVariant {
  VariantOp op;
  std::string symbol;
  KernelOp region; ///< what it computes: the model's kernel
  LaunchInfo launch;
  KernelMetadata metadata; ///< of the code object
  /// What the passes said of each part up to the tile program, where a log was asked for.
  std::vector<std::vector<PassRemark>> remarks;
};

/// The steps of up to maxTokens rows; kernels[i] is step i's index into the variants.
struct BucketPlan {
  int64_t minTokens = 1, maxTokens = 1;
  std::vector<size_t> kernels;
};

struct KernelPlan {
  std::vector<KernelVariant> variants;
  std::vector<BucketPlan> buckets;
};

/// The variants in a target's module and the buckets they are for; without launches, metadata and remarks. Throws
/// std::runtime_error where a step of the graph has no variant.
KernelPlan readKernelPlan(mlir::ModuleOp target, GraphOp graph);

/// What a launch has for itself, before its kernel is lowered.
std::vector<LaunchInfo::Argument> readOwnMemory(VariantOp variant);

/// What a launch takes, which systolic-to-gpu-join-parts and systolic-to-gpu-lower-kernels left on the variant and its
/// parts.
LaunchInfo readLaunchInfo(VariantOp variant);

} // namespace nstf
