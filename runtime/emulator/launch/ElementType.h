// The number types of launch files.
//
// They are the types of buffers and of scalar arguments.
#pragma once

#include "support/ElementType.h"
#include "support/Number.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::emulator {

using support::ElementType;
using support::ElementTypeInfo;

/// The types of launch files: all but OCP's fp8, which these chips lack.
inline constexpr ElementType launchTypes[] = {
    ElementType::F64,        ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::F8E4M3FNUZ,
    ElementType::F8E5M2FNUZ, ElementType::I64, ElementType::I32, ElementType::I16,  ElementType::I8,
    ElementType::U64,        ElementType::U32, ElementType::U16, ElementType::U8,   ElementType::Bool};
/// The type with this name ("f32", "e4m3fnuz", and AMD's short names "fp8", "bf8").
std::optional<ElementType> findElementType(std::string_view name);
/// "f64, f32, …", for messages.
std::string elementTypeNames();

using support::Number;

/// Writes `number` as an element of `type`; floats are rounded once, to nearest even. Returns false if the type cannot
/// represent the number: out of range, a fraction for an integer, infinity for the small floats, or a finite number
/// that would become infinite.
bool encode(ElementType type, const Number &number, std::byte *to);
/// The range of a type, for messages: "a whole number from 0 to 255".
std::string describeRange(ElementType type);

/// An element's value; integers of 64 bits are rounded to double.
double decode(ElementType type, const std::byte *from);
/// The element as text that parses to the same bits (NaN excepted).
std::string toText(ElementType type, const std::byte *from);

} // namespace nstf::emulator
