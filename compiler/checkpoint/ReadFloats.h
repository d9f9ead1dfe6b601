// Converts numbers of a file to float32 or float64.
#pragma once

#include "support/ElementType.h"

#include <cstddef>

namespace nstf::checkpoint {

/// Whether `readFloats` supports the type: f64, f32, f16, bf16.
bool isReadable(support::ElementType type);

/// Converts `count` elements at `bytes` (little-endian, any alignment) to float32 or float64. f64 → float rounds to
/// nearest even; everything else is exact. Precondition: isReadable(type).
void readFloats(support::ElementType type, const std::byte *bytes, size_t count, float *result);
void readFloats(support::ElementType type, const std::byte *bytes, size_t count, double *result);

} // namespace nstf::checkpoint
