// The number types of launch files.
//
// What a buffer or a scalar argument can be made of, and numbers as they are written in a file: whole numbers are kept
// to 64 bits, so that every u64 and i64 can be said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::emulator {

enum class ElementType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool,
  count
};

struct ElementTypeInfo {
  std::string_view name;
  unsigned bytes;
  enum Kind : uint8_t { Float, Signed, Unsigned } kind;
  /// What NumPy's files call it. NumPy has no bf16 and no fp8: their bits are written as whole numbers, which
  /// `.view(ml_dtypes.bfloat16)` reads; `alternative` is what ml_dtypes' own arrays say (numpy.save).
  std::string_view npy, alternative;
};
const ElementTypeInfo &infoOf(ElementType type);
inline std::string_view nameOf(ElementType type) { return infoOf(type).name; }
inline unsigned sizeOf(ElementType type) { return infoOf(type).bytes; }
inline bool isFloat(ElementType type) { return infoOf(type).kind == ElementTypeInfo::Float; }
/// The type of that name ("f32", "f8E4M3FNUZ", and AMD's short "fp8", "bf8").
std::optional<ElementType> findElementType(std::string_view name);
/// "f64, f32, …", for messages.
std::string elementTypeNames();

/// A number as written: "12", "-0x10", "1e-3", "nan", "-inf", "-0.0", "true".
struct Number {
  bool isWhole = false, negative = false;
  uint64_t magnitude = 0; ///< of a whole number
  double value = 0;       ///< of any number, rounded where it has to be

  static std::optional<Number> parse(std::string_view text);
  static Number of(double value) { return {false, value < 0, 0, value}; }
};

/// Writes `number` as an element of `type`; floats are rounded once, to nearest even. False where the type has no such
/// number: out of range, a fraction for an integer, infinity for the small floats, a finite number that would become
/// infinite.
bool encode(ElementType type, const Number &number, std::byte *to);
/// The range of a type, for messages: "a whole number from 0 to 255".
std::string describeRange(ElementType type);

/// An element's value; integers of 64 bits are rounded to double.
double decode(ElementType type, const std::byte *from);
/// The element as text that is read back to the same bits (NaN aside).
std::string toText(ElementType type, const std::byte *from);

} // namespace nstf::emulator
