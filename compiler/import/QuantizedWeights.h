// Linears whose matrices a checkpoint stores as codes.
#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/description/GraphExpansion.h"
#include "compiler/description/QuantizationConfig.h"
#include "compiler/quantize/StoredCodes.h"
#include "dialects/nstf/NSTF.h"

namespace nstf::import {

/// A matrix stored as codes.
struct QuantizedWeight {
  CodeFormat format;
  bool zeros = false;
  StoredCodesAttr stored; ///< null: the model has no files
  /// The input of each column of the codes; empty: column k is input k. Otherwise the matrix has a plane `order`.
  std::vector<int32_t> order;
};

class QuantizedWeights {
public:
  /// `checkpoint` may be null: then weights have no files.
  QuantizedWeights(const description::QuantizationConfig &config, const checkpoint::Checkpoint *checkpoint,
                   mlir::MLIRContext *context)
      : config(config), checkpoint(checkpoint), context(context) {}

  /// The codes of a linear's weight; nothing if it is numbers. Throws support::InputError if a tensor is missing or has
  /// a wrong type or shape.
  std::optional<QuantizedWeight> find(const description::ExpandedTensor &weight, const std::string &optionalPrefix);
  /// A note if GPTQ's stored zeros differ from the format that the configuration names; else empty.
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
