//===- Rope.cpp - The canonical form of rotary embeddings -------------------------------===//

#include "compiler/import/Rope.h"

#include "compiler/import/ImportError.h"

#include <cmath>

using namespace nstf;

std::vector<double> nstf::ropeFrequencies(int64_t rotary, double theta) {
  if (rotary < 2 || rotary > 65536 || rotary % 2 != 0)
    throw ImportError("expected an even rotary dimension of 2 to 65536 but got " + std::to_string(rotary));
  if (!std::isfinite(theta) || theta <= 0)
    throw ImportError("expected the rope theta to be a finite number greater than 0 but got " + std::to_string(theta));
  std::vector<double> frequencies;
  for (int64_t i = 0; i < rotary; i += 2)
    frequencies.push_back(std::pow(theta, -static_cast<double>(i) / static_cast<double>(rotary)));
  return frequencies;
}
