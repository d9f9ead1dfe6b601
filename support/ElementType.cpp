#include "support/ElementType.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

namespace nstf::support {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian in files and read in place");

using Info = ElementTypeInfo;

// The members of ElementTypeInfo. The safetensors format calls the OCP format without infinities F8_E4M3.
static constexpr Info infos[] = {
    {ElementType::F64, "f64", 8, Info::Float, "F64", "<f8", ""},
    {ElementType::F32, "f32", 4, Info::Float, "F32", "<f4", ""},
    {ElementType::F16, "f16", 2, Info::Float, "F16", "<f2", ""},
    {ElementType::BF16, "bf16", 2, Info::Float, "BF16", "<u2", "<V2"},
    {ElementType::F8E4M3FNUZ, "e4m3fnuz", 1, Info::Float, "F8_E4M3FNUZ", "|u1", "<V1", "f8E4M3FNUZ"},
    {ElementType::F8E5M2FNUZ, "e5m2fnuz", 1, Info::Float, "F8_E5M2FNUZ", "|u1", "<V1", "f8E5M2FNUZ"},
    {ElementType::F8E4M3FN, "e4m3fn", 1, Info::Float, "F8_E4M3", "|u1", "<V1", "f8E4M3FN"},
    {ElementType::F8E5M2, "e5m2", 1, Info::Float, "F8_E5M2", "|u1", "<V1", "f8E5M2"},
    {ElementType::F8E8M0FNU, "e8m0fnu", 1, Info::Float, "F8_E8M0", "|u1", "<V1", "f8E8M0FNU"},
    {ElementType::I64, "i64", 8, Info::Signed, "I64", "<i8", ""},
    {ElementType::I32, "i32", 4, Info::Signed, "I32", "<i4", ""},
    {ElementType::I16, "i16", 2, Info::Signed, "I16", "<i2", ""},
    {ElementType::I8, "i8", 1, Info::Signed, "I8", "|i1", ""},
    {ElementType::U64, "u64", 8, Info::Unsigned, "U64", "<u8", ""},
    {ElementType::U32, "u32", 4, Info::Unsigned, "U32", "<u4", ""},
    {ElementType::U16, "u16", 2, Info::Unsigned, "U16", "<u2", ""},
    {ElementType::U8, "u8", 1, Info::Unsigned, "U8", "|u1", ""},
    {ElementType::Bool, "bool", 1, Info::Unsigned, "BOOL", "|b1", ""},
};

static_assert(
    [] {
      for (size_t i = 0; i < std::size(infos); ++i)
        if (infos[i].type != ElementType(i))
          return false;
      return std::size(infos) == size_t(ElementType::Bool) + 1;
    }(),
    "a row for each type, in their order");

std::span<const Info> elementTypes() { return infos; }

const Info &getInfo(ElementType type) { return infos[size_t(type)]; }

static std::optional<ElementType> find(std::string_view Info::*column, std::string_view name) {
  auto found = std::ranges::find(infos, name, column);
  return found != std::end(infos) && !name.empty() ? std::optional(found->type) : std::nullopt;
}

std::optional<ElementType> elementTypeFromName(std::string_view name) { return find(&Info::name, name); }

std::optional<ElementType> elementTypeFromMlir(std::string_view name) { return find(&Info::mlir, name); }

std::optional<ElementType> elementTypeFromSafeTensors(std::string_view name) { return find(&Info::safeTensors, name); }

std::string safeTensorsTypeNames() {
  std::string names;
  for (const Info &info : infos)
    if (!info.safeTensors.empty())
      names += (names.empty() ? "" : ", ") + std::string(info.safeTensors);
  return names;
}

} // namespace nstf::support
