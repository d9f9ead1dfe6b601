#include "test/runtime/emulator/meaning/VectorModel.h"

namespace nstf::emulator::meaning {

int dppSource(unsigned control, unsigned lane) {
  unsigned row = lane / 16 * 16, in = lane % 16, n = control & 15;
  if (control < 0x100) // quad_perm
    return int(lane / 4 * 4 + (control >> lane % 4 * 2 & 3));
  switch (control & ~15u) {
  case 0x100: // row_shl
    return in + n > 15 ? -1 : int(lane + n);
  case 0x110: // row_shr
    return in < n ? -1 : int(lane - n);
  case 0x120: // row_ror
    return int(row + (in + 16 - n) % 16);
  case 0x150: // row_newbcast
    return int(row + n);
  }
  switch (control) {
  case 0x130: // wave_shl
    return lane == 63 ? -1 : int(lane + 1);
  case 0x134: // wave_rol
    return int((lane + 1) % 64);
  case 0x138: // wave_shr
    return int(lane) - 1;
  case 0x13c: // wave_ror
    return int((lane + 63) % 64);
  case 0x140: // row_mirror
    return int(row + 15 - in);
  case 0x141: // row_half_mirror
    return int(lane / 8 * 8 + 7 - lane % 8);
  case 0x142: // row_bcast:15: a row's last lane to the next row
    return row ? int(row - 1) : -1;
  case 0x143: // row_bcast:31: lane 31 to rows 2 and 3
    return lane >= 32 ? 31 : -1;
  }
  return -1;
}

namespace {

bool isPacked(Type t) { return t == Type::p16 || t == Type::pf16 || t == Type::pf32 || t == Type::p32; }
unsigned halfBits(Type t) { return t == Type::p16 || t == Type::pf16 ? 16 : 32; }
u64 cut(u64 v, unsigned bits) { return bits == 64 ? v : v & ((u64(1) << bits) - 1); }

u64 fetch(const Machine &m, const Source &s, unsigned lane) {
  switch (s.place) {
  case Source::Vector:
    return getBits(s.type) == 64 ? m.wide(s.at, lane) : m.v[s.at][lane];
  case Source::Scalar:
    return getBits(s.type) == 64 ? m.pair(s.at) : m.s[s.at];
  default:
    return s.value;
  }
}

/// The part that SDWA selects, extended to the register's width.
u64 selected(u64 v, const Source &s) {
  u32 bits = u32(v);
  if (s.select < 4) {
    u32 byte = bits >> 8 * s.select & 0xff;
    return s.extend ? u32(i32(i8(byte))) : byte;
  }
  if (s.select < 6) {
    u32 word = bits >> 16 * (s.select - 4) & 0xffff;
    return s.extend ? u32(i32(i16(word))) : word;
  }
  return bits;
}

u64 signed_(u64 v, unsigned bits, bool absolute, bool negate) {
  u64 sign = u64(1) << (bits - 1);
  if (absolute)
    v &= ~sign;
  return negate ? v ^ sign : v;
}

/// The halves of a packed source that the lower and the upper result use.
void halves(u64 v, const Source &s, u64 &low, u64 &high) {
  unsigned bits = halfBits(s.type);
  low = signed_(cut(v >> (s.opSel ? bits : 0), bits), bits, false, s.negate);
  high = signed_(cut(v >> (s.opSelHigh ? bits : 0), bits), bits, false, s.negateHigh);
}

u64 prepared(u64 v, const Form &f, const Source &s) {
  if (isPacked(s.type)) { // in an instruction without a packed result: the two halves side by side
    u64 low, high;
    halves(v, s, low, high);
    return low | high << halfBits(s.type);
  }
  if (f.encoding == Encoding::Sdwa)
    v = selected(v, s);
  unsigned bits = getBits(s.type);
  if (bits == 16 && s.opSel)
    v >>= 16;
  return signed_(cut(v, bits), bits, s.absolute, s.negate);
}

/// Applies omod and then clamp to a float result.
u64 modified(u64 v, Format format, const Form &f, const Machine &m) {
  FloatMode mode = m.floats(format);
  // "Output modifiers are not compatible with output denormals … ignored if the IEEE mode bit is set; -0 becomes +0."
  if (f.omod && !mode.keepResults && !m.ieee()) {
    Number n = getNumber(format, v, mode);
    v = format.isNan(v) ? quieted(format, v) : getBits(format, scaled(n, f.omod == 3 ? -1 : i64(f.omod)), mode);
    if (format.isZero(v))
      v = 0;
  }
  if (f.clamp) {
    if (format.isNan(v))
      return m.dx10Clamp() ? 0 : v;
    if (format.isNegative(v) || format.isZero(v))
      return 0;
    return v > format.one() ? format.one() : v;
  }
  return v;
}

u64 getValue(const Form &f, const Machine &m, const u64 (&raw)[3], unsigned row, Lane &lane) {
  const VectorMeaning &meaning = *f.meaning;
  Type t = meaning.result;
  bool wide = getBits(t) == 64;
  u64 old = wide ? m.wide(row, lane.lane) : m.v[row][lane.lane];
  u64 *operands[3] = {&lane.a, &lane.b, &lane.c};
  bool accumulates = meaning.flags & Accumulates;
  lane.clamp = f.clamp && !isFloat(t) && t != Type::pf16 && t != Type::pf32;
  lane.opSel = f.opSel;
  lane.old = old;
  auto finished = [&](u64 v) {
    return isFloat(t) || t == Type::pf16 || t == Type::pf32 ? modified(v, getFormat(t), f, m) : v;
  };
  if (!isPacked(t)) {
    for (size_t k = 0; k < f.sources.size(); ++k)
      *operands[k] = prepared(raw[k], f, f.sources[k]);
    if (accumulates)
      lane.c = cut(old, getBits(t));
    return finished(meaning.value(lane));
  }
  unsigned bits = halfBits(t);
  u64 low[3] = {}, high[3] = {};
  for (size_t k = 0; k < f.sources.size(); ++k)
    halves(raw[k], f.sources[k], low[k], high[k]);
  if (accumulates)
    low[2] = cut(old, bits), high[2] = cut(old >> bits, bits);
  lane.a = low[0], lane.b = low[1], lane.c = low[2];
  u64 result = finished(meaning.value(lane));
  lane.a = high[0], lane.b = high[1], lane.c = high[2];
  return cut(result, bits) | finished(meaning.value(lane)) << bits;
}

/// The new bits of the destination register.
u64 merged(u64 v, u64 old, const Form &f) {
  const VectorMeaning &meaning = *f.meaning;
  unsigned bits = getBits(meaning.result);
  if (bits == 64)
    return v;
  v = cut(v, bits);
  if (f.encoding == Encoding::Sdwa && f.select != 6) {
    unsigned width = f.select < 4 ? 8 : 16, shift = f.select < 4 ? 8 * f.select : 16 * (f.select - 4);
    u32 field = u32(cut(v, width)) << shift, mask = u32(cut(~u64(0), width)) << shift;
    switch (f.unused) {
    case 0:
      return field;
    case 1:
      return u32(i32(u32(cut(v, width)) << (32 - width)) >> (32 - width)) << shift;
    default:
      return field | (u32(old) & ~mask);
    }
  }
  if (bits == 16) {
    if (f.resultHigh)
      return (old & 0xffff) | v << 16;
    if (meaning.flags & KeepsHalf)
      return (old & 0xffff0000) | v;
  }
  return v;
}

} // namespace

void run(const Form &f, Machine &m) {
  const VectorMeaning &meaning = *f.meaning;
  const Machine before = m;
  u64 exec = before.exec(), mask = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    if (!(exec >> i & 1))
      continue;
    unsigned from = i;
    bool exists = true;
    if (f.encoding == Encoding::Dpp) {
      if (!(f.rowMask >> i / 16 & 1) || !(f.bankMask >> i % 16 / 4 & 1))
        continue;
      int source = dppSource(f.control, i);
      exists = source >= 0 && (exec >> source & 1);
      if (!exists && !f.boundControl)
        continue;
      from = exists ? unsigned(source) : i;
    }
    u64 raw[3] = {};
    for (size_t k = 0; k < f.sources.size(); ++k)
      raw[k] = k == 0 ? (exists ? fetch(before, f.sources[0], from) : 0) : fetch(before, f.sources[k], i);
    Lane lane{.lane = i, .machine = before};
    if (meaning.flags & (MaskIn | ImplicitMaskIn))
      lane.bit = before.pair(f.maskIn) >> i & 1;
    u64 v = getValue(f, before, raw, f.destination, lane);
    if (meaning.flags & MaskOnly) {
      mask |= u64(v & 1) << i;
      continue;
    }
    mask |= u64(lane.bitOut) << i;
    if (getBits(meaning.result) == 64) {
      m.v[f.destination][i] = u32(v);
      m.v[f.destination + 1][i] = u32(v >> 32);
    } else {
      m.v[f.destination][i] = u32(merged(v, before.v[f.destination][i], f));
    }
  }
  if (meaning.flags & (MaskOut | MaskOnly))
    m.setPair(f.maskOut, mask);
  if (meaning.flags & WritesExec)
    m.setPair(execRegister, mask);
}

} // namespace nstf::emulator::meaning
