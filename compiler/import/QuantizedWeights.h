// Linears whose matrices a checkpoint has in codes.
#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/description/GraphExpansion.h"
#include "compiler/description/QuantizationConfig.h"
#include "compiler/quantize/StoredCodes.h"
#include "dialects/nstf/NSTF.h"

namespace nstf::import {

/// A matrix in codes.
struct QuantizedWeight {
  CodeFormat format;
  bool zeros = false;
  StoredCodesAttr stored; ///< null: of a model without files
  /// The inputs that columns of the codes are; empty: one by one. Else the matrix has a plane `order`.
  std::vector<int32_t> order;
};

class QuantizedWeights {
public:
  /// `checkpoint` may be null: then weights have no files.
  QuantizedWeights(const description::QuantizationConfig &config, const checkpoint::Checkpoint *checkpoint,
                   mlir::MLIRContext *context)
      : config(config), checkpoint(checkpoint), context(context) {}

  /// Of the weight of a linear; nothing where it is numbers. Every tensor is there, of its type and shape, or it throws
  /// support::InputError.
  std::optional<QuantizedWeight> find(const description::ExpandedTensor &weight, const std::string &optionalPrefix);
  /// What was found of GPTQ's zeros and is not what the configuration says; empty: all is.
  const std::string &getVersionFault() const { return versionFault; }

private:
  SourceAttr getSource(const checkpoint::Checkpoint::Entry &entry) const;
  std::vector<int32_t> readOrder(const checkpoint::Checkpoint::Entry &groups, const quantize::Format &format) const;
  CodeLayout findVersion(const checkpoint::Checkpoint::Entry &zeros, const quantize::StoredCodes &stored,
                         const description::QuantizedLinear &linear);

  const description::QuantizationConfig &config;
  const checkpoint::Checkpoint *checkpoint;
  mlir::MLIRContext *context;
  std::string versionFault;
};

} // namespace nstf::import
