// How numbers lie in a file.
//
// The element types a checkpoint may hold, in one table: safetensors' name, bytes, and how a weight is read from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf {

enum class StoredType { f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0, i64, u64, i32, u32, i16, u16, i8, u8, boolean };

/// The type a safetensors header calls `name` ("F32", "BF16", …).
std::optional<StoredType> storedTypeFromSafeTensors(std::string_view name);
/// All names, separated by commas: for messages.
std::string safeTensorsTypeNames();

/// Bytes an element takes.
size_t sizeOf(StoredType type);
/// The name in MLIR's spelling: "f32", "bf16", "i8", …
std::string_view nameOf(StoredType type);
/// The type `nameOf` calls `name`.
std::optional<StoredType> storedTypeFromName(std::string_view name);

/// Whether `readFloats` can read it: f64, f32, f16, bf16.
bool isFloat(StoredType type);

/// Converts `count` elements at `bytes` (little-endian, any alignment) to float32 or float64. f64 → float rounds to
/// nearest even; everything else is exact. Precondition: isFloat(type).
void readFloats(StoredType type, const std::byte *bytes, size_t count, float *result);
void readFloats(StoredType type, const std::byte *bytes, size_t count, double *result);

} // namespace nstf
