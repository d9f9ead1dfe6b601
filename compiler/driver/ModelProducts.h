// The matrix products of a model as kernels that are compiled alone.
#pragma once

#include "compiler/driver/KernelCommand.h"

#include <string>
#include <vector>

namespace nstf {

/// Products of a model with the same sizes, types and format of codes.
struct ModelProduct {
  KernelRequest request; ///< of `nstfc kernel matmul`, without rows, targets and templates
  int64_t count = 0;     ///< products of the model

  /// "4096 x 4096, bf16, int4_g128"
  std::string str() const;
};

struct ModelProducts {
  std::vector<ModelProduct> products; ///< in the order of the graph
  int64_t pairs = 0;                  ///< kernels of two products, which cannot be compiled alone
  std::vector<int64_t> rows;          ///< the most rows of each bucket of steps that has a tuning space
};

/// Imports the model and forms its kernels; its weights are not read. Emits diagnostics; throws std::runtime_error for
/// wrong options.
mlir::FailureOr<ModelProducts> findProducts(CompileOptions options, mlir::MLIRContext &context);

} // namespace nstf
