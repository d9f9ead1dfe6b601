#include "compiler/calibrate/FiniteWeights.h"

#include "support/Escape.h"

#include <cmath>
#include <stdexcept>

std::shared_ptr<nstf::reference::Tensor> nstf::calibrate::readFinite(reference::WeightReader &reader, WeightOp weight) {
  std::shared_ptr<reference::Tensor> tensor = reader.read(weight);
  const auto &values = tensor->values;
  if (values.allFinite())
    return tensor;
  for (int64_t row = 0; row < values.rows(); ++row)
    for (int64_t column = 0; column < values.cols(); ++column)
      if (double number = values(row, column); !std::isfinite(number))
        throw std::runtime_error("weight '" + support::escape(weight.getSymName().str()) + "', row " +
                                 std::to_string(row) + ": expected finite numbers but got " + std::to_string(number) +
                                 " in column " + std::to_string(column));
  return tensor;
}
