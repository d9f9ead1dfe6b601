// From kernel regions to tile programs to gpu.modules: each variant of a kernel is a module of its own, so that they
// build side by side and their symbols never meet.
#pragma once

#include "compiler/catalog/Catalog.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Remarks.h"
#include "compiler/driver/Reproducer.h"
#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <array>
#include <optional>
#include <vector>

namespace nstf {

/// What launching a kernel takes, read from its tile program.
struct LaunchInfo {
  struct Argument {
    enum Kind { Operand, Result, Control } kind;
    unsigned index = 0; ///< of the step's operand or result
    std::string name, access;
  };
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, int64_t>> grid; ///< of each axis the extent, a parameter, and the tile
  std::map<std::string, int64_t> parameters;         ///< whole numbers
  std::map<std::string, int64_t> perToken;           ///< rows for each token of the extents that grow with a step
  int64_t waveSize = 0, waves = 0;
  std::string array;                               ///< as printed
  bool readsTokens = false, readsPosition = false; ///< from the control block

  /// Workgroups of a launch in a bucket of up to `tokens` rows.
  int64_t getWorkItems(int64_t tokens) const;
};

/// A kernel as it is compiled: a region with a template and parameters. Steps of several buckets may share it.
struct KernelVariant {
  std::string symbol;
  KernelOp region;
  KernelChoice choice;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< at the level it has been built to
  Reproducer reproducer;                    ///< from the module's first level on
  LaunchInfo launch;
  KernelMetadata metadata;         ///< after code generation
  std::vector<PassRemark> remarks; ///< what the passes said up to the tile program, where a log was asked for
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

/// What a user may ask of a plan beyond what follows from the model.
struct PlanWishes {
  bool oneBucket = false;                ///< one kernel for every number of rows, chosen for the most
  std::string symbol;                    ///< of a plan with one kernel; empty: <region>_t<rows>
  std::map<std::string, int64_t> tuning; ///< parameters over the catalog's
  std::string templates;                 ///< folder of kernels and tuning of one's own; empty: none
};

/// The kernels and tuning to choose from. Throws std::runtime_error where the folder is none.
TemplateFiles getTemplateFiles(const PlanWishes &wishes);

/// The token ranges kernels are made for: 1, 2-16, 17-64 and the rest; one bucket where no dimension is dynamic.
std::vector<BucketPlan> makeBuckets(GraphOp graph, int64_t maxTokens,
                                    const TemplateFiles &files = TemplateFiles::getShipped());

/// Chooses a template for every step of every bucket and puts each distinct choice into a module with its template.
/// Emits an error where a region has no template; throws std::runtime_error on faults of the templates.
mlir::FailureOr<KernelPlan> planKernels(mlir::ModuleOp model, GraphOp graph, const Target &target,
                                        const PlanWishes &wishes = {});

/// Runs a pipeline on every variant's module, on the context's threads. `progress` is called after each.
mlir::LogicalResult runOnVariants(KernelPlan &plan, llvm::function_ref<mlir::LogicalResult(KernelVariant &)> run);

/// Reads what a launch takes from a tile program; before it is lowered.
LaunchInfo readLaunchInfo(systolic::KernelOp kernel);

} // namespace nstf
