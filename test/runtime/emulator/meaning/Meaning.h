// The table of meanings of vector instructions.
//
// One line per instruction: its operands' types and the result of one lane as a small scalar function, written from
// AMD's "CDNA2"/"CDNA3 Instruction Set Architecture". Forms.cpp generates an instruction's forms (encodings, operands,
// modifiers) from the types; VectorModel.cpp implements what the encodings add.
#pragma once

#include "test/runtime/emulator/meaning/Machine.h"

namespace nstf::emulator::meaning {

/// The inputs of one lane's function. Sources have their modifiers applied and are cut to their type's width (packed
/// types: to one half's).
struct Lane {
  u64 a = 0, b = 0, c = 0;
  u64 old = 0; ///< the destination's old value
  unsigned lane = 0;
  bool bit = false;    ///< the lane's bit of the mask source
  bool clamp = false;  ///< integers saturate
  unsigned opSel = 0;  ///< as encoded, for the few instructions with their own use of it
  bool bitOut = false; ///< the lane's bit of the mask result
  const Machine &machine;

  FloatMode mode(Format f) const { return machine.floats(f); }
  /// An exact integer as a result of type T: cut to it, or saturated if clamp is set.
  template <typename T> u64 fit(i128 exact) const {
    constexpr i128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    if (clamp)
      exact = exact < low ? low : exact > high ? high : exact;
    return u64(std::make_unsigned_t<T>(exact));
  }
};

enum Flags : u32 {
  Accumulates = 1,      ///< the last source is the destination
  MaskOut = 2,          ///< also writes a mask (VCC or an SGPR pair)
  MaskIn = 4,           ///< reads a mask operand
  ImplicitMaskIn = 8,   ///< reads VCC
  MaskOnly = 16,        ///< a comparison
  WritesExec = 32,      ///< v_cmpx
  KeepsHalf = 64,       ///< a 16-bit result keeps the other half of the register
  ConstantMiddle = 128, ///< the second source is a literal
  ConstantLast = 256,
  NoScalars = 512,      ///< VGPR sources only
  PlainOnly = 1024,     ///< no modifiers (untyped operation)
  ByteSelect = 2048,    ///< SDWA selects bytes only
  WordSelect = 4096,    ///< SDWA selects halves only
  WholeRegister = 8192, ///< the result is a whole register made from `old` (op_sel chooses the destination's part)
  WholeHalves = 16384,  ///< … and the parts are halves
  UsualMode = 32768,    ///< MODE does not matter
};

struct VectorMeaning {
  std::string name;
  Type result;
  std::vector<Type> sources;
  std::function<u64(Lane &)> value;
  u32 flags = 0;
  u64 steps = 0; ///< documented error in units in the last place
};

std::vector<VectorMeaning> integerMeanings();
std::vector<VectorMeaning> packedIntegerMeanings();
std::vector<VectorMeaning> floatMeanings();
std::vector<VectorMeaning> approximateMeanings();
std::vector<VectorMeaning> divisionMeanings();
std::vector<VectorMeaning> conversionMeanings();
std::vector<VectorMeaning> compareMeanings();

/// Adds every form of one instruction that the assembler accepts.
void addVectorCases(const VectorMeaning &, std::vector<Case> &);

/// Minimum and maximum with MODE.ieee's rules for NaN; -0 is less than +0.
u64 lesser(Format, u64 a, u64 b, const Lane &);
u64 greater(Format, u64 a, u64 b, const Lane &);

} // namespace nstf::emulator::meaning
