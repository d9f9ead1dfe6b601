// SHA-256 (FIPS 180-4).
//
// Code objects, weights and manifests are named by hash; the runtime has no library to take it from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nstf::runtime {

/// The hash of `size` bytes.
std::array<uint8_t, 32> sha256(const void *data, std::size_t size);
/// The same as 64 lower-case hexadecimal digits.
std::string sha256Hex(std::string_view bytes);

} // namespace nstf::runtime
