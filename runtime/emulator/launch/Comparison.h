// Compares results with expectations.
#pragma once

#include "runtime/emulator/launch/Tensor.h"

namespace nstf::emulator {

/// The difference between a buffer and its expectation. An element agrees if |got - expected| <= atol + rtol *
/// |expected|. Infinities of the same sign agree; NaN agrees with NaN if `nanEqual` is set. Integers are compared
/// exactly if both tolerances are 0.
struct Comparison {
  /// An element, as text for messages.
  struct Element {
    uint64_t number = 0;
    std::string index, expected, got; ///< "[3, 17]"
  };
  std::string buffer;
  uint64_t elements = 0, mismatches = 0;
  std::vector<Element> first;              ///< the first elements that disagree, as many as requested
  Element worst;                           ///< largest difference among finite elements; set if any element disagrees
  double maxAbsolute = 0, maxRelative = 0; ///< over all elements, agreeing ones included
  double absolute = 0, relative = 0;       ///< the tolerances
  uint64_t nans = 0;                       ///< in the result

  bool passed() const { return mismatches == 0; }
  /// "buffer 'c': 3 of 4096 elements differ: first at [17]: expected 1 but got 2; …"
  std::string text() const;
};

/// `got` has the description's type and shape, and `expected` the same number of elements. The first `max` (at least 1)
/// elements that disagree are kept.
Comparison compare(const ExpectDescription &expectation, const BufferDescription &description,
                   std::span<const std::byte> got, const Tensor &expected, size_t max = 1);

/// "[3, 17]": the index of element `i` of a tensor.
std::string indexText(uint64_t i, const std::vector<int64_t> &shape);

/// Minimum, maximum, and the number of NaNs and infinities in a buffer, as text.
std::string summary(ElementType type, std::span<const std::byte> data);

} // namespace nstf::emulator
