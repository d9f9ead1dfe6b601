// The state that an instruction can read and change.
//
// The state is a wave's, as plain data. A case has an assembly text, a function that sets the operands, and the text's
// meaning as a change of the state. The test compares every register afterwards, including those that must not change.
#pragma once

#include "test/runtime/emulator/meaning/Number.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace nstf::emulator::meaning {

constexpr unsigned lanes = 64;
/// Encoded numbers of scalar registers.
constexpr unsigned vcc = 106, m0 = 124, execRegister = 126, scalarRegisters = 128;
/// The rows of AGPRs follow the VGPRs.
constexpr unsigned vgprs = 48, agprs = 8, agpr0 = vgprs;

struct Machine {
  u32 v[vgprs + agprs][lanes];
  u32 s[scalarRegisters];
  u32 mode; ///< the MODE register
  bool scc;
  bool gfx942;
  std::vector<u8> lds;
  std::vector<u8> memory; ///< at `memoryAddress`; scratch uses it with the lanes' dwords interleaved
  u64 memoryAddress;

  u64 pair(unsigned at) const { return s[at] | u64(s[at + 1]) << 32; }
  void setPair(unsigned at, u64 value) { s[at] = u32(value), s[at + 1] = u32(value >> 32); }
  u64 exec() const { return pair(execRegister); }
  bool active(unsigned lane) const { return exec() >> lane & 1; }
  u64 wide(unsigned row, unsigned lane) const { return v[row][lane] | u64(v[row + 1][lane]) << 32; }
  FloatMode floats(Format f) const {
    unsigned shift = f.fractionBits == 23 ? 0 : 2;
    unsigned denormals = mode >> (4 + shift) & 3;
    return {Rounding(mode >> shift & 3), bool(denormals & 1), bool(denormals & 2)};
  }
  bool dx10Clamp() const { return mode >> 8 & 1; }
  bool ieee() const { return mode >> 9 & 1; }
  bool overflowClamps() const { return mode >> 23 & 1; } ///< MODE.fp16_ovfl
};
/// Round to nearest even, keep subnormals, DX10_CLAMP and IEEE set.
constexpr u32 usualMode = 0x3f0;

/// The meaning of an operand's bits, for choosing values.
enum class Type : u8 { none, b16, f16, b32, f32, b64, f64, p16, pf16, pf32, p32, shift, whole };
inline unsigned getBits(Type t) {
  return t == Type::b16 || t == Type::f16                                        ? 16
         : t == Type::b64 || t == Type::f64 || t == Type::pf32 || t == Type::p32 ? 64
                                                                                 : 32;
}
inline bool isFloat(Type t) { return t == Type::f16 || t == Type::f32 || t == Type::f64; }
inline Format getFormat(Type t) { return t == Type::f16 || t == Type::pf16 ? half : t == Type::f64 ? doubled : single; }

class Random {
public:
  explicit Random(u64 seed) : engine(seed) {}
  u64 bits() { return engine(); }
  unsigned below(unsigned n) { return unsigned(engine() % n); }
  bool oneIn(unsigned n) { return below(n) == 0; }
  /// Edge cases and random values of a type, some of them close to an earlier one.
  u64 value(Type);
  /// All lanes, one, none, a random half, a few, or a prefix.
  u64 exec(unsigned round);

private:
  std::mt19937_64 engine;
  u64 last = 0;
};

struct Case {
  std::string name;                                 ///< in Instructions.def
  std::string text;                                 ///< assembly; the assembler may refuse it if `optional`
  std::function<void(Machine &, Random &)> prepare; ///< called after all registers are randomised; may be empty
  std::function<void(Machine &)> meaning;
  bool optional = false;
  /// Rows that may differ by `steps` of the format.
  unsigned looseRow = 0, looseRows = 0;
  u64 steps = 0;
  Type loose = Type::none;
  unsigned ldsBytes = 0, memoryBytes = 0;
  unsigned rounds = 0; ///< 0: the default
  bool modes = false;  ///< also with unusual float modes
  bool mayFault = false;
};

/// Runs cases on one chip and reports to GoogleTest. Returns the names of which at least one case ran.
std::vector<std::string> runCases(const std::string &target, const std::vector<Case> &cases);
/// NSTF_EMU_MEANING_ROUNDS multiplies the rounds; NSTF_EMU_MEANING_SEED changes the random numbers.
unsigned roundsFactor();
u64 randomSeed();

} // namespace nstf::emulator::meaning
