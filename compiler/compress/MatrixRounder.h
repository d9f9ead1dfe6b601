// Reads a site's matrix, scales it, and rounds it to codes.
#pragma once

#include "compiler/compress/ChannelScales.h"
#include "compiler/compress/MatrixReport.h"

namespace nstf::compress {

class MatrixRounder {
public:
  /// `scales` must outlive it.
  MatrixRounder(const RoundingContext &context, const ChannelScales &scales) : context(context), scales(scales) {}

  /// GPTQ's factor for an input's sites, with which codes compensate each other's rounding; nothing without sums of
  /// inputs.
  std::optional<quantize::Gptq> factorInputs(size_t input) const;

  /// The numbers of the site's matrix, rotated and scaled.
  Eigen::MatrixXd readMatrix(size_t site) const;

  /// Called with coded rows, from several threads. Rows that share a word of zeros come in one call.
  using Take = llvm::function_ref<void(int64_t first, llvm::ArrayRef<quantize::CodedRow> rows)>;
  /// Precondition: the site's format has codes. Throws std::runtime_error for numbers that the format can't hold.
  RoundingErrors round(size_t site, const quantize::Gptq *gptq, Take take) const;

  /// The site's matrix rounded to its format and decoded, with scales and rotation undone.
  std::shared_ptr<const reference::Tensor> decode(size_t site, const quantize::Gptq *gptq) const;

private:
  Eigen::MatrixXd scaleRows(size_t site, const reference::Tensor &weight, int64_t first, int64_t count) const;
  std::vector<quantize::CodedRow> round(const quantize::Format &format, const Eigen::MatrixXd &rows,
                                        const quantize::Gptq *gptq, std::span<const quantize::Grid> shared) const;
  quantize::Clipping getClipping() const;
  std::vector<quantize::Grid> chooseShared(size_t site, const Eigen::MatrixXd &rows) const;

  RoundingContext context;
  const ChannelScales &scales;
};

} // namespace nstf::compress
