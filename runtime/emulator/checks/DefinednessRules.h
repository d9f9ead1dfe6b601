// How undefined bits go through an operation.
//
// What bits of a result are undefined, given the operands' values and undefined bits. Logic, shifts, moves of bits and
// comparisons are exact to the bit, sums and products reach from the lowest undefined bit upwards, of everything else
// the whole element is undefined. The ideas are those of Seward and Nethercote, "Using Valgrind to detect undefined
// value errors with bit-precision" (USENIX 2005).
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
  Upwards, ///< from the lowest undefined bit on
  Product, ///< likewise, above the zeros of the other factor; a zero defines it
  ProductSum,
  HighProduct, ///< a zero defines it
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

/// How an instruction's shadow is computed, as far as it has operands of the common kind.
struct OpRule {
  Rule rule = Rule::Any;
  uint8_t sources = 0;
  OperandType types[4] = {};                                             ///< destination, sources
  bool comparesEqual = false, compares = false, comparesNothing = false; ///< equal and not equal; order; never, always
};
const OpRule &ruleOf(Opcode opcode);

/// The result's undefined bits (and its value for the exact rules), `width` bits wide.
Bits apply(Rule rule, unsigned width, bool isSigned, const Bits (&source)[3]);
/// Whether the outcome of a comparison of `width` bits depends on undefined bits.
bool comparisonUndefined(const OpRule &rule, unsigned width, bool isSigned, Bits a, Bits b);

inline uint64_t maskOf(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }
bool isSignedType(OperandType type);

} // namespace nstf::emulator::checks
