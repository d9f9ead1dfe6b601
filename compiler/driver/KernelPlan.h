// The kernels of a target and the launches of each step, read from the IR (nstf.variant).
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

/// What is needed to launch a kernel.
struct LaunchInfo {
  struct Argument {
    enum Kind { Operand, Result, Control, Scratch, Zeros } kind;
    unsigned index = 0;      ///< index of the step's operand or result
    mlir::MemRefType memory; ///< of Scratch and Zeros, which are memory of the launch's own
    std::string name, access;

    /// Whether the memory is the launch's own: nothing outside the launch reads it.
    bool isOwn() const { return kind == Scratch || kind == Zeros; }
  };
  /// What one range of a launch's workgroups computes.
  struct Part {
    systolic::GeometryAttr geometry;
    std::vector<std::pair<std::string, int64_t>> grid; ///< for each axis the extent's parameter, and the tile
    std::map<std::string, int64_t> parameters;         ///< integers only
    std::map<std::string, int64_t> perToken;           ///< rows per token, for extents that grow with a step
    support::Schedule schedule;
    std::string array; ///< as printed
  };
  std::vector<Argument> arguments;
  std::vector<Part> parts;
  int64_t waveSize = 0, waves = 0;
  bool readsTokens = false, readsPosition = false; ///< the kernel reads them from the control block

  /// The largest number of requests that a part serves separately; 1 if no part does.
  int64_t getMaxRequests() const;
  /// Workgroups of a launch in a bucket of up to `tokens` rows.
  int64_t getWorkItems(int64_t tokens) const;
};

/// A compiled kernel. Steps of several buckets may share it.
struct KernelVariant {
  VariantOp op;
  std::string symbol;
  KernelOp region; ///< the model's kernel that it computes
  LaunchInfo launch;
  KernelMetadata metadata; ///< from the code object
  /// The passes' remarks about each part, up to the tile program, if a log was given.
  std::vector<std::vector<PassRemark>> remarks;
};

/// The launches for steps of up to maxTokens rows. kernels[i] is step i's index into the variants.
struct BucketPlan {
  int64_t minTokens = 1, maxTokens = 1;
  std::vector<size_t> kernels;
};

struct KernelPlan {
  std::vector<KernelVariant> variants;
  std::vector<BucketPlan> buckets;
};

/// Reads the variants in a target's module and their buckets, without launches, metadata and remarks. Throws
/// std::runtime_error if a step of the graph has no variant.
KernelPlan readKernelPlan(mlir::ModuleOp target, GraphOp graph);

/// A launch's own memory, before its kernel is lowered.
std::vector<LaunchInfo::Argument> readOwnMemory(VariantOp variant);

/// Reads the launch's facts, which systolic-to-gpu-join-parts and systolic-to-gpu-lower-kernels left on the variant and
/// its parts.
LaunchInfo readLaunchInfo(VariantOp variant);

} // namespace nstf
