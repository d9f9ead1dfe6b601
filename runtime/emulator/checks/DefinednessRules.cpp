#include "runtime/emulator/checks/DefinednessRules.h"

#include <array>
#include <bit>
#include <string_view>
#include <unordered_map>

namespace nstf::emulator::checks {
namespace {

/// Rules by the names of the meanings in Instructions.def; scalar and vector instructions share them.
Rule ruleOfMeaning(std::string_view meaning, bool isFloat) {
  static const std::unordered_map<std::string_view, Rule> exact = {
      {"mov", Rule::Move},
      {"bitNot", Rule::Move},
      {"conditionalMove", Rule::Move},
      {"bitAnd", Rule::And},
      {"bitNand", Rule::And},
      {"bitAndn2", Rule::AndNot},
      {"bitOr", Rule::Or},
      {"bitNor", Rule::Or},
      {"bitOrn2", Rule::OrNot},
      {"bitXor", Rule::Xor},
      {"bitXnor", Rule::Xor},
      {"reverseBits", Rule::Reverse},
      {"signExtend8", Rule::SignExtend8},
      {"signExtend16", Rule::SignExtend16},
      {"shiftLeft", Rule::ShiftLeft},
      {"shiftRight", Rule::ShiftRight},
      {"shiftLeftReverse", Rule::ShiftLeftReverse},
      {"shiftRightReverse", Rule::ShiftRightReverse},
      {"shiftLeftReverse16", Rule::ShiftLeftReverse},
      {"shiftRightReverse16", Rule::ShiftRightReverse},
      {"extractField", Rule::ExtractField},
      {"insertField", Rule::InsertField},
      {"alignBit", Rule::AlignBit},
      {"alignByte", Rule::AlignByte},
      {"permuteBytes", Rule::PermuteBytes},
      {"shiftAdd", Rule::ShiftAdd},
      {"addShift", Rule::AddShift},
      {"shiftOr", Rule::ShiftOr},
      {"andOr", Rule::AndOr},
      {"or3", Rule::Or3},
      {"xorAdd", Rule::XorAdd},
      {"packHalves", Rule::PackHalves},
      {"packLowLow", Rule::LowLow},
      {"packLowHigh", Rule::LowHigh},
      {"packHighHigh", Rule::HighHigh},
      {"packHalfTowardZero", Rule::PackAnyHalves},
      {"packUnsigned16", Rule::PackAnyHalves},
      {"packSigned16", Rule::PackAnyHalves},
      {"packNormSigned16", Rule::PackAnyHalves},
      {"packNormUnsigned16", Rule::PackAnyHalves},
      {"packByte", Rule::PackByte},
      {"fromByte<0>", Rule::Byte0},
      {"fromByte<1>", Rule::Byte1},
      {"fromByte<2>", Rule::Byte2},
      {"fromByte<3>", Rule::Byte3},
      {"fromOffsetNibble", Rule::Nibble},
      {"firstOne", Rule::FirstOne},
      {"leadingZeros", Rule::LeadingZeros},
      {"wholeQuads", Rule::Quads},
      {"quadMask", Rule::QuadMask},
  };
  static const std::unordered_map<std::string_view, Rule> integer = {
      {"add", Rule::Upwards},         {"sub", Rule::Upwards},
      {"subReverse", Rule::Upwards},  {"add3", Rule::Upwards},
      {"addUnsigned", Rule::Upwards}, {"subUnsigned", Rule::Upwards},
      {"addSigned", Rule::Upwards},   {"subSigned", Rule::Upwards},
      {"addCarry", Rule::Upwards},    {"subBorrow", Rule::Upwards},
      {"shiftAdd<1>", Rule::Upwards}, {"shiftAdd<2>", Rule::Upwards},
      {"shiftAdd<3>", Rule::Upwards}, {"shiftAdd<4>", Rule::Upwards},
      {"countOnesAdd", Rule::Any},    {"mul", Rule::Product},
      {"multiply", Rule::Product},    {"mad", Rule::ProductSum},
      {"mulHigh", Rule::HighProduct}, {"multiplyHigh", Rule::HighProduct},
  };
  if (auto found = exact.find(meaning); found != exact.end())
    return found->second;
  if (auto found = integer.find(meaning); found != integer.end() && !isFloat)
    return found->second;
  return Rule::Any;
}

OpRule make(Opcode opcode, std::string_view meaning, bool isComparison) {
  const InstructionInfo &info = getInfo(opcode);
  OpRule rule;
  for (unsigned i = 0; i < 4; ++i)
    rule.types[i] = info.types[i];
  while (rule.sources < 3 && info.types[rule.sources + 1] != OperandType::none)
    ++rule.sources;
  rule.rule = ruleOfMeaning(meaning, isFloat(info.types[0]));
  // The scalar form has offset and width in the same operand.
  if (rule.rule == Rule::ExtractField && info.form == Form::Scalar)
    rule.rule = Rule::ExtractScalarField;
  if (isComparison) {
    bool integer = !isFloat(info.types[1]);
    rule.comparesNothing = meaning == "never" || meaning == "always";
    rule.comparesEqual = integer && (meaning == "equal" || meaning == "notEqual");
    rule.compares =
        integer && (meaning == "less" || meaning == "lessEqual" || meaning == "greater" || meaning == "greaterEqual");
  }
  return rule;
}

Bits bitAnd(Bits a, Bits b) {
  return {a.value & b.value, (a.undefined & b.undefined) | (a.undefined & b.value) | (a.value & b.undefined)};
}
Bits bitNot(Bits a) { return {~a.value, a.undefined}; }
Bits bitOr(Bits a, Bits b) { return bitNot(bitAnd(bitNot(a), bitNot(b))); }
Bits bitXor(Bits a, Bits b) { return {a.value ^ b.value, a.undefined | b.undefined}; }
Bits upwards(Bits a, Bits b, Bits c = {}) {
  uint64_t u = a.undefined | b.undefined | c.undefined;
  return {0, u | -u};
}
bool isZero(Bits a) { return !(a.value | a.undefined); }
/// All bits from the lowest one that can be set in a product. One factor has bits of `possible`; the lowest set bit of
/// the other may be that of `undefined`.
uint64_t productUpwards(uint64_t undefined, uint64_t possible) {
  uint64_t u = (undefined & -undefined) * (possible & -possible);
  return u | -u;
}
constexpr Bits everything = {0, ~uint64_t(0)};
Bits shiftLeft(Bits a, Bits n, unsigned width) {
  if (n.undefined & (width - 1))
    return everything;
  unsigned by = n.value & (width - 1);
  return {a.value << by, a.undefined << by};
}
uint64_t signExtended(uint64_t value, unsigned width) {
  return uint64_t(int64_t(value << (64 - width)) >> (64 - width));
}
Bits shiftRight(Bits a, Bits n, unsigned width, bool isSigned) {
  if (n.undefined & (width - 1))
    return everything;
  unsigned by = n.value & (width - 1);
  if (isSigned)
    return {uint64_t(int64_t(signExtended(a.value, width)) >> by),
            uint64_t(int64_t(signExtended(a.undefined, width)) >> by)};
  return {(a.value & getMask(width)) >> by, (a.undefined & getMask(width)) >> by};
}
Bits extractField(Bits a, unsigned offset, unsigned count, unsigned width, bool isSigned) {
  if (!count)
    return {};
  auto field = [&](uint64_t bits) {
    return isSigned ? signExtended(uint64_t(int64_t(signExtended(bits, width)) >> offset), count)
                    : (bits & getMask(width)) >> offset & getMask(count);
  };
  return {field(a.value), field(a.undefined)};
}
uint64_t reversed(uint64_t bits, unsigned width) {
  uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i)
    result |= (bits >> i & 1) << (width - 1 - i);
  return result;
}
Bits permuteBytes(Bits a, Bits b, Bits select) {
  uint64_t bytes = (a.undefined & 0xffffffff) << 32 | (b.undefined & 0xffffffff);
  Bits result;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned which = select.value >> 8 * i & 0xff;
    uint64_t byte = 0;
    if (select.undefined >> 8 * i & 0xff)
      byte = 0xff;
    else if (which < 8)
      byte = bytes >> 8 * which & 0xff;
    else if (which < 12) // a sign
      byte = bytes >> (16 * (which - 8) + 15) & 1 ? 0xff : 0;
    result.undefined |= byte << 8 * i;
  }
  return result;
}
Bits insertField(Bits mask, Bits a, Bits b) {
  Bits chosen = bitOr(bitAnd(mask, a), bitAnd(bitNot(mask), b));
  chosen.undefined &= ~(mask.undefined & ~a.undefined & ~b.undefined & ~(a.value ^ b.value)); // equal either way
  return chosen;
}
/// The lowest bit of every four: whether any of the four is set.
Bits anyOfQuads(Bits a) {
  auto any = [](uint64_t bits) { return (bits | bits >> 1 | bits >> 2 | bits >> 3) & 0x1111111111111111; };
  uint64_t sure = any(a.value & ~a.undefined);
  return {sure, any(a.undefined) & ~sure};
}
Bits product(Bits a, Bits b) {
  return {0, productUpwards(a.undefined, b.value | b.undefined) | productUpwards(b.undefined, a.value | a.undefined)};
}
Bits anyOf(uint64_t undefined) { return undefined ? everything : Bits(); }

} // namespace

