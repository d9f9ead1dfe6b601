#include "compiler/checkpoint/ReadFloats.h"

#include "support/ConvertNumbers.h"

#include <cassert>

using namespace nstf;
using namespace nstf::checkpoint;
using support::ElementType;

bool nstf::checkpoint::isReadable(ElementType type) { return support::floatFormatFromName(nameOf(type)).has_value(); }

static void readAs(ElementType type, const std::byte *bytes, size_t count, support::FloatFormat format, void *result) {
  assert(isReadable(type));
  support::convertNumbers(bytes, *support::floatFormatFromName(nameOf(type)), static_cast<std::byte *>(result), format,
                          count);
}

void nstf::checkpoint::readFloats(ElementType type, const std::byte *bytes, size_t count, float *result) {
  readAs(type, bytes, count, support::FloatFormat::f32, result);
}
void nstf::checkpoint::readFloats(ElementType type, const std::byte *bytes, size_t count, double *result) {
  readAs(type, bytes, count, support::FloatFormat::f64, result);
}
