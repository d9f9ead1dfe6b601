// Models what encodings add to a vector instruction.
//
// Operands, op_sel, neg, abs, SDWA, DPP, output modifiers and clamp, masks, and the bits of the destination that are
// written, by the ISA manual's chapter on vector ALU operations, one lane after another.
#pragma once

#include "test/runtime/emulator/meaning/Meaning.h"

#include <memory>

namespace nstf::emulator::meaning {

enum class Encoding : u8 { Plain, E32, E64, Sdwa, Dpp };

struct Source {
  Type type = Type::b32;
  enum Place : u8 { Vector, Scalar, Constant } place = Vector;
  unsigned at = 0; ///< row or scalar register
  u64 value = 0;   ///< for a constant
  bool negate = false, absolute = false, extend = false;
  bool opSel = false;                        ///< 16 bits: use the upper half; packed: for the lower result
  bool opSelHigh = true, negateHigh = false; ///< packed: for the upper result
  unsigned select = 6;                       ///< SDWA: 0-3 bytes, 4-5 halves, 6 all
};

struct Form {
  std::shared_ptr<const VectorMeaning> meaning;
  Encoding encoding = Encoding::Plain;
  unsigned destination = 20;
  std::vector<Source> sources;
  unsigned maskIn = vcc, maskOut = vcc;
  bool clamp = false;
  unsigned omod = 0;                                 ///< 1: times 2, 2: times 4, 3: half
  bool resultHigh = false;                           ///< op_sel of a 16-bit result
  unsigned opSel = 0;                                ///< for WholeRegister
  unsigned select = 6, unused = 0;                   ///< SDWA destination
  unsigned control = 0, rowMask = 15, bankMask = 15; ///< DPP
  bool boundControl = false;
};

/// The lane that `lane` reads under a DPP control; -1 for none.
int dppSource(unsigned control, unsigned lane);
/// Executes the instruction on the machine.
void run(const Form &, Machine &);

} // namespace nstf::emulator::meaning
