// How undefined bits propagate through an operation.
//
// Computes the undefined bits of a result from the operands' values and undefined bits. Logic, shifts, moves of bits
// and comparisons are exact to the bit. Sums and products are undefined from the lowest undefined bit upwards. For all
// other operations the whole element is undefined. The ideas are those of Seward and Nethercote, "Using Valgrind to
// detect undefined value errors with bit-precision" (USENIX 2005).
#pragma once

#include "runtime/emulator/checks/DefinednessState.h"
#include "runtime/emulator/decode/Instructions.h"

namespace nstf::emulator::checks {

enum class Rule : uint8_t {
  Any, ///< an undefined bit makes the whole element undefined
  Defined,
  Move,
  And,
  AndNot,
  Or,
  OrNot,
  Xor,
  Upwards, ///< undefined from the lowest undefined bit on
  Product, ///< likewise, shifted by the trailing zeros of the other factor; a zero factor defines it
  ProductSum,
  HighProduct, ///< a zero factor defines it
  ShiftLeft,
  ShiftRight,
  ShiftLeftReverse,
  ShiftRightReverse,
  Reverse,
  SignExtend8,
  SignExtend16,
  ExtractScalarField, ///< offset and width in one operand
  ExtractField,
  InsertField,
  AlignBit,
  AlignByte,
  PermuteBytes,
  ShiftAdd,
  AddShift,
  ShiftOr,
  AndOr,
  Or3,
  XorAdd,
  PackHalves,
  PackAnyHalves, ///< one element each half
  PackByte,
  LowLow,
  LowHigh,
  HighHigh,
  Byte0,
  Byte1,
  Byte2,
  Byte3,
  Nibble,
  FirstOne,
  LeadingZeros,
  Quads,
  QuadMask
};

/// How the undefined bits of an instruction's result are computed, for instructions with the common kinds of operands.
struct OpRule {
  Rule rule = Rule::Any;
  uint8_t sources = 0;
  OperandType types[4] = {};                                             ///< destination, sources
  bool comparesEqual = false, compares = false, comparesNothing = false; ///< == and !=; order; never, always
};
const OpRule &getRule(Opcode opcode);

/// The result's undefined bits (and, for the exact rules, its value), `width` bits wide.
Bits apply(Rule rule, unsigned width, bool isSigned, const Bits (&source)[3]);
/// Whether the result of a comparison of `width` bits depends on undefined bits.
bool comparisonUndefined(const OpRule &rule, unsigned width, bool isSigned, Bits a, Bits b);

inline uint64_t getMask(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }
bool isSignedType(OperandType type);

} // namespace nstf::emulator::checks
