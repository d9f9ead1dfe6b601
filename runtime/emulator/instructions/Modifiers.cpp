// The micro-ops around a vector instruction.
//
// They implement what an encoding adds to an instruction: scalar sources, neg and abs, op_sel, SDWA, DPP, clamp, omod.
// The translator puts them before and after the instruction's own micro-op. Those before it fill temporary rows in all
// lanes; those after it write the destination under EXEC.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/Modifiers.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

constexpr uint16_t all = 0xffff;

template <unsigned width> const MicroOp *broadcast32(Wave &w, const MicroOp *op) {
  U32 value = w.scalarSource<uint32_t>(op->source[0]);
  for (unsigned c = 0; c < width / chunk; ++c)
    storeRow(w.destination(op), c, value, all);
  return op + 1;
}

template <unsigned width> const MicroOp *broadcast64(Wave &w, const MicroOp *op) {
  uint64_t value = w.scalarSource<uint64_t>(op->source[0]);
  U32 low = uint32_t(value), high = uint32_t(value >> 32);
  for (unsigned c = 0; c < width / chunk; ++c) {
    storeRow(w.destination(op), c, low, all);
    storeRow(w.destination(op) + width, c, high, all);
  }
  return op + 1;
}

/// source|, then its negative, on the sign bit of 16-, 32- or 64-bit values.
template <unsigned width, unsigned bits> const MicroOp *negate(Wave &w, const MicroOp *op) {
  const uint32_t sign = bits == 16 ? 0x8000u : 0x80000000u;
  const uint32_t keep = op->flags & sourceAbsolute ? ~sign : ~0u, flip = op->flags & sourceNegate ? sign : 0u;
  const uint32_t *from = w.row(op->source[0]);
  uint32_t *to = w.destination(op);
  for (unsigned c = 0; c < width / chunk; ++c) {
    if (bits == 64)
      storeRow(to, c, loadRow(from, c), all);
    unsigned at = bits == 64 ? width : 0;
    storeRow(to + at, c, (loadRow(from + at, c) & keep) ^ flip, all);
  }
  return op + 1;
}

/// op_sel, op_sel_hi, neg_lo and neg_hi of packed 16-bit sources.
template <unsigned width> const MicroOp *selectHalves(Wave &w, const MicroOp *op) {
  unsigned lowShift = op->flags & packLowFromHigh ? 16 : 0, highShift = op->flags & packHighFromHigh ? 16 : 0;
  uint32_t flip = (op->flags & packNegateLow ? 0x8000u : 0u) | (op->flags & packNegateHigh ? 0x80000000u : 0u);
  const uint32_t *from = w.row(op->source[0]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 v = loadRow(from, c);
    storeRow(w.destination(op), c, ((v >> lowShift & 0xffffu) | (v >> highShift) << 16) ^ flip, all);
  }
  return op + 1;
}

/// The same for packed 32-bit sources, which are two rows.
template <unsigned width> const MicroOp *selectPair(Wave &w, const MicroOp *op) {
  const uint32_t *from = w.row(op->source[0]);
  const uint32_t *low = op->flags & packLowFromHigh ? from + width : from;
  const uint32_t *high = op->flags & packHighFromHigh ? from + width : from;
  uint32_t flipLow = op->flags & packNegateLow ? 0x80000000u : 0u,
           flipHigh = op->flags & packNegateHigh ? 0x80000000u : 0u;
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 first = loadRow(low, c) ^ flipLow, second = loadRow(high, c) ^ flipHigh; // the source may be the destination
    storeRow(w.destination(op), c, first, all);
    storeRow(w.destination(op) + width, c, second, all);
  }
  return op + 1;
}

template <unsigned width> const MicroOp *selectHigh16(Wave &w, const MicroOp *op) {
  const uint32_t *from = w.row(op->source[0]);
  for (unsigned c = 0; c < width / chunk; ++c)
    storeRow(w.destination(op), c, loadRow(from, c) >> 16, all);
  return op + 1;
}

/// A byte or half of an SDWA source, zero- or sign-extended.
template <unsigned width> const MicroOp *selectBytes(Wave &w, const MicroOp *op) {
  unsigned select = op->flags & 7, shift = select < 4 ? select * 8 : select == 5 ? 16 : 0;
  unsigned unused = select < 4 ? 24 : select < 6 ? 16 : 0;
  bool extend = op->flags & selectSignExtend;
  const uint32_t *from = w.row(op->source[0]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 v = loadRow(from, c) >> shift << unused;
    storeRow(w.destination(op), c, extend ? bitsAs<U32>(bitsAs<I32>(v) >> unused) : v >> unused, all);
  }
  return op + 1;
}

