// NumPy's array files.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html (versions 1.0, 2.0 and 3.0 are read,
// 1.0 is written). Little-endian, C order; types f64, f32, f16, i64, i32, i16, i8, u8.
#pragma once

#include "nstf/Manifest.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace nstf::runtime {

/// A dense tensor on the host, row-major.
struct HostTensor {
  manifest::ElementType type = manifest::ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data; // elements × size of type

  uint64_t elements() const;
  /// The data as an array of T. Precondition: T is the element type.
  template <typename T> const T *as() const { return reinterpret_cast<const T *>(data.data()); }
  /// "[3, 64] f32"
  std::string str() const;
};

/// [ids] i32
HostTensor makeIds(std::span<const int32_t> ids);

/// Throws std::runtime_error with the file's name and the fault.
HostTensor readNpy(const std::filesystem::path &file);
/// Token ids, i32 or i64: one text, or in two dimensions one text a row. Throws std::runtime_error where readNpy does,
/// and when the array holds no token ids.
std::vector<std::vector<int32_t>> readTokenIds(const std::filesystem::path &file);
/// Writes a temporary file beside `file` and renames it, so that a failure leaves no partial file.
void writeNpy(const std::filesystem::path &file, const HostTensor &tensor);

} // namespace nstf::runtime
