// Assembly texts of scalar instructions.
#include "test/runtime/emulator/meaning/ScalarMeaning.h"

namespace nstf::emulator::meaning {
namespace {

struct Operand {
  bool constant = false;
  unsigned at = 0;
  u64 value = 0;
  std::string text;
};
std::string registerText(unsigned at, unsigned bits) {
  if (at == vcc)
    return bits == 64 ? "vcc" : "vcc_lo";
  if (at == execRegister)
    return bits == 64 ? "exec" : "exec_lo";
  if (at == m0)
    return "m0";
  std::string n = std::to_string(at);
  return bits == 64 ? "s[" + n + ":" + std::to_string(at + 1) + "]" : "s" + n;
}
Operand someOperand(Random &random, unsigned at, unsigned bits, bool plain) {
  static const double floats[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4};
  static const char *const texts[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
  Operand o;
  o.at = at;
  switch (plain ? 5 : random.below(6)) {
  case 0: {
    int v = int(random.below(81)) - 16;
    return {true, 0, bits == 64 ? u64(i64(v)) : u32(v), std::to_string(v)};
  }
  case 1: {
    unsigned i = random.below(8);
    return {true, 0, fromHost(bits == 64 ? doubled : single, floats[i]), texts[i]};
  }
  case 2:
    if (bits == 32) {
      u32 v = u32(random.value(Type::b32)) | 0x01000100;
      return {true, 0, v, std::to_string(v)};
    }
    [[fallthrough]];
  case 3:
    o.at = random.oneIn(2) ? vcc : bits == 32 && random.oneIn(2) ? m0 : execRegister;
    break;
  default:
    break;
  }
  o.text = registerText(o.at, bits);
  return o;
}

} // namespace

void addScalarCases(const ScalarMeaning &meaning, std::vector<Case> &cases) {
  Random random(randomSeed() * 31 + std::hash<std::string>()(meaning.name));
  for (int i = 0; i < 12; ++i) {
    bool plain = i < 2;
    bool writesExec = meaning.name.find("EXEC") != std::string::npos; // written twice, it would be undefined
    unsigned destination = plain || random.oneIn(2)                                 ? 20
                           : meaning.result == 64 && !writesExec && random.oneIn(2) ? execRegister
                                                                                    : vcc;
    std::vector<Operand> operands;
    std::string text, separator = " ";
    for (char c : meaning.name)
      text += char(std::tolower(c));
    auto add = [&](const std::string &t) { text += separator + t, separator = ", "; };
    if (meaning.result)
      add(registerText(destination, meaning.result));
    for (size_t k = 0; k < meaning.sources.size(); ++k) {
      unsigned at =
          !plain && k == 0 && random.oneIn(4) ? destination : unsigned(8 + 2 * k); // also the same as the result
      operands.push_back(someOperand(random, at, meaning.sources[k], plain || meaning.constant));
      add(operands.back().text);
    }
    i16 k = i16(i == 0 ? 0x8000 : random.value(Type::b16));
    if (meaning.constant)
      add(std::to_string(meaning.name.find("_U32") != std::string::npos ? int(u16(k)) : int(k)));
    Case c;
    c.name = meaning.name;
    c.text = text;
    c.optional = !plain;
    c.rounds = plain ? 200 : 30;
    c.prepare = [operands, meaning, destination, k](Machine &m, Random &random) {
      auto set = [&](unsigned at, unsigned bits) {
        u64 v = random.oneIn(5) ? random.value(Type::shift) : random.value(bits == 64 ? Type::b64 : Type::b32);
        if (random.oneIn(4)) // S_BFE: offset and width in range
          v = random.below(64) | random.below(70) << 16;
        m.s[at] = u32(v);
        if (bits == 64)
          m.s[at + 1] = u32(v >> 32);
      };
      for (size_t i = 0; i < operands.size(); ++i)
        if (!operands[i].constant)
          set(operands[i].at, meaning.sources[i]);
      if (meaning.constant && random.oneIn(4)) // equal to the constant
        m.s[operands.empty() ? destination : operands[0].at] = random.oneIn(2) ? u32(i32(k)) : u16(k);
    };
    c.meaning = [operands, meaning, destination, k](Machine &m) {
      Scalar s;
      s.bits = meaning.result;
      s.k = k;
      s.scc = m.scc;
      s.exec = m.exec();
      s.d = meaning.result == 64 ? m.pair(destination) : m.s[destination];
      u64 *sources[] = {&s.a, &s.b};
      for (size_t i = 0; i < operands.size(); ++i)
        *sources[i] = operands[i].constant       ? operands[i].value
                      : meaning.sources[i] == 64 ? m.pair(operands[i].at)
                                                 : m.s[operands[i].at];
      meaning.run(s);
      m.scc = s.scc;
      bool changesExec = s.exec != m.exec();
      u64 exec = s.exec;
      if (meaning.result == 64)
        m.setPair(destination, s.d);
      else if (meaning.result)
        m.s[destination] = u32(s.d);
      if (changesExec) // EXEC itself is written last
        m.setPair(execRegister, exec);
    };
    cases.push_back(c);
  }
}

} // namespace nstf::emulator::meaning
