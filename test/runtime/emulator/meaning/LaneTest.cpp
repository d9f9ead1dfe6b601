// Instructions with special operands or lanes: access to one lane, permutations, swaps, accumulator moves,
// mixed-precision multiply-add, the division helpers, packed moves; and instructions that do nothing to registers.
#include "test/runtime/emulator/meaning/Coverage.h"
#include "test/runtime/emulator/meaning/Meaning.h"

#include <gtest/gtest.h>

namespace nstf::emulator::meaning {
namespace {

struct List {
  std::vector<Case> cases;
  Random random{randomSeed() * 13};
  Case &add(const std::string &name, const std::string &text, std::function<void(Machine &)> meaning,
            std::function<void(Machine &, Random &)> prepare = {}, bool optional = true) {
    Case c;
    c.name = name;
    c.text = text;
    c.meaning = meaning;
    c.prepare = prepare;
    c.optional = optional;
    c.rounds = 12;
    cases.push_back(c);
    return cases.back();
  }
};

/// Sets v20 to `function(before, lane)` in the active lanes.
std::function<void(Machine &)> toV20(std::function<u32(const Machine &, unsigned)> function) {
  return [=](Machine &m) {
    Machine before = m;
    for (unsigned l = 0; l < lanes; ++l)
      if (before.active(l))
        m.v[20][l] = function(before, l);
  };
}

void addLaneAccess(List &list) {
  list.add("V_READFIRSTLANE_B32", "v_readfirstlane_b32 s20, v2", [](Machine &m) {
    u64 exec = m.exec();
    m.s[20] = m.v[2][exec ? unsigned(__builtin_ctzll(exec)) : 0]; // "force lane 0 if all lanes are disabled"
  });
  list.add("V_READFIRSTLANE_B32", "v_readfirstlane_b32 vcc_hi, v3", [](Machine &m) {
    u64 exec = m.exec();
    m.s[vcc + 1] = m.v[3][exec ? unsigned(__builtin_ctzll(exec)) : 0];
  });
  for (const char *lane : {"s8", "m0", "37", "0"}) {
    auto number = [=](const Machine &m) {
      return (lane[0] == 's' ? m.s[8] : lane[0] == 'm' ? m.s[m0] : u32(std::stoi(lane))) & 63;
    };
    list.add("V_READLANE_B32", std::string("v_readlane_b32 s20, v2, ") + lane,
             [=](Machine &m) { m.s[20] = m.v[2][number(m)]; });
    if (lane[0] != 's')
      list.add("V_WRITELANE_B32", std::string("v_writelane_b32 v20, s8, ") + lane,
               [=](Machine &m) { m.v[20][number(m)] = m.s[8]; });
  }
  list.add("V_WRITELANE_B32", "v_writelane_b32 v20, 1.0, s8", [](Machine &m) { m.v[20][m.s[8] & 63] = 0x3f800000; });
  list.add("V_WRITELANE_B32", "v_writelane_b32 v20, s8, s8", [](Machine &m) { m.v[20][m.s[8] & 63] = m.s[8]; });
  list.add("V_SWAP_B32", "v_swap_b32 v20, v2", [](Machine &m) {
    for (unsigned l = 0; l < lanes; ++l)
      if (m.active(l))
        std::swap(m.v[20][l], m.v[2][l]);
  });
  list.add("V_ACCVGPR_READ_B32", "v_accvgpr_read_b32 v20, a3",
           toV20([](const Machine &m, unsigned l) { return m.v[agpr0 + 3][l]; }));
  for (const char *source : {"v2", "-5", "1.0"})
    list.add("V_ACCVGPR_WRITE_B32", std::string("v_accvgpr_write_b32 a4, ") + source, [=](Machine &m) {
      for (unsigned l = 0; l < lanes; ++l)
        if (m.active(l))
          m.v[agpr0 + 4][l] = source[0] == 'v' ? m.v[2][l] : source[0] == '-' ? u32(-5) : 0x3f800000;
    });
  list.add("V_ACCVGPR_MOV_B32", "v_accvgpr_mov_b32 a5, a1", [](Machine &m) {
    for (unsigned l = 0; l < lanes; ++l)
      if (m.active(l))
        m.v[agpr0 + 5][l] = m.v[agpr0 + 1][l];
  });
}

void addPermutations(List &list) {
  auto someAddresses = [](Machine &m, Random &random) {
    for (unsigned l = 0; l < lanes; ++l)
      m.v[2][l] = random.oneIn(4) ? u32(random.bits()) : random.below(64) * 4 + random.below(4);
  };
  for (unsigned offset : {0u, 8u, 252u}) {
    std::string text = offset ? " offset:" + std::to_string(offset) : "";
    // Reading a disabled lane gives 0.
    list.add("DS_BPERMUTE_B32", "ds_bpermute_b32 v20, v2, v4" + text, toV20([=](const Machine &m, unsigned l) {
               unsigned from = (m.v[2][l] + offset) / 4 % 64;
               return m.active(from) ? m.v[4][from] : 0;
             }),
             someAddresses);
    // The highest of several senders wins; lanes without a sender get 0.
    list.add(
        "DS_PERMUTE_B32", "ds_permute_b32 v20, v2, v4" + text,
        [=](Machine &m) {
          u32 sent[lanes] = {};
          for (unsigned l = 0; l < lanes; ++l)
            if (m.active(l))
              sent[(m.v[2][l] + offset) / 4 % 64] = m.v[4][l];
          for (unsigned l = 0; l < lanes; ++l)
            if (m.active(l))
              m.v[20][l] = sent[l];
        },
        someAddresses);
  }
  std::vector<unsigned> patterns = {0x8000 | 0x1b, 0x8000 | 0x4e, 0x8000, 0x80ff};
  for (int i = 0; i < 12; ++i)
    patterns.push_back(list.random.below(0x8000)); // masks: and, or, xor
  for (int i = 0; i < 6; ++i)
    patterns.push_back(0x8000 | list.random.below(256));
  for (int i = 0; i < 8; ++i)
    patterns.push_back(0xc000 | list.random.below(0x800)); // rotations
  for (unsigned mask : {0u, 0x10u, 0x1fu, 7u})
    patterns.push_back(0xe000 | mask); // patterns for Fourier transforms
  for (unsigned offset : patterns)
    list.add("DS_SWIZZLE_B32", "ds_swizzle_b32 v20, v2 offset:" + std::to_string(offset),
             toV20([=](const Machine &m, unsigned l) -> u32 {
               unsigned group = l & ~31u, in = l & 31, from;
               if (offset >= 0xe000) {
                 unsigned mask = offset & 31,
                          reversed = (in & 1) << 4 | (in & 2) << 2 | (in & 4) | (in & 8) >> 2 | in >> 4;
                 from = (reversed >> __builtin_popcount(mask)) | (in & mask);
               } else if (offset >= 0xc000) {
                 unsigned count = offset >> 5 & 31, mask = offset & 31, right = offset >> 10 & 1;
                 from = (in & mask) | ((right ? in - count : in + count) & 31 & ~mask);
               } else if (offset & 0x8000) {
                 from = (in & ~3u) | (offset >> 2 * (in & 3) & 3);
               } else {
                 from = (((in & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)) & 31;
               }
               return m.active(group + from) ? m.v[2][group + from] : 0;
             }));
}

void addPackedMove(List &list) {
  for (unsigned select = 0; select < 4; ++select)
    for (unsigned destination : {20u, 2u, 4u}) {
      std::string text = "v_pk_mov_b32 v[" + std::to_string(destination) + ":" + std::to_string(destination + 1) +
                         "], v[2:3], v[4:5] op_sel:[" + std::to_string(select & 1) + "," + std::to_string(select >> 1) +
                         "]";
      list.add("V_PK_MOV_B32", text, [=](Machine &m) {
        for (unsigned l = 0; l < lanes; ++l)
          if (m.active(l)) {
            u32 low = m.v[2 + (select & 1)][l], high = m.v[4 + (select >> 1)][l];
            m.v[destination][l] = low, m.v[destination + 1][l] = high;
          }
      });
    }
}

/// v_fma_mix: op_sel_hi marks a source as f16, op_sel chooses its half; neg_hi's bits mean abs.
void addMixed(List &list) {
  for (const char *name :
       {"V_FMA_MIX_F32", "V_FMA_MIXLO_F16", "V_FMA_MIXHI_F16", "V_MAD_MIX_F32", "V_MAD_MIXLO_F16", "V_MAD_MIXHI_F16"})
    for (int i = 0; i < 24; ++i) {
      unsigned halves = i == 0 ? 0 : list.random.below(8), upper = list.random.below(8) & halves;
      unsigned negate = i < 2 ? 0 : list.random.below(8), absolute = i < 2 ? 0 : list.random.below(8);
      bool clamp = i % 5 == 4;
      std::string text, which = name;
      for (char c : which)
        text += char(std::tolower(c));
      text += " v20";
      for (unsigned k = 0; k < 3; ++k) {
        std::string source = "v" + std::to_string(2 + 2 * k);
        source = absolute >> k & 1 ? "|" + source + "|" : source;
        text += ", " + std::string(negate >> k & 1 ? "-" : "") + source;
      }
      auto bits = [](unsigned v) {
        return "[" + std::to_string(v & 1) + "," + std::to_string(v >> 1 & 1) + "," + std::to_string(v >> 2) + "]";
      };
      text += " op_sel:" + bits(upper) + " op_sel_hi:" + bits(halves) + (clamp ? " clamp" : "");
      Case &c = list.add(
          name, text, toV20([=](const Machine &m, unsigned l) -> u32 {
            u64 v[3];
            FloatMode mode = m.floats(single);
            for (unsigned k = 0; k < 3; ++k) {
              u32 raw = m.v[2 + 2 * k][l];
              v[k] = halves >> k & 1 ? convert(half, single, upper >> k & 1 ? raw >> 16 : raw & 0xffff, {}, {}) : raw;
              if (absolute >> k & 1)
                v[k] &= 0x7fffffff;
              if (negate >> k & 1)
                v[k] ^= 0x80000000;
            }
            u64 r = fused(single, v[0], v[1], v[2], mode);
            if (clamp)
              r = single.isNan(r) ? (m.dx10Clamp() ? 0 : r) : single.isNegative(r) ? 0 : std::min<u64>(r, single.one());
            if (which.ends_with("F32"))
              return u32(r);
            u32 h = u32(convert(single, half, r, {}, m.floats(half)));
            u32 old = m.v[20][l];
            return which.find("LO") != std::string::npos ? (old & 0xffff0000) | h : (old & 0xffff) | h << 16;
          }),
          [](Machine &m, Random &random) {
            for (unsigned row : {2u, 4u, 6u})
              for (unsigned l = 0; l < lanes; ++l)
                m.v[row][l] = u32(random.value(random.oneIn(2) ? Type::pf16 : Type::f32));
          });
      c.modes = true;
      c.rounds = 8;
    }
}

/// Whether |n / d|, rounded to the format, is subnormal but not 0.
bool quotientIsSubnormal(Format f, Number n, Number d) {
  // The lower bound is d times half the smallest subnormal, which rounds to 0; the upper bound is d times the smallest
  // quotient that rounds to a normal number.
  n.negative = d.negative = false;
  Number almost = plus(exactly(1), negative(scaled(exactly(1), -i64(f.fractionBits) - 2)));
  return compare(n, scaled(times(d, almost), 1 - f.bias())) < 0 &&
         compare(n, scaled(d, -f.bias() - i64(f.fractionBits))) > 0;
}
/// V_DIV_SCALE as in the manual, except that it scales the denominator of a tiny quotient down where scaling up would
/// overflow (runtime/emulator/instructions/README.md). The result is NaN for a division of or by 0; other cases that
/// are not finite are not examined.
u64 divScale(Format f, u64 s0, u64 s1, u64 s2, bool &flag) {
  const bool isDouble = f.fractionBits == 52;
  const i64 by = isDouble ? 128 : 64;
  auto field = [&](u64 v) { return f.exponentField(v); };
  auto times2 = [&](i64 e) { return f.isNan(s0) ? quieted(f, s0) : getBits(f, scaled(getNumber(f, s0), e)); };
  flag = false;
  if (f.isZero(s2) || f.isZero(s1))
    return f.infinity() | f.quietBit();
  if (field(s2) - field(s1) >= (isDouble ? 768 : 96)) {
    flag = true;
    return s0 == s1 ? times2(by) : s0;
  }
  if (f.isSubnormal(s1))
    return times2(by);
  Number n = getNumber(f, s2), d = getNumber(f, s1);
  bool finite = n.kind == Number::Finite && d.kind == Number::Finite;
  bool tinyReciprocal = d.kind == Number::Finite && quotientIsSubnormal(f, exactly(1), d);
  bool tinyQuotient = finite && quotientIsSubnormal(f, n, d);
  if (tinyReciprocal && tinyQuotient) {
    flag = true;
    return s0 == s1 ? times2(-by) : s0;
  }
  if (tinyReciprocal)
    return times2(-by);
  if (tinyQuotient) {
    flag = true;
    return s0 == s2 ? times2(by) : s0;
  }
  if (field(s2) <= (isDouble ? 53 : 23))
    return times2(by);
  return s0;
}

void addDivision(List &list) {
  for (bool isDouble : {false, true}) {
    Format f = isDouble ? doubled : single;
    Type t = isDouble ? Type::f64 : Type::f32;
    std::string suffix = isDouble ? "64" : "32";
    auto reg = [=](unsigned at) {
      return isDouble ? "v[" + std::to_string(at) + ":" + std::to_string(at + 1) + "]" : "v" + std::to_string(at);
    };
    auto value = [=](const Machine &m, unsigned at, unsigned l) { return isDouble ? m.wide(at, l) : m.v[at][l]; };
    auto set = [=](Machine &m, unsigned at, unsigned l, u64 v) {
      m.v[at][l] = u32(v);
      if (isDouble)
        m.v[at + 1][l] = u32(v >> 32);
    };
    for (const char *mask : {"vcc", "s[12:13]"})
      for (bool numerator : {false, true}) {
        unsigned first = numerator ? 6 : 4;
        list.add(
                "V_DIV_SCALE_F" + suffix,
                "v_div_scale_f" + suffix + " " + reg(20) + ", " + mask + ", " + reg(first) + ", " + reg(4) + ", " +
                    reg(6),
                [=](Machine &m) {
                  u64 bits = 0;
                  for (unsigned l = 0; l < lanes; ++l)
                    if (m.active(l)) {
                      bool flag;
                      set(m, 20, l, divScale(f, value(m, first, l), value(m, 4, l), value(m, 6, l), flag));
                      bits |= u64(flag) << l;
                    }
                  m.setPair(mask[0] == 'v' ? vcc : 12, bits);
                },
                [=](Machine &m, Random &random) {
                  for (unsigned l = 0; l < lanes; ++l)
                    for (unsigned at : {4u, 6u}) { // finite, with any exponent
                      u64 v;
                      do
                        v = random.oneIn(2) ? random.value(t) : random.bits() & f.mask();
                      while (f.isNan(v) || f.isInfinite(v));
                      set(m, at, l, v);
                    }
                })
            .rounds = 40;
      }
    list.add(
            "V_DIV_FMAS_F" + suffix,
            "v_div_fmas_f" + suffix + " " + reg(20) + ", " + reg(2) + ", " + reg(4) + ", " + reg(6),
            [=](Machine &m) {
              u64 flags = m.pair(vcc);
              for (unsigned l = 0; l < lanes; ++l)
                if (m.active(l)) {
                  u64 a = value(m, 2, l), b = value(m, 4, l), c = value(m, 6, l);
                  Number n = plus(times(getNumber(f, a), getNumber(f, b)), getNumber(f, c));
                  // Scaled up for large quotients and down for small ones, and rounded once.
                  i64 by = isDouble ? 128 : 64;
                  if (flags >> l & 1)
                    n = scaled(n, f.exponentField(c) > f.bias() ? by : -by);
                  set(m, 20, l, n.kind == Number::Nan ? getNan(f, {a, b, c}) : getBits(f, n));
                }
            },
            [=](Machine &m, Random &random) {
              m.setPair(vcc, random.bits());
              for (unsigned l = 0; l < lanes; ++l)
                for (unsigned at : {2u, 4u, 6u})
                  set(m, at, l, random.value(t));
            })
        .rounds = 40;
  }
}

void addWideSums(List &list) {
  for (const char *clamp : {"", " clamp"})
    list.add("V_MQSAD_U32_U8", std::string("v_mqsad_u32_u8 v[20:23], v[2:3], v4, v[8:11]") + clamp, [=](Machine &m) {
      Machine before = m;
      for (unsigned l = 0; l < lanes; ++l)
        if (m.active(l))
          for (unsigned k = 0; k < 4; ++k) {
            u64 bytes = before.wide(2, l) >> 8 * k, sum = before.v[8 + k][l];
            for (unsigned i = 0; i < 32; i += 8)
              if (u32 r = before.v[4][l] >> i & 0xff)
                sum += (bytes >> i & 0xff) > r ? (bytes >> i & 0xff) - r : r - (bytes >> i & 0xff);
            m.v[20 + k][l] = *clamp ? u32(std::min<u64>(sum, 0xffffffff)) : u32(sum);
          }
    });
}

void addNothing(List &list) {
  for (const char *text : {"s_nop 3",
                           "s_waitcnt vmcnt(0)",
                           "s_sleep 1",
                           "s_setprio 2",
                           "s_wakeup",
                           "s_icache_inv",
                           "s_incperflevel 1",
                           "s_decperflevel 1",
                           "s_sendmsg sendmsg(MSG_INTERRUPT)",
                           "s_ttracedata",
                           "s_dcache_inv",
                           "s_dcache_inv_vol",
                           "s_dcache_wb",
                           "s_dcache_wb_vol",
                           "v_nop",
                           "v_clrexcp",
                           "s_sethalt 0",
                           "s_cbranch_cdbgsys 4",
                           "s_cbranch_cdbguser 4",
                           "s_cbranch_cdbgsys_or_user 4",
                           "s_cbranch_cdbgsys_and_user 4",
                           "buffer_wbinvl1",
                           "buffer_wbinvl1_vol",
                           "buffer_wbl2",
                           "buffer_invl2",
                           "buffer_inv sc1",
                           "ds_nop",
                           "s_dcache_discard s[8:9], s2",
                           "s_dcache_discard_x2 s[8:9], s2",
                           "s_atc_probe 1, s[8:9], 0x0",
                           "s_atc_probe_buffer 1, s[8:11], 0x0"}) {
    std::string name;
    for (const char *c = text; *c && *c != ' '; ++c)
      name += char(std::toupper(*c));
    list.add(name, text, [](Machine &) {});
  }
}

} // namespace

std::vector<Case> laneCases() {
  List list;
  addLaneAccess(list);
  addPermutations(list);
  addPackedMove(list);
  addMixed(list);
  addDivision(list);
  addWideSums(list);
  addNothing(list);
  for (Case &c : list.cases)
    if (c.name.starts_with("DS_"))
      c.ldsBytes = 1024;
  return list.cases;
}

namespace {
TEST(LaneMeaning, All) {
  std::vector<Case> cases = laneCases();
  for (const char *target : {"gfx90a", "gfx942"})
    runCases(target, cases);
}
} // namespace
} // namespace nstf::emulator::meaning
