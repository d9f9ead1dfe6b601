// The number types of tensors in files and in memory, in one table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nstf::support {

enum class ElementType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FNUZ, // fp8 and bf8 of gfx942
  F8E5M2FNUZ,
  F8E4M3FN, // fp8 and bf8 of OCP
  F8E5M2,
  F8E8M0FNU,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool
};

struct ElementTypeInfo {
  ElementType type;
  std::string_view name; // "f32", "bf16", "e4m3fnuz", "u8"
  unsigned bytes;
  enum Kind : uint8_t { Float, Signed, Unsigned } kind;
  /// The name in the headers of safetensors files; empty if the format lacks the type.
  std::string_view safeTensors;
  /// The name in NumPy's files. NumPy has no bf16 and no fp8: their bits are stored as integers, which
  /// `.view(ml_dtypes.bfloat16)` reads. `alternative` is the name that numpy.save writes for arrays of ml_dtypes.
  std::string_view npy, alternative;
  std::string_view mlir = name; ///< as MLIR prints it
};

/// All types, in the order of the enumerators.
std::span<const ElementTypeInfo> elementTypes();
const ElementTypeInfo &getInfo(ElementType type);
inline std::string_view nameOf(ElementType type) { return getInfo(type).name; }
inline unsigned sizeOf(ElementType type) { return getInfo(type).bytes; }
inline bool isFloat(ElementType type) { return getInfo(type).kind == ElementTypeInfo::Float; }

/// The type with this name.
std::optional<ElementType> elementTypeFromName(std::string_view name);
/// The type with this MLIR name: "f8E4M3FNUZ" is e4m3fnuz.
std::optional<ElementType> elementTypeFromMlir(std::string_view name);
/// The type with this name in safetensors headers ("F32", "BF16", …), and all such names for a message.
std::optional<ElementType> elementTypeFromSafeTensors(std::string_view name);
std::string safeTensorsTypeNames();

} // namespace nstf::support
