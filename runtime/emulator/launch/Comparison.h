// Results against what was expected.
#pragma once

#include "runtime/emulator/launch/Tensor.h"

namespace nstf::emulator {

/// How far a buffer is from what was expected. An element agrees where |got - expected| <= atol + rtol * |expected|;
/// infinities agree with themselves, NaN with NaN where `nanEqual` says so, integers are compared exactly where both
/// tolerances are 0.
struct Comparison {
  /// An element, told.
  struct Element {
    uint64_t number = 0;
    std::string index, expected, got; ///< "[3, 17]"
  };
  std::string buffer;
  uint64_t elements = 0, mismatches = 0;
  std::vector<Element> first;              ///< those that disagree, as many as were asked for
  Element worst;                           ///< the one furthest off of all with finite numbers; set where any disagree
  double maxAbsolute = 0, maxRelative = 0; ///< over all elements, agreeing ones included
  double absolute = 0, relative = 0;       ///< the tolerances
  uint64_t nans = 0;                       ///< in what was got

  bool passed() const { return mismatches == 0; }
  /// "buffer 'c': 3 of 4096 elements differ: first at [17]: expected 1 but got 2; …"
  std::string text() const;
};

/// `got` has the description's type and shape; `expected` as many elements. Of those that disagree the first `most` (at
/// least 1) are told.
Comparison compare(const ExpectDescription &expectation, const BufferDescription &description,
                   std::span<const std::byte> got, const Tensor &expected, size_t max = 1);

/// "[3, 17]": where element `i` of a tensor stands.
std::string indexText(uint64_t i, const std::vector<int64_t> &shape);

/// Least, largest, NaNs and infinities of a buffer's numbers, for people.
std::string summary(ElementType type, std::span<const std::byte> data);

} // namespace nstf::emulator
