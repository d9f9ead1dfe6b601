// The element formats of typed buffers.
//
// Source: "CDNA3 Instruction Set Architecture", buffer resource: data format (number and width of components) and
// number format (meaning of the bits). A format's name lists its components from the top bits down; component 0 is the
// lowest.
#pragma once

#include <cstdint>

namespace nstf::emulator {

struct MicroOp;
struct Wave;

enum class NumberFormat : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, SnormOgl, Float };

struct BufferFormat {
  unsigned components = 0; ///< 0: no such format
  uint8_t bits[4] = {};
  NumberFormat number = NumberFormat::Unorm;

  BufferFormat(unsigned dataFormat, unsigned numberFormat);
  /// The instruction's own format, or the format in its buffer resource.
  static BufferFormat of(const Wave &w, const MicroOp *op);
  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
  bool isInteger() const { return number == NumberFormat::Uint || number == NumberFormat::Sint; }
};

/// Decodes a component's bits in memory to the register's 32 bits.
uint32_t decodeComponent(NumberFormat number, unsigned bits, uint32_t value);
/// Encodes a register's 32 bits to the component's bits in memory: rounded to nearest even and clamped to the range.
uint32_t encodeComponent(NumberFormat number, unsigned bits, uint32_t value);

} // namespace nstf::emulator
