#include "compiler/compress/MatrixRounder.h"

#include "compiler/calibrate/FiniteWeights.h"
#include "support/Escape.h"

#include <stdexcept>
#include <tbb/parallel_for.h>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::optional<quantize::Gptq> MatrixRounder::factorInputs(size_t input) const {
  if (!calibration || calibration->isDiagonal())
    return std::nullopt;
  MatrixXd sums = calibration->getSums(found.inputs[input]);
  // Of inputs that were divided by the scales.
  if (const VectorXd &columns = scales.getColumns(input); columns.size())
    quantize::scaleInputs(columns, sums);
  return quantize::Gptq(std::move(sums));
}

MatrixXd MatrixRounder::scaleRows(size_t site, const reference::Tensor &weight, int64_t first, int64_t count) const {
  MatrixXd numbers = weight.values.middleRows(first, count);
  if (const VectorXd &columns = scales.getColumns(found.sites[site].input); columns.size())
    numbers *= columns.asDiagonal();
  if (const VectorXd &rows = scales.getRows(site); rows.size())
    numbers = rows.segment(first, count).asDiagonal() * numbers;
  return numbers;
}

MatrixXd MatrixRounder::readRows(size_t site, int64_t first, int64_t count) const {
  return scaleRows(site, *readFinite(reader, found.sites[site].weight), first, count);
}

RoundingErrors MatrixRounder::round(size_t site, const quantize::Gptq *gptq, Take take) const {
  const std::shared_ptr<reference::Tensor> weight = readFinite(reader, found.sites[site].weight);
  const int64_t rows = found.sites[site].getRows();
  const quantize::Format format = scales.getCodes(site);
  constexpr int64_t step = 64; // rows that share a word of zeros are of one step
  std::vector<RoundingErrors> errors((rows + step - 1) / step);
  std::vector<std::string> faults(errors.size());
  tbb::parallel_for(size_t(0), errors.size(), [&](size_t part) {
    int64_t first = int64_t(part) * step, count = std::min(step, rows - first);
    MatrixXd numbers = scaleRows(site, *weight, first, count);
    try {
      std::vector<quantize::CodedRow> coded = round(format, numbers, gptq);
      take(first, coded);
      errors[part] = measureRounding(format, numbers, coded, gptq);
    } catch (const std::runtime_error &error) {
      faults[part] = "weight '" + support::escape(WeightOp(found.sites[site].weight).getSymName().str()) +
                     "', of rows " + std::to_string(first) + " to " + std::to_string(first + count - 1) + ": " +
                     error.what();
    }
  });
  RoundingErrors sum;
  for (size_t part = 0; part < errors.size(); ++part) {
    if (!faults[part].empty())
      throw std::runtime_error(faults[part]);
    sum.add(errors[part]);
  }
  return sum;
}

std::shared_ptr<const reference::Tensor> MatrixRounder::decode(size_t site, const quantize::Gptq *gptq) const {
  const LinearSite &at = found.sites[site];
  auto decoded = std::make_shared<reference::Tensor>(std::vector<int64_t>{at.getRows(), at.getColumns()});
  if (scales.getFormat(site).codes) {
    quantize::Format format = scales.getCodes(site);
    round(site, gptq, [&](int64_t first, ArrayRef<quantize::CodedRow> rows) {
      for (auto [i, row] : llvm::enumerate(rows)) {
        std::vector<double> numbers = quantize::decodeRow(format, row);
        decoded->values.row(first + int64_t(i)) = VectorXd::Map(numbers.data(), at.getColumns()).transpose();
      }
    });
  } else {
    decoded->values = readRows(site, 0, at.getRows());
    roundTo(scales.getFormat(site).numbers, {decoded->data(), size_t(decoded->size())});
  }
  if (const VectorXd &rows = scales.getRows(site); rows.size())
    decoded->values = rows.cwiseInverse().asDiagonal() * decoded->values;
  if (const VectorXd &columns = scales.getColumns(at.input); columns.size())
    decoded->values *= columns.cwiseInverse().asDiagonal();
  return decoded;
}

std::vector<quantize::CodedRow> MatrixRounder::round(const quantize::Format &format, const MatrixXd &rows,
                                                     const quantize::Gptq *gptq) const {
  if (gptq && rounding == Rounding::Gptq)
    return gptq->round(format, rows, quantize::Clipping::SquaredError);
  // Without a calibration the codes are those that nstf-quantize-weights gives.
  auto clipping = calibration ? quantize::Clipping::SquaredError : quantize::Clipping::None;
  std::vector<quantize::CodedRow> coded;
  std::vector<double> row(rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i) {
    VectorXd::Map(row.data(), rows.cols()) = rows.row(i).transpose();
    coded.push_back(quantize::roundToNearest(format, row, clipping));
  }
  return coded;
}
