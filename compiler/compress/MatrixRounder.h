// The numbers of a site's matrix, scaled, and the codes that they become.
#pragma once

#include "compiler/compress/ChannelScales.h"
#include "compiler/compress/MatrixReport.h"

namespace nstf::compress {

class MatrixRounder {
public:
  /// The scales outlive this.
  MatrixRounder(const RoundingContext &context, const ChannelScales &scales) : context(context), scales(scales) {}

  /// What codes of the input's sites make up for one another with; nothing where no sums of inputs are known.
  std::optional<quantize::Gptq> factorInputs(size_t input) const;

  /// The numbers, rotated and scaled.
  Eigen::MatrixXd readMatrix(size_t site) const;

  /// Told of rows, from several threads; rows that share a word of zeros are told together.
  using Take = llvm::function_ref<void(int64_t first, llvm::ArrayRef<quantize::CodedRow> rows)>;
  /// Precondition: the site's format has codes. Throws std::runtime_error for numbers that it can't hold.
  RoundingErrors round(size_t site, const quantize::Gptq *gptq, Take take) const;

  /// What the site's matrix means when it is rounded to its format, without scales and rotation.
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
