#include "compiler/quantize/Gptq.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

using namespace nstf::quantize;
using Eigen::MatrixXd;

/// Permutes rows and columns of a symmetric matrix into `order`. Only the lower triangle is used.
static void permute(MatrixXd &matrix, std::vector<int> order) {
  matrix.triangularView<Eigen::StrictlyUpper>() = matrix.transpose();
  Eigen::Map<Eigen::VectorXi> indices(order.data(), int64_t(order.size()));
  Eigen::PermutationMatrix<Eigen::Dynamic> to(indices);
  // In place, cycle by cycle: a second matrix would be the largest object in memory.
  matrix = to.transpose() * matrix;
  matrix = matrix * to;
}

Gptq::Gptq(MatrixXd inputs, double damping) : order(inputs.cols()), unused(inputs.cols()), factor(std::move(inputs)) {
  Eigen::VectorXd diagonal = factor.diagonal();
  if (!diagonal.allFinite())
    throw std::runtime_error("expected finite sums of inputs but got others");
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int column) { return diagonal[column]; });
  added = damping * diagonal.mean();
  for (int64_t i = 0; i < diagonal.size(); ++i) {
    unused[i] = diagonal[i] == 0;
    factor(i, i) = unused[i] ? 1 : diagonal[i] + added;
  }
  permute(factor, order);
  Eigen::LLT<Eigen::Ref<MatrixXd>> cholesky(factor);
  if (cholesky.info() != Eigen::Success)
    throw std::runtime_error("expected sums of inputs that are positive definite but got others");
}

/// The columns in the factor's order, with zeros in columns that have no input.
MatrixXd Gptq::reorder(Eigen::Ref<const MatrixXd> rows) const {
  MatrixXd result(rows.rows(), rows.cols());
  for (int64_t i = 0; i < rows.cols(); ++i)
    result.col(i) = rows.col(order[i]) * (unused[order[i]] ? 0 : 1);
  return result;
}

Eigen::VectorXd Gptq::getProducts(Eigen::Ref<const MatrixXd> a, Eigen::Ref<const MatrixXd> b) const {
  MatrixXd ofA = reorder(a), ofB = reorder(b);
  auto lower = factor.triangularView<Eigen::Lower>();
  Eigen::VectorXd damped = (ofA * lower).cwiseProduct(ofB * lower).rowwise().sum();
  return damped - added * ofA.cwiseProduct(ofB).rowwise().sum();
}

std::vector<CodedRow> Gptq::round(const Format &format, Eigen::Ref<const MatrixXd> rows, Clipping clipping,
                                  std::span<const Grid> shared) const {
  int64_t count = rows.rows(), columns = rows.cols();
  std::vector<std::vector<Grid>> grids;
  std::vector<CodedRow> coded;
  MatrixXd numbers = reorder(rows);
  for (int64_t row = 0; row < count; ++row) {
    std::vector<double> whole(columns);
    for (int64_t i = 0; i < columns; ++i)
      whole[order[i]] = numbers(row, i);
    grids.push_back(shared.empty() ? chooseGrids(format, whole, clipping)
                                   : std::vector<Grid>(shared.begin(), shared.end()));
    coded.push_back(makeRow(format, grids.back()));
  }

  // Processes a block of columns at a time, so that its effect on the columns before it is one matrix product.
  constexpr int64_t width = 64;
  MatrixXd errors(count, columns), sums = MatrixXd::Zero(count, columns); // sums[p] = Σ_{i>p} error_i·L_ip
  for (int64_t end = columns; end > 0; end -= std::min(end, width)) {
    int64_t begin = std::max<int64_t>(0, end - width);
    for (int64_t p = end; p-- > begin;) {
      for (int64_t row = 0; row < count; ++row) {
        const Grid &grid = grids[row][order[p] / format.groupSize()];
        uint8_t code = grid.round(format, numbers(row, p) + sums(row, p) / factor(p, p));
        coded[row].codes[order[p]] = code;
        errors(row, p) = numbers(row, p) - grid.decode(format, code);
      }
      sums.middleCols(begin, p - begin).noalias() += errors.col(p) * factor.row(p).segment(begin, p - begin);
    }
    sums.leftCols(begin).noalias() +=
        errors.middleCols(begin, end - begin) * factor.block(begin, 0, end - begin, begin);
  }
  return coded;
}