/// Writes an SDWA result into a byte or half of the destination; the rest becomes zero or the sign, or is kept.
template <unsigned width> const MicroOp *mergeBytes(Wave &w, const MicroOp *op) {
  unsigned select = op->flags & 7, shift = select < 4 ? select * 8 : select == 5 ? 16 : 0;
  uint32_t field = select < 4 ? 0xffu : select < 6 ? 0xffffu : ~0u;
  unsigned unusedRule = op->flags >> 4 & 3;
  uint64_t exec = w.exec();
  const uint32_t *from = w.row(op->source[0]);
  uint32_t *to = w.destination(op);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 v = (loadRow(from, c) & field) << shift;
    if (unusedRule == 1 && select != 6) { // bits above are filled with the sign, bits below with zero
      unsigned top = select < 4 ? 24 - shift : 16 - shift;
      v = bitsAs<U32>(bitsAs<I32>(v << top) >> top);
    } else if (unusedRule == 2) {
      v |= loadRow(to, c) & ~(field << shift);
    }
    storeRow(to, c, v, uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

/// Writes a 16-bit VOP3 result into one half of the destination; the other half is kept.
template <unsigned width> const MicroOp *mergeHalf(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  bool high = op->flags;
  const uint32_t *from = w.row(op->source[0]);
  uint32_t *to = w.destination(op);
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 v = loadRow(from, c), old = loadRow(to, c);
    v = high ? (v << 16 | (old & 0xffffu)) : ((v & 0xffffu) | (old & 0xffff0000u));
    storeRow(to, c, v, uint16_t(exec >> c * chunk));
  }
  return op + 1;
}

/// DPP: moves the source's lanes to a temporary row, and narrows EXEC to the lanes that get a value. A lane whose
/// source does not exist or is disabled reads 0 with bound_ctrl, and is skipped without it. source[1]: the row of
/// source lanes; source[2]: mask of lanes that have one; immediate: mask of enabled lanes; flags: laneBound, lanePair.
template <unsigned width> const MicroOp *lanePermute(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), valid = w.scalarSource<uint64_t>(op->source[2]);
  const uint32_t *lanes = w.row(op->source[1]);
  if (exec != ~uint64_t(0) >> (64 - width))
    valid &= bitsOfLanes<width>(exec, lanes);
  moveLanes<width>(w.destination(op), w.row(op->source[0]), lanes, valid);
  if (op->flags & lanePair)
    moveLanes<width>(w.destination(op) + width, w.row(op->source[0]) + width, lanes, valid);
  w.savedExec = exec;
  w.setExec(exec & op->immediate & (op->flags & laneBound ? ~uint64_t(0) : valid));
  return op + 1;
}
const MicroOp *laneRestore(Wave &w, const MicroOp *op) {
  w.setExec(w.savedExec);
  return op + 1;
}

/// Clamps to [0, 1]; NaN becomes 0 unless MODE.dx10_clamp is off.
struct clamp {
  template <typename V> static HWY_INLINE V run(V v, bool nanToZero) {
    V inside = choose(v > V(0), choose(v < V(1), v, V(1)), V(0));
    return nanToZero ? inside : choose(isNan(v), v, inside);
  }
};
/// omod: times 2, times 4, or half. "Not compatible with output denormals", with which it is ignored, nor with
/// MODE.ieee; -0 becomes +0.
struct scale {
  template <typename V> static HWY_INLINE V run(V v, unsigned code) {
    V scaled = withNan(v * (code == 1 ? V(2) : code == 2 ? V(4) : V(0.5f)), v);
    return choose(scaled == V(0), V(0), scaled);
  }
};
template <unsigned width, typename Meaning, typename T> const MicroOp *modifyResult(Wave &w, const MicroOp *op) {
  if constexpr (std::is_same_v<Meaning, scale>) {
    uint32_t keepResults = 2u << (std::is_same_v<T, f32> ? mode::denormal32 : mode::denormal16_64);
    if (w.mode & (keepResults | 1u << mode::ieee))
      return op + 1;
    halfMode = HalfMode::of(w);
    halfMode.positiveZero = true;
  }
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  unsigned argument = std::is_same_v<Meaning, clamp> ? w.mode >> mode::dx10Clamp & 1 : op->flags;
  for (unsigned c = 0; c < width / chunk; ++c) {
    uint16_t active = uint16_t(exec >> c * chunk);
    if constexpr (Packed<T>)
      T::store(to, c, Meaning::run(T::low(to, c), argument), Meaning::run(T::high(to, c), argument), active);
    else
      T::store(to, c, Meaning::run(T::load(to, c), argument), active);
  }
  return op + 1;
}

