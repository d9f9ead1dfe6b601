// The cost of compression: for each matrix, and for the whole model on texts that were not used for calibration.
#pragma once

#include "compiler/compress/CompressModel.h"
#include "compiler/compress/StepBytes.h"
#include "nstf/Divergence.h"

namespace nstf::compress {

/// Cosine similarity of an encoder's embeddings over the texts.
struct Likeness {
  double mean = 0, min = 1;
};

struct CostReport {
  std::string format;
  std::vector<MatrixReport> matrices;
  std::string alone; ///< what each matrix's own KL measures; empty: not measured
  std::optional<PrecisionPlan::Measured> onFitted, onHeldOut; ///< from the plan
  std::optional<StepBytes> step, stepBefore;                  ///< for a language model
  std::optional<runtime::Divergence> divergence;              ///< for a language model
  std::optional<Likeness> likeness;                           ///< for an encoder

  uint64_t countBytes() const;
  /// Bits per element of the linears.
  double getBits() const;
};

struct JudgeOptions {
  std::optional<uint64_t> randomSeed; ///< of the model's weights
  bool eachMatrix = false;            ///< measure the KL of each matrix alone, one run each
  const Rotation *rotation = nullptr; ///< of the compressed model
};

/// Applies the compressed checkpoint's code types of activations and caches to its graph.
void quantizeValues(mlir::ModuleOp compressed);

/// Counts the bytes that decoding reads, for the model and for the compressed model. Precondition:
/// quantizeValues(compressed).
void countSteps(mlir::ModuleOp model, mlir::ModuleOp compressed, CostReport &report);

/// addMeasured adds the plan's losses of the whole compressed model to the report; addLosses adds the loss of each
/// matrix when only this matrix is compressed, which a search has left in the plan.
void addMeasured(const PrecisionPlan &plan, CostReport &report);
void addLosses(const PrecisionPlan &plan, CostReport &report);

/// Runs the model and the compressed model and, if `eachMatrix` is set, the model with each compressed matrix alone.
/// Scaling and rotation of a compressed matrix are undone before it is compared. Precondition: the compressed model's
/// values are quantised.
void judgeModel(mlir::ModuleOp model, mlir::ModuleOp compressed, const calibrate::Texts &texts,
                const JudgeOptions &options, CostReport &report);

nlohmann::ordered_json describeJson(const CostReport &report);
std::string describeTable(const CostReport &report);

} // namespace nstf::compress
