#include "compiler/compress/RoundingContext.h"

#include "compiler/calibrate/FiniteWeights.h"
#include "compiler/compress/Rotation.h"

using namespace nstf;
using namespace nstf::compress;

std::shared_ptr<const reference::Tensor> RoundingContext::readMatrix(size_t site) const {
  std::shared_ptr<reference::Tensor> matrix = calibrate::readFinite(reader, found.sites[site].weight);
  if (rotation && rotation->changes(site))
    rotation->apply(site, matrix->values);
  return matrix;
}