/// Clamp of an addition with carry out: lanes with a carry get the largest number, those with a borrow 0. For signed
/// multiply-add, the carry is the exact result's sign; if the wrapped result has another sign, it overflowed.
template <unsigned width, bool wide> const MicroOp *saturateCarry(Wave &w, const MicroOp *op) {
  uint64_t carry = w.scalar64(op->scalarDestination);
  uint32_t *low = w.destination(op), *high = low + width;
  bool isSigned = wide && (op->flags & saturateSigned);
  for (uint64_t mask = isSigned ? w.exec() : carry & w.exec(); mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctzll(mask));
    if (isSigned) {
      bool negative = carry >> lane & 1;
      if (negative != bool(high[lane] >> 31)) {
        low[lane] = negative ? 0u : ~0u;
        high[lane] = negative ? 0x80000000u : 0x7fffffffu;
      }
      continue;
    }
    low[lane] = op->flags & saturateToZero ? 0u : ~0u;
    if (wide)
      high[lane] = low[lane];
  }
  return op + 1;
}

/// s_set_gpr_idx: the row at the operand's number plus M0[7:0].
template <unsigned width> const MicroOp *readIndexed(Wave &w, const MicroOp *op) {
  unsigned row = op->source[0] / (width * 4) + (w.scalars[sgpr::m0] & 0xff);
  if (row >= vgprRows)
    throw WaveFault{op, "relative register index past v255"};
  std::memcpy(w.destination(op), w.rows[row], sizeof(w.rows[row]));
  return op + 1;
}
template <unsigned width> const MicroOp *writeIndexed(Wave &w, const MicroOp *op) {
  unsigned row = op->destination + (w.scalars[sgpr::m0] & 0xff);
  if (row >= vgprRows)
    throw WaveFault{op, "relative register index past v255"};
  uint64_t exec = op->flags ? ~uint64_t(0) : w.exec();
  for (unsigned c = 0; c < width / chunk; ++c)
    storeRow(w.rows[row], c, loadRow(w.row(op->source[0]), c), uint16_t(exec >> c * chunk));
  return op + 1;
}

} // namespace

void enterModifiersFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
  SET(Broadcast32) = broadcast32<width>;
  SET(Broadcast64) = broadcast64<width>;
  SET(Negate16) = negate<width, 16>;
  SET(Negate32) = negate<width, 32>;
  SET(Negate64) = negate<width, 64>;
  SET(SelectHalves) = selectHalves<width>;
  SET(SelectPair) = selectPair<width>;
  SET(SelectHigh16) = selectHigh16<width>;
  SET(SelectBytes) = selectBytes<width>;
  SET(MergeBytes) = mergeBytes<width>;
  SET(MergeHalf) = mergeHalf<width>;
  SET(LanePermute) = lanePermute<width>;
  SET(LaneRestore) = laneRestore;
  SET(Clamp16) = modifyResult<width, clamp, Exact<f16>>;
  SET(Clamp32) = modifyResult<width, clamp, f32>;
  SET(Clamp64) = modifyResult<width, clamp, f64>;
  SET(ClampPair16) = modifyResult<width, clamp, Exact<v2f16>>;
  SET(ClampPair32) = modifyResult<width, clamp, v2f32>;
  SET(Scale16) = modifyResult<width, scale, Moded<f16>>;
  SET(Scale32) = modifyResult<width, scale, f32>;
  SET(Scale64) = modifyResult<width, scale, f64>;
  SET(ScalePair16) = modifyResult<width, scale, Moded<v2f16>>;
  SET(SaturateCarry32) = saturateCarry<width, false>;
  SET(SaturateCarry64) = saturateCarry<width, true>;
  SET(ReadIndexed) = readIndexed<width>;
  SET(WriteIndexed) = writeIndexed<width>;
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterModifiersFor);
void enterModifiers(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterModifiersFor)(table); }
} // namespace nstf::emulator
#endif
