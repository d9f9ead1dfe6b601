// The numbers of a site's matrix, scaled, and the codes that they become.
#pragma once

#include "compiler/compress/ChannelScales.h"
#include "compiler/compress/MatrixReport.h"

namespace nstf::compress {

class MatrixRounder {
public:
  /// Everything outlives this; `calibration` may be null for Rounding::Nearest.
  MatrixRounder(const calibrate::LinearSites &found, const calibrate::Calibration *calibration,
                reference::WeightReader &reader, const ChannelScales &scales, Rounding rounding)
      : found(found), calibration(calibration), reader(reader), scales(scales), rounding(rounding) {}

  /// What codes of the input's sites make up for one another with; nothing where no sums of inputs are known.
  std::optional<quantize::Gptq> factorInputs(size_t input) const;

  /// The numbers, scaled, of a part of the rows.
  Eigen::MatrixXd readRows(size_t site, int64_t first, int64_t count) const;

  /// Told of rows, from several threads; rows that share a word of zeros are told together.
  using Take = llvm::function_ref<void(int64_t first, llvm::ArrayRef<quantize::CodedRow> rows)>;
  /// Precondition: the site's format has codes. Throws std::runtime_error for numbers that it can't hold.
  RoundingErrors round(size_t site, const quantize::Gptq *gptq, Take take) const;

  /// What the site's matrix means when it is rounded to its format, without the scales.
  std::shared_ptr<const reference::Tensor> decode(size_t site, const quantize::Gptq *gptq) const;

private:
  Eigen::MatrixXd scaleRows(size_t site, const reference::Tensor &weight, int64_t first, int64_t count) const;
  std::vector<quantize::CodedRow> round(const quantize::Format &format, const Eigen::MatrixXd &rows,
                                        const quantize::Gptq *gptq) const;

  const calibrate::LinearSites &found;
  const calibrate::Calibration *calibration;
  reference::WeightReader &reader;
  const ChannelScales &scales;
  Rounding rounding;
};

} // namespace nstf::compress
