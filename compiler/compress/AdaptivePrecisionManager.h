// Mixed precision: chooses for each matrix the format that keeps the whole model within a budget, and for each product
// an operand type whose range its numbers fit.
#pragma once

#include "compiler/compress/Cancellation.h"
#include "compiler/compress/PrecisionPlan.h"
#include "compiler/compress/Sensitivity.h"

namespace nstf::compress {

/// The limit for the whole model: its loss, measured on the held-out and on the fitted texts, or its bytes. Exactly one
/// is set.
struct PrecisionBudget {
  std::optional<double> kl, perplexityIncrease; ///< 0.01 is one per cent
  std::optional<uint64_t> bytes;
};

/// The shape and format of a matrix that one row is multiplied with.
struct ProductShape {
  int64_t rows, columns;
  std::string codes; ///< the matrix's format, "int4_g128"; empty: numbers
  support::ElementType operands;

  auto operator<=>(const ProductShape &) const = default;
};

/// The cost that fewer bits reduce.
struct PrecisionCost {
  std::string name = "bytes", unit = "bytes";          ///< in plan.yaml: of the total, and of a number
  std::function<double(const ProductShape &)> predict; ///< predicts a product's time; null: the cost is bytes
};

class AdaptivePrecisionManager {
public:
  /// Called once with a text that says what the search will do and how long it takes.
  using OnEstimate = std::function<void(const std::string &)>;

  /// All arguments must outlive it. Throws std::runtime_error if the calibration has no texts, and for an encoder.
  AdaptivePrecisionManager(mlir::ModuleOp module, const RoundingContext &context, const std::string &weightsHash);

  /// The inputs of a search other than its formats; the identity of a SearchRecord.
  std::string getIdentity() const;
  /// Chooses for each matrix one of these formats, or leaves it unchanged. Throws std::runtime_error if no choice keeps
  /// the budget.
  PrecisionPlan choose(const std::vector<MatrixFormat> &formats, const PrecisionBudget &budget,
                       const PrecisionCost &cost, SensitivityMethod method, SearchRecord &record,
                       const OnEstimate &onEstimate);
  /// Fills in the plan's numbers of tokens and its measured losses.
  void measure(PrecisionPlan &plan);

private:
  /// Texts on which the whole model runs; only positions from `first[i]` on of each text i are measured.
  struct MeasuredTexts {
    calibrate::Texts texts = {};
    std::vector<size_t> first = {};
    std::vector<reference::Tensor> logits = {};
  };
  /// Splits the calibration's texts into fitted and held-out ones, with at most `positions` positions each.
  void split(size_t positions);
  PrecisionPlan::Measured measure(const PrecisionPlan &plan, MeasuredTexts &on);
  /// The operand type of a product, and the reason if it differs from the model's.
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
