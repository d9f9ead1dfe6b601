// Precision by layer: of each matrix the format that keeps the whole model within a budget, and of each product the
// type that its numbers fit.
#pragma once

#include "compiler/compress/Cancellation.h"
#include "compiler/compress/PrecisionPlan.h"
#include "compiler/compress/Sensitivity.h"

namespace nstf::compress {

/// What the whole may lose, on what the calibration holds out and on what was fitted, or take. One of them.
struct PrecisionBudget {
  std::optional<double> kl, perplexityIncrease; ///< 0.01: one per cent
  std::optional<uint64_t> bytes;
};

/// A matrix as the product of one row with it sees it.
struct ProductShape {
  int64_t rows, columns;
  std::string codes; ///< its format, "int4_g128"; empty: numbers
  support::ElementType operands;

  auto operator<=>(const ProductShape &) const = default;
};

/// What is saved where matrices get fewer bits.
struct PrecisionCost {
  std::string name = "bytes", unit = "bytes";          ///< in plan.yaml: of the whole, and of a number
  std::function<double(const ProductShape &)> predict; ///< a product's time; none: bytes are the cost
};

class AdaptivePrecisionManager {
public:
  /// Told once what the search is about to do, and how long that takes.
  using OnEstimate = std::function<void(const std::string &)>;

  /// Everything outlives this. Throws std::runtime_error where the calibration has no texts, and for an encoder.
  AdaptivePrecisionManager(mlir::ModuleOp module, const RoundingContext &context, const std::string &weightsHash);

  /// What a search depends on beside its formats: a SearchRecord's identity.
  std::string getIdentity() const;
  /// Each matrix in one of these formats, or left alone. Throws std::runtime_error where no choice keeps the budget.
  PrecisionPlan choose(const std::vector<MatrixFormat> &formats, const PrecisionBudget &budget,
                       const PrecisionCost &cost, SensitivityMethod method, SearchRecord &record,
                       const OnEstimate &onEstimate);
  /// Fills in what the plan is of and loses.
  void measure(PrecisionPlan &plan);

private:
  /// Texts that the whole is run on, and where in each begins what is measured.
  struct MeasuredTexts {
    calibrate::Texts texts = {};
    std::vector<size_t> first = {};
    std::vector<reference::Tensor> logits = {};
  };
  /// The calibration's texts, as many as have so many positions.
  void split(size_t positions);
  PrecisionPlan::Measured measure(const PrecisionPlan &plan, MeasuredTexts &on);
  /// The type of a product's operands, and why where it isn't the others'.
  struct ProductChoice {
    support::ElementType type;
    std::string because;
  };
  ProductChoice chooseProducts(size_t site, const Cancellation &cancellation) const;
  ProductShape getShape(size_t site, const MatrixFormat &format, support::ElementType products) const;

  mlir::ModuleOp module;
  RoundingContext context;
  std::string weightsHash;
  calibrate::TextRunner runner;
  MeasuredTexts fitted, heldOut;
};

} // namespace nstf::compress