bool isSignedType(OperandType type) {
  return type == OperandType::i16 || type == OperandType::i24 || type == OperandType::i32 || type == OperandType::i64 ||
         type == OperandType::v2i16;
}

const OpRule &getRule(Opcode opcode) {
  static const std::array<OpRule, opcodeCount> table = [] {
    std::array<OpRule, opcodeCount> t;
#define SET(name, meaning, comparison) t[unsigned(Opcode::name)] = make(Opcode::name, meaning, comparison);
#define SCALAR1(name, D, A, meaning) SET(name, #meaning, false)
#define SCALAR2(name, D, A, B, meaning) SET(name, #meaning, false)
#define SCALARCMP(name, A, B, meaning) SET(name, #meaning, true)
#define SCALARCMPK(name, A, meaning) SET(name, #meaning, true)
#define VECTOR1(name, D, A, meaning) SET(name, #meaning, false)
#define VECTOR2(name, D, A, B, meaning) SET(name, #meaning, false)
#define VECTOR3(name, D, A, B, C, meaning) SET(name, #meaning, false)
#define ACCUMULATE(name, D, A, B, meaning) SET(name, #meaning, false)
#define COMPARE(name, A, B, meaning)                                                                                   \
  SET(V_CMP_##name, #meaning, true)                                                                                    \
  SET(V_CMPX_##name, #meaning, true)
#define CARRY(name, in, meaning) SET(name, #meaning, false)
#include "runtime/emulator/decode/Instructions.def"
#undef SET
    return t;
  }();
  return table[unsigned(opcode)];
}

Bits apply(Rule rule, unsigned width, bool isSigned, const Bits (&source)[3]) {
  const Bits &a = source[0], &b = source[1], &c = source[2];
  auto result = [&]() -> Bits {
    switch (rule) {
    case Rule::Any:
      return anyOf(a.undefined | b.undefined | c.undefined);
    case Rule::Defined:
      return {};
    case Rule::Move:
      return a;
    case Rule::And:
      return bitAnd(a, b);
    case Rule::AndNot:
      return bitAnd(a, bitNot(b));
    case Rule::Or:
      return bitOr(a, b);
    case Rule::OrNot:
      return bitOr(a, bitNot(b));
    case Rule::Xor:
      return bitXor(a, b);
    case Rule::Upwards:
      return upwards(a, b, c);
    case Rule::Product:
      return product(a, b);
    case Rule::ProductSum:
      return upwards(product(a, b), c);
    case Rule::HighProduct:
      return isZero(a) || isZero(b) ? Bits() : anyOf(a.undefined | b.undefined);
    case Rule::ShiftLeft:
      return shiftLeft(a, b, width);
    case Rule::ShiftRight:
      return shiftRight(a, b, width, isSigned);
    case Rule::ShiftLeftReverse:
      return shiftLeft(b, a, width);
    case Rule::ShiftRightReverse:
      return shiftRight(b, a, width, isSigned);
    case Rule::Reverse:
      return {reversed(a.value, width), reversed(a.undefined, width)};
    case Rule::SignExtend8:
      return {signExtended(a.value, 8), signExtended(a.undefined, 8)};
    case Rule::SignExtend16:
      return {signExtended(a.value, 16), signExtended(a.undefined, 16)};
    case Rule::ExtractScalarField:
      return b.undefined & 0x7f003f ? anyOf(1)
                                    : extractField(a, b.value & (width - 1),
                                                   std::min<unsigned>(b.value >> 16 & 0x7f, width), width, isSigned);
    case Rule::ExtractField:
      return (b.undefined | c.undefined) & 31 ? anyOf(1) : extractField(a, b.value & 31, c.value & 31, 32, isSigned);
    case Rule::InsertField:
      return insertField(a, b, c);
    case Rule::AlignBit:
    case Rule::AlignByte: {
      unsigned mask = rule == Rule::AlignBit ? 31 : 3, by = (c.value & mask) * (rule == Rule::AlignBit ? 1 : 8);
      auto joined = [&](uint64_t high, uint64_t low) { return (high << 32 | (low & 0xffffffff)) >> by; };
      return c.undefined & mask ? everything : Bits{joined(a.value, b.value), joined(a.undefined, b.undefined)};
    }
    case Rule::PermuteBytes:
      return permuteBytes(a, b, c);
    case Rule::ShiftAdd:
      if (width == 64) // the shift is at most 4
        return upwards(shiftLeft(a, {(b.value & 7) > 4 ? 0 : b.value & 7, b.undefined & 7}, 8), c);
      return upwards(shiftLeft(a, b, width), c);
    case Rule::AddShift:
      return shiftLeft(upwards(a, b), c, width);
    case Rule::ShiftOr:
      return bitOr(shiftLeft(a, b, width), c);
    case Rule::AndOr:
      return bitOr(bitAnd(a, b), c);
    case Rule::Or3:
      return bitOr(bitOr(a, b), c);
    case Rule::XorAdd:
      return upwards(bitXor(a, b), c);
    case Rule::PackHalves:
    case Rule::LowLow:
      return {0, (a.undefined & 0xffff) | (b.undefined & 0xffff) << 16};
    case Rule::LowHigh:
      return {0, (a.undefined & 0xffff) | (b.undefined & 0xffff0000)};
    case Rule::HighHigh:
      return {0, (a.undefined >> 16 & 0xffff) | (b.undefined & 0xffff0000)};
    case Rule::PackAnyHalves:
      return {0, (a.undefined ? 0xffffu : 0u) | (b.undefined ? 0xffff0000u : 0u)};
    case Rule::PackByte: {
      unsigned shift = (b.value & 3) * 8;
      uint64_t byte = a.undefined ? 0xffull << shift : 0;
      return b.undefined & 3 ? anyOf(1) : Bits{0, (c.undefined & ~(0xffull << shift)) | byte};
    }
    case Rule::Byte0:
    case Rule::Byte1:
    case Rule::Byte2:
    case Rule::Byte3:
      return anyOf(a.undefined >> 8 * (unsigned(rule) - unsigned(Rule::Byte0)) & 0xff);
    case Rule::Nibble:
      return anyOf(a.undefined & 15);
    case Rule::FirstOne: {
      uint64_t sure = a.value & ~a.undefined; // a defined one hides the bits above it
      return anyOf(sure ? a.undefined & ((sure & -sure) - 1) : a.undefined);
    }
    case Rule::LeadingZeros: {
      uint64_t sure = a.value & ~a.undefined;
      return anyOf(sure ? a.undefined & ~(std::bit_floor(sure) * 2 - 1) : a.undefined);
    }
    case Rule::Quads: {
      Bits any = anyOfQuads(a);
      return {any.value * 15, any.undefined * 15};
    }
    case Rule::QuadMask: {
      Bits any = anyOfQuads(a), result;
      for (unsigned i = 0; i < 16; ++i) {
        result.value |= (any.value >> 4 * i & 1) << i;
        result.undefined |= (any.undefined >> 4 * i & 1) << i;
      }
      return result;
    }
    }
    return anyOf(1);
  }();
  return {result.value & getMask(width), result.undefined & getMask(width)};
}

bool comparisonUndefined(const OpRule &rule, unsigned width, bool isSigned, Bits a, Bits b) {
  uint64_t undefined = (a.undefined | b.undefined) & getMask(width);
  if (!undefined || rule.comparesNothing)
    return false;
  if (rule.comparesEqual)
    return !((a.value ^ b.value) & ~undefined & getMask(width)); // a defined bit that differs decides
  if (!rule.compares)
    return true;
  // Compares the min and the max that each side can have.
  uint64_t sign = isSigned ? uint64_t(1) << (width - 1) : 0;
  auto smallest = [&](Bits x) { return ((x.value ^ sign) & ~x.undefined) & getMask(width); };
  auto greatest = [&](Bits x) { return ((x.value ^ sign) | x.undefined) & getMask(width); };
  return !(greatest(a) < smallest(b) || smallest(a) > greatest(b));
}

} // namespace nstf::emulator::checks
