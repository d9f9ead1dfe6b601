// How numbers lie in a file.

#include "compiler/checkpoint/StoredType.h"

#include "support/ConvertNumbers.h"

#include <bit>
#include <cassert>

using namespace nstf;

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian and read in place");

namespace {
struct Row {
  StoredType type;
  std::string_view safeTensorsName, name;
  size_t size;
};
} // namespace

// Names: the safetensors format's `Dtype`; F8_E4M3 there is the OCP kind without infinities.
static constexpr Row rows[] = {
    {StoredType::f64, "F64", "f64", 8},
    {StoredType::f32, "F32", "f32", 4},
    {StoredType::f16, "F16", "f16", 2},
    {StoredType::bf16, "BF16", "bf16", 2},
    {StoredType::f8E4M3FN, "F8_E4M3", "f8E4M3FN", 1},
    {StoredType::f8E5M2, "F8_E5M2", "f8E5M2", 1},
    {StoredType::f8E8M0, "F8_E8M0", "f8E8M0FNU", 1},
    {StoredType::i64, "I64", "i64", 8},
    {StoredType::u64, "U64", "ui64", 8},
    {StoredType::i32, "I32", "i32", 4},
    {StoredType::u32, "U32", "ui32", 4},
    {StoredType::i16, "I16", "i16", 2},
    {StoredType::u16, "U16", "ui16", 2},
    {StoredType::i8, "I8", "i8", 1},
    {StoredType::u8, "U8", "ui8", 1},
    {StoredType::boolean, "BOOL", "i1", 1},
};

static const Row &rowOf(StoredType type) {
  for (const Row &row : rows)
    if (row.type == type)
      return row;
  assert(false && "every StoredType has a row");
  return rows[0];
}

std::optional<StoredType> nstf::storedTypeFromSafeTensors(std::string_view name) {
  for (const Row &row : rows)
    if (row.safeTensorsName == name)
      return row.type;
  return std::nullopt;
}

std::string nstf::safeTensorsTypeNames() {
  std::string names;
  for (const Row &row : rows)
    names += (names.empty() ? "" : ", ") + std::string(row.safeTensorsName);
  return names;
}

size_t nstf::sizeOf(StoredType type) { return rowOf(type).size; }
std::string_view nstf::nameOf(StoredType type) { return rowOf(type).name; }

std::optional<StoredType> nstf::storedTypeFromName(std::string_view name) {
  for (const Row &row : rows)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

bool nstf::isFloat(StoredType type) {
  return type == StoredType::f64 || type == StoredType::f32 || type == StoredType::f16 || type == StoredType::bf16;
}

static void readAs(StoredType type, const std::byte *bytes, size_t count, support::FloatFormat format, void *result) {
  assert(isFloat(type));
  support::convertNumbers(bytes, *support::floatFormatFromName(nameOf(type)), static_cast<std::byte *>(result), format,
                          count);
}

void nstf::readFloats(StoredType type, const std::byte *bytes, size_t count, float *result) {
  readAs(type, bytes, count, support::FloatFormat::f32, result);
}
void nstf::readFloats(StoredType type, const std::byte *bytes, size_t count, double *result) {
  readAs(type, bytes, count, support::FloatFormat::f64, result);
}
