#include "compiler/compress/MatrixRounder.h"

#include "compiler/compress/Rotation.h"
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
  if (!context.calibration || context.calibration->isDiagonal())
    return std::nullopt;
  MatrixXd sums = context.calibration->getSums(context.found.inputs[input]);
  if (context.rotation)
    context.rotation->applySums(input, sums);
  // The inputs were divided by the scales.
  if (const VectorXd &columns = scales.getColumns(input); columns.size())
    quantize::scaleInputs(columns, sums);
  return quantize::Gptq(std::move(sums));
}

MatrixXd MatrixRounder::scaleRows(size_t site, const reference::Tensor &weight, int64_t first, int64_t count) const {
  MatrixXd numbers = weight.values.middleRows(first, count);
  if (const VectorXd &columns = scales.getColumns(context.found.sites[site].input); columns.size())
    numbers *= columns.asDiagonal();
  if (const VectorXd &rows = scales.getRows(site); rows.size())
    numbers = rows.segment(first, count).asDiagonal() * numbers;
  return numbers;
}

MatrixXd MatrixRounder::readMatrix(size_t site) const {
  return scaleRows(site, *context.readMatrix(site), 0, context.found.sites[site].getRows());
}

RoundingErrors MatrixRounder::round(size_t site, const quantize::Gptq *gptq, Take take) const {
  const std::shared_ptr<const reference::Tensor> weight = context.readMatrix(site);
  const int64_t rows = context.found.sites[site].getRows();
  const quantize::Format format = scales.getCodes(site);
  // Rows that share scales or a word of zeros are processed in one step. Grids that all rows share are chosen first.
  const int64_t shared = scales.getFormat(site).scaleRows, step = std::max<int64_t>(64, shared);
  std::vector<quantize::Grid> ofAll;
  if (shared == 0)
    ofAll = chooseShared(site, scaleRows(site, *weight, 0, rows));
  std::vector<RoundingErrors> errors((rows + step - 1) / step);
  std::vector<std::string> faults(errors.size());
  tbb::parallel_for(size_t(0), errors.size(), [&](size_t part) {
    int64_t first = int64_t(part) * step, count = std::min(step, rows - first);
    MatrixXd numbers = scaleRows(site, *weight, first, count);
    try {
      std::vector<quantize::CodedRow> coded =
          round(format, numbers, gptq, shared > 1 ? chooseShared(site, numbers) : ofAll);
      take(first, coded);
      errors[part] = measureRounding(format, numbers, coded, gptq);
    } catch (const std::runtime_error &error) {
      faults[part] = "weight '" + support::escape(WeightOp(context.found.sites[site].weight).getSymName().str()) +
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
  const LinearSite &at = context.found.sites[site];
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
    decoded->values = readMatrix(site);
    roundTo(scales.getFormat(site).numbers, {decoded->data(), size_t(decoded->size())});
  }
  if (const VectorXd &rows = scales.getRows(site); rows.size())
    decoded->values = rows.cwiseInverse().asDiagonal() * decoded->values;
  if (const VectorXd &columns = scales.getColumns(at.input); columns.size())
    decoded->values *= columns.cwiseInverse().asDiagonal();
  if (context.rotation)
    context.rotation->undo(site, decoded->values);
  return decoded;
}

quantize::Clipping MatrixRounder::getClipping() const {
  // Without a calibration the codes equal those of nstf-quantize-weights.
  return context.calibration ? quantize::Clipping::SquaredError : quantize::Clipping::None;
}

/// Chooses the grids that several rows share.
std::vector<quantize::Grid> MatrixRounder::chooseShared(size_t site, const MatrixXd &rows) const {
  const reference::Matrix inRows = rows; // row-major
  return quantize::chooseGrids(scales.getCodes(site), {inRows.data(), size_t(inRows.size())}, getClipping());
}

std::vector<quantize::CodedRow> MatrixRounder::round(const quantize::Format &format, const MatrixXd &rows,
                                                     const quantize::Gptq *gptq,
                                                     std::span<const quantize::Grid> shared) const {
  if (gptq && context.rounding == Rounding::Gptq)
    return gptq->round(format, rows, getClipping(), shared);
  std::vector<quantize::CodedRow> coded;
  std::vector<double> row(rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i) {
    VectorXd::Map(row.data(), rows.cols()) = rows.row(i).transpose();
    coded.push_back(shared.empty() ? quantize::roundToNearest(format, row, getClipping())
                                   : quantize::roundToNearest(format, row, shared));
  }
  return coded;
}
