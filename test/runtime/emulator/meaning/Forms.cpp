// Assembly texts of every form of a vector instruction.
//
// The forms follow from the operands' types: VGPR, SGPR, inline constant and literal sources; e32, e64, SDWA and DPP
// encodings; neg, abs, sext, op_sel, clamp, omod; the destination in place of a source. If the assembler refuses a
// text, the form does not exist.
#include "test/runtime/emulator/meaning/VectorModel.h"

#include <algorithm>
#include <cctype>

namespace nstf::emulator::meaning {
namespace {

bool isPacked(Type t) { return t == Type::p16 || t == Type::pf16 || t == Type::pf32 || t == Type::p32; }
std::string range(char file, unsigned at, unsigned bits) {
  std::string first = std::to_string(at);
  return bits == 64 ? std::string(1, file) + "[" + first + ":" + std::to_string(at + 1) + "]" : file + first;
}
std::string maskText(unsigned at) { return at == vcc ? "vcc" : range('s', at, 64); }

const char *const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
const char *const unusedRules[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

struct Writer {
  Form form;
  Random &random;
  std::string constant[3]; ///< texts of constant sources

  const VectorMeaning &meaning() const { return *form.meaning; }
  bool plain() const { return meaning().flags & PlainOnly; }

  void inlineConstant(Source &s, std::string &text) {
    static const struct {
      const char *text;
      double value;
    } floats[] = {{"0.5", 0.5}, {"-0.5", -0.5}, {"1.0", 1}, {"-1.0", -1},
                  {"2.0", 2},   {"-2.0", -2},   {"4.0", 4}, {"-4.0", -4}};
    s.place = Source::Constant;
    bool isFloat32 = s.type == Type::b32 || s.type == Type::f32 || s.type == Type::shift || s.type == Type::pf32;
    bool floating = isFloat(s.type) || s.type == Type::pf16 || s.type == Type::pf32 ||
                    (s.type == Type::b32 && random.oneIn(4)) || (s.type == Type::b64 && random.oneIn(4));
    if (floating && random.oneIn(5) == false) {
      auto &f = floats[random.below(8)];
      text = f.text;
      s.value = fromHost(isFloat32 ? single : getBits(s.type) == 64 ? doubled : half, f.value);
    } else {
      int v = int(random.below(81)) - 16;
      text = std::to_string(v);
      s.value = getBits(s.type) == 64 && s.type != Type::pf32 ? u64(i64(v)) : u32(v);
    }
  }
  void literal(Source &s, std::string &text) {
    s.place = Source::Constant;
    u32 v = u32(random.value(s.type == Type::f64 ? Type::b32 : s.type)) & 0x7fffffff;
    v |= 0x01000100; // rules out inline constants
    if (getBits(s.type) == 16)
      v = (v & 0x7fff) | 0x0100;
    if (s.type == Type::f64)
      v = (v & 0x001fffff) | 0x40000000;
    char buffer[16];
    snprintf(buffer, sizeof(buffer), "0x%x", v);
    text = buffer;
    s.value = s.type == Type::f64 ? u64(v) << 32 : v;
  }
  void scalar(Source &s) {
    static const unsigned some[] = {8, 10, 14, vcc, m0};
    s.place = Source::Scalar;
    s.at = some[random.below(getBits(s.type) == 64 ? 4 : 5)];
  }

  void addModifiers(Source &s) {
    if (plain())
      return;
    if (isPacked(s.type))
      return;
    if (isFloat(s.type) && !(form.encoding == Encoding::Sdwa && s.select != 6 && getBits(s.type) == 32)) {
      s.negate = random.oneIn(3);
      s.absolute = random.oneIn(3);
    } else if (form.encoding == Encoding::Sdwa && !isFloat(s.type)) {
      s.extend = random.oneIn(3);
    }
  }

  std::string sourceText(const Source &s, const std::string &constantText) const {
    std::string text = s.place == Source::Vector   ? range('v', s.at, getBits(s.type))
                       : s.place == Source::Scalar ? s.at == m0    ? "m0"
                                                     : s.at == vcc ? (getBits(s.type) == 64 ? "vcc" : "vcc_lo")
                                                                   : range('s', s.at, getBits(s.type))
                                                   : constantText;
    if (isPacked(s.type))
      return text;
    if (s.place == Source::Constant && (s.negate || s.absolute))
      return s.absolute ? (s.negate ? "-abs(" : "abs(") + text + ")" : "neg(" + text + ")";
    if (s.absolute)
      text = "|" + text + "|";
    if (s.negate)
      text = "-" + text;
    if (s.extend)
      text = "sext(" + text + ")";
    return text;
  }

  std::string list(const char *name, auto bit, bool withResult, bool result = false) const {
    std::string text = std::string(" ") + name + ":[";
    for (size_t k = 0; k < form.sources.size(); ++k)
      text += (k ? "," : "") + std::to_string(int(bit(form.sources[k])));
    if (withResult)
      text += "," + std::to_string(int(result));
    return text + "]";
  }

  std::string dppText() const {
    unsigned c = form.control, n = c & 15;
    std::string text;
    if (c < 0x100)
      text = "quad_perm:[" + std::to_string(c & 3) + "," + std::to_string(c >> 2 & 3) + "," +
             std::to_string(c >> 4 & 3) + "," + std::to_string(c >> 6 & 3) + "]";
    else if (c < 0x130)
      text = (c < 0x110 ? "row_shl:" : c < 0x120 ? "row_shr:" : "row_ror:") + std::to_string(n);
    else if (c >= 0x150)
      text = "row_newbcast:" + std::to_string(n);
    else
      text = c == 0x130   ? "wave_shl:1"
             : c == 0x134 ? "wave_rol:1"
             : c == 0x138 ? "wave_shr:1"
             : c == 0x13c ? "wave_ror:1"
             : c == 0x140 ? "row_mirror"
             : c == 0x141 ? "row_half_mirror"
             : c == 0x142 ? "row_bcast:15"
                          : "row_bcast:31";
    text += " row_mask:" + std::to_string(form.rowMask) + " bank_mask:" + std::to_string(form.bankMask);
    return text + (form.boundControl ? " bound_ctrl:0" : "");
  }

  std::string text() const {
    static const char *const suffixes[] = {"", "_e32", "_e64", "_sdwa", "_dpp"};
    std::string text;
    for (char c : meaning().name)
      text += char(std::tolower(c));
    text += suffixes[unsigned(form.encoding)];
    const char *separator = " ";
    auto operand = [&](const std::string &t) {
      text += separator + t;
      separator = ", ";
    };
    u32 flags = meaning().flags;
    if (!(flags & MaskOnly))
      operand(range('v', form.destination, getBits(meaning().result)));
    if (flags & (MaskOut | MaskOnly))
      operand(maskText(form.maskOut));
    for (size_t k = 0; k < form.sources.size(); ++k)
      operand(sourceText(form.sources[k], constant[k]));
    if (flags & MaskIn)
      operand(maskText(form.maskIn));
    if (form.encoding == Encoding::Dpp)
      text += " " + dppText();
    bool packed =
        std::any_of(form.sources.begin(), form.sources.end(), [](const Source &s) { return isPacked(s.type); });
    auto differs = [&](auto bit, bool usual) {
      return std::any_of(form.sources.begin(), form.sources.end(), [&](const Source &s) { return bit(s) != usual; });
    };
    auto opSel = [](const Source &s) { return s.opSel; };
    if (differs(opSel, false) || form.resultHigh)
      text += list("op_sel", opSel, !packed, form.resultHigh);
    else if (form.opSel) {
      text += " op_sel:[";
      unsigned first = flags & WholeHalves ? 1 : 0; // two sources and the result
      for (unsigned k = first; k < 4; ++k)
        text += (k > first ? "," : "") + std::to_string(form.opSel >> k & 1);
      text += "]";
    }
    if (packed) {
      if (auto bit = [](const Source &s) { return s.opSelHigh; }; differs(bit, true))
        text += list("op_sel_hi", bit, false);
      if (auto bit = [](const Source &s) { return s.negate; }; differs(bit, false))
        text += list("neg_lo", bit, false);
      if (auto bit = [](const Source &s) { return s.negateHigh; }; differs(bit, false))
        text += list("neg_hi", bit, false);
    }
    if (form.clamp)
      text += " clamp";
    if (form.omod)
      text += form.omod == 1 ? " mul:2" : form.omod == 2 ? " mul:4" : " div:2";
    if (form.encoding == Encoding::Sdwa) {
      if (!(flags & MaskOnly) && getBits(meaning().result) != 64)
        text += std::string(" dst_sel:") + selects[form.select] + " dst_unused:" + unusedRules[form.unused];
      for (size_t k = 0; k < form.sources.size(); ++k)
        text += " src" + std::to_string(k) + "_sel:" + selects[form.sources[k].select];
    }
    return text;
  }
};

Case caseOf(const Writer &writer) {
  Case c;
  const VectorMeaning &meaning = writer.meaning();
  c.name = meaning.name;
  c.text = writer.text();
  c.optional = true;
  Form form = writer.form;
  c.prepare = [form](Machine &m, Random &random) {
    bool once = random.oneIn(4);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (const Source &s : form.sources)
        if (s.place == Source::Vector) {
          u64 v = random.value(s.type);
          if (form.encoding == Encoding::Sdwa && once) // makes bytes and halves edge cases, too
            v = v << 16 | (v & 0xffff);
          if (s.opSel && getBits(s.type) == 16)
            v = v << 16 | v >> 16;
          m.v[s.at][lane] = u32(v);
          if (getBits(s.type) == 64)
            m.v[s.at + 1][lane] = u32(v >> 32);
        }
      if ((form.meaning->flags & Accumulates)) {
        u64 v = random.value(form.meaning->result);
        m.v[form.destination][lane] = u32(v);
        if (getBits(form.meaning->result) == 64)
          m.v[form.destination + 1][lane] = u32(v >> 32);
      }
    }
    for (const Source &s : form.sources)
      if (s.place == Source::Scalar) {
        u64 v = random.value(s.type);
        m.s[s.at] = u32(v);
        if (getBits(s.type) == 64)
          m.s[s.at + 1] = u32(v >> 32);
      }
    if (form.meaning->flags & MaskIn || form.meaning->flags & ImplicitMaskIn)
      m.setPair(form.maskIn, random.bits());
  };
  c.meaning = [form](Machine &m) { run(form, m); };
  auto floats = [](Type t) { return isFloat(t) || t == Type::pf16 || t == Type::pf32; };
  c.modes = !(meaning.flags & UsualMode) &&
            (floats(meaning.result) || std::any_of(meaning.sources.begin(), meaning.sources.end(), floats));
  if (meaning.steps) {
    c.steps = meaning.steps;
    c.loose = meaning.result;
    c.looseRow = writer.form.destination;
    c.looseRows = getBits(meaning.result) == 64 ? 2 : 1;
  }
  return c;
}

unsigned someControl(Random &random, bool wide) {
  static const unsigned fixed[] = {0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  if (wide)
    return 0x150 + random.below(16);
  switch (random.below(4)) {
  case 0:
    return random.below(256);
  case 1:
    return 0x100 + 16 * random.below(3) + 1 + random.below(15);
  case 2:
    return 0x150 + random.below(16);
  default:
    return fixed[random.below(8)];
  }
}

} // namespace

void addVectorCases(const VectorMeaning &meaning, std::vector<Case> &cases) {
  Random random(randomSeed() * 77 + std::hash<std::string>()(meaning.name));
  auto shared = std::make_shared<const VectorMeaning>(meaning);
  u32 flags = meaning.flags;
  bool constantSource = flags & (ConstantMiddle | ConstantLast);
  auto writer = [&](Encoding encoding) {
    Writer w{Form(), random, {}};
    w.form.meaning = shared;
    w.form.encoding = encoding;
    for (size_t k = 0; k < meaning.sources.size(); ++k) {
      Source s;
      s.type = meaning.sources[k];
      s.at = unsigned(2 + 2 * k);
      if ((k == 1 && (flags & ConstantMiddle)) || (k == 2 && (flags & ConstantLast)))
        w.literal(s, w.constant[k]);
      w.form.sources.push_back(s);
    }
    return w;
  };
  auto place = [&](Writer &w, size_t k, bool canBeLiteral) {
    Source &s = w.form.sources[k];
    if (s.place == Source::Constant || (flags & NoScalars))
      return;
    switch (random.below(canBeLiteral ? 4 : 3)) {
    case 0:
      w.scalar(s);
      break;
    case 1:
      w.inlineConstant(s, w.constant[k]);
      if (isPacked(s.type)) { // the upper half of a constant is unspecified
        s.opSel = s.opSelHigh = false;
        if (s.type == Type::p16 && i32(s.value) < 0)
          s.value &= 0xffff;
      }
      break;
    case 2:
      break;
    default:
      w.literal(s, w.constant[k]);
    }
  };
  auto add = [&](const Writer &w, unsigned rounds = 0) {
    cases.push_back(caseOf(w));
    cases.back().rounds = rounds;
  };

  add(writer(Encoding::Plain), 16);
  if (!(flags & Accumulates)) { // the destination is also a source
    for (size_t k = 0; k < meaning.sources.size(); ++k) {
      Writer w = writer(Encoding::Plain);
      if (w.form.sources[k].place == Source::Constant || (flags & MaskOnly))
        continue;
      w.form.destination = w.form.sources[k].at;
      add(w);
    }
  }
  for (int i = 0; i < 5; ++i) {
    Writer w = writer(Encoding::E32);
    if (i && !meaning.sources.empty())
      place(w, 0, !constantSource);
    add(w);
  }
  for (int i = 0; i < 14; ++i) {
    Writer w = writer(Encoding::E64);
    Form &f = w.form;
    if (i && !meaning.sources.empty())
      place(w, random.below(unsigned(meaning.sources.size())), false);
    for (Source &s : f.sources) {
      if (i % 3)
        w.addModifiers(s);
      if (getBits(s.type) == 16 && s.place != Source::Constant && i > 9)
        s.opSel = random.oneIn(2);
      if (isPacked(s.type) && s.place != Source::Constant && i > 2 && !w.plain()) {
        s.opSel = random.oneIn(2);
        s.opSelHigh = random.oneIn(2);
        if (s.type == Type::pf16 || s.type == Type::pf32) {
          s.negate = random.oneIn(3);
          s.negateHigh = random.oneIn(3);
        }
      }
    }
    if (getBits(meaning.result) == 16 && i > 9)
      f.resultHigh = random.oneIn(2);
    if (flags & WholeRegister)
      f.opSel = flags & WholeHalves ? random.below(2) << 3 : random.below(4) << 2;
    if (!w.plain() && !(flags & MaskOnly)) {
      f.clamp = i % 4 == 3;
      f.omod = isFloat(meaning.result) && !meaning.steps && i % 5 == 4 ? 1 + random.below(3) : 0;
    }
    if (flags & (MaskOut | MaskOnly))
      f.maskOut = i % 3 ? 12 : vcc;
    if (flags & MaskIn)
      f.maskIn = i % 2 ? 16 : vcc;
    add(w);
  }
  for (int i = 0; i < 12; ++i) {
    Writer w = writer(Encoding::Sdwa);
    Form &f = w.form;
    for (size_t k = 0; k < f.sources.size(); ++k) {
      Source &s = f.sources[k];
      if (i == 11 && k == 0)
        w.scalar(s);
      s.select = flags & ByteSelect ? random.below(4) : flags & WordSelect ? 4 + random.below(2) : random.below(7);
      w.addModifiers(s);
    }
    if (!(flags & MaskOnly) && getBits(meaning.result) != 64 && !meaning.steps) {
      f.select = random.below(7);
      f.unused = random.below(3);
    }
    if (f.select == 6)
      f.unused = 0; // the whole register is written
    if (!w.plain() && !(flags & MaskOnly)) {
      f.clamp = random.oneIn(4);
      f.omod = isFloat(meaning.result) && !meaning.steps && random.oneIn(4) ? 1 + random.below(3) : 0;
    }
    if ((flags & MaskOnly) && random.oneIn(2))
      f.maskOut = 12;
    add(w);
  }
  for (int i = 0; i < 14; ++i) {
    Writer w = writer(Encoding::Dpp);
    Form &f = w.form;
    for (Source &s : f.sources)
      w.addModifiers(s);
    bool wide = !meaning.sources.empty() && (getBits(meaning.sources[0]) == 64 || getBits(meaning.result) == 64);
    f.control = someControl(random, wide);
    f.boundControl = random.oneIn(2);
    if (i % 2) {
      f.rowMask = random.below(16);
      f.bankMask = random.below(16);
    }
    add(w);
  }
}

} // namespace nstf::emulator::meaning
