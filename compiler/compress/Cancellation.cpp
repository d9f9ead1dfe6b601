#include "compiler/compress/Cancellation.h"

#include <algorithm>
#include <cstdio>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using Eigen::MatrixXd;

/// Sampled rows and outputs; they are enough for a median.
static constexpr size_t maxRows = 64;
static constexpr int64_t maxOutputs = 512;

static MatrixXd takeRows(const Tensor &tensor, int64_t count) {
  int64_t rows = tensor.values.rows(), step = std::max<int64_t>(1, rows / std::max<int64_t>(1, count));
  return tensor.values(Eigen::seq(0, rows - 1, step), Eigen::all);
}

static double getMedian(std::vector<double> &numbers) {
  if (numbers.empty())
    return 0;
  auto middle = numbers.begin() + int64_t(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

TextRunner::Observer Cancellation::getObserver() {
  return [this](Operation *op, llvm::function_ref<const Tensor &(size_t, unsigned)> get) {
    auto site = llvm::find_if(found.sites, [&](const LinearSite &site) { return site.op == op; });
    if (site == found.sites.end())
      return;
    MatrixXd matrix = takeRows(get(0, 1), maxOutputs);
    std::vector<double> ratios;
    size_t count = std::min(texts.size(), maxRows);
    for (size_t text = 0; text < count; ++text) {
      MatrixXd x = takeRows(get(text, 0), int64_t(maxRows / count));
      MatrixXd sums = x * matrix.transpose(), terms = x.cwiseAbs() * matrix.cwiseAbs().transpose();
      for (int64_t i = 0; i < sums.size(); ++i)
        if (terms.data()[i] > 0)
          ratios.push_back(terms.data()[i] / std::abs(sums.data()[i]));
    }
    medians[site - found.sites.begin()] = getMedian(ratios);
  };
}

std::string Cancellation::findFault(size_t site) const {
  constexpr double most = 1024; // f16 keeps 11 bits
  if (medians[site] <= most)
    return "";
  char text[96];
  std::snprintf(text, sizeof text, "terms cancel: they are %.2g times their sum, past f16's digits (1024)",
                medians[site]);
  return text;
}
