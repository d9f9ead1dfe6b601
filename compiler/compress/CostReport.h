// What compression cost: matrix by matrix, and the whole model on texts that didn't calibrate it.
#pragma once

#include "compiler/compress/CompressModel.h"
#include "compiler/compress/StepBytes.h"
#include "nstf/Divergence.h"

namespace nstf::compress {

/// Cosines of an encoder's embeddings, text by text.
struct Likeness {
  double mean = 0, min = 1;
};

struct CostReport {
  std::string format;
  std::vector<MatrixReport> matrices;
  std::string alone; ///< what matrices' KL alone is of; empty: nobody measured it
  std::optional<PrecisionPlan::Measured> onFitted, onHeldOut; ///< the plan's
  std::optional<StepBytes> step, stepBefore;                  ///< of a language model
  std::optional<runtime::Divergence> divergence;              ///< of a language model
  std::optional<Likeness> likeness;                           ///< of an encoder

  uint64_t countBytes() const;
  /// Of an element of the linears.
  double getBits() const;
};

struct JudgeOptions {
  std::optional<uint64_t> randomSeed; ///< of the model's weights
  bool eachMatrix = false;            ///< the KL of each matrix alone, which is a run each
  const Rotation *rotation = nullptr; ///< of the compressed model
};

/// Puts into the graph of a compressed model what its checkpoint says of activations and caches.
void quantizeValues(mlir::ModuleOp compressed);

/// What decoding reads of a language model and of the compressed one, whose values are quantised.
void countSteps(mlir::ModuleOp model, mlir::ModuleOp compressed, CostReport &report);

/// Fills in what a plan says of the whole, and what a search has measured of each matrix alone.
void addMeasured(const PrecisionPlan &plan, CostReport &report);
void addLosses(const PrecisionPlan &plan, CostReport &report);

/// Precondition: the compressed model's values are quantised. Runs the model, the compressed one, and where it is asked
/// for the model with each matrix alone as the compressed one has it. A matrix whose inputs or outputs
/// were scaled or rotated has that taken back: what is compared is what both mean.
void judgeModel(mlir::ModuleOp model, mlir::ModuleOp compressed, const calibrate::Texts &texts,
                const JudgeOptions &options, CostReport &report);

nlohmann::ordered_json describeJson(const CostReport &report);
std::string describeTable(const CostReport &report);

} // namespace nstf::compress
