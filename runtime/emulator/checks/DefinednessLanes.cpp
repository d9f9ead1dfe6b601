// Tracks undefined bits between lanes, through masks, and through the micro-ops around an instruction (SGPR operands,
// SDWA, DPP, op_sel, register indexing).
#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/MicroOpFlags.h"

#include <algorithm>
#include <array>
#include <bit>

namespace nstf::emulator::checks {
namespace {
constexpr uint64_t everyLane = ~uint64_t(0);
template <typename F> void forLanes(uint64_t lanes, F function) {
  for (; lanes; lanes &= lanes - 1)
    function(unsigned(std::countr_zero(lanes)));
}
} // namespace

/// Moves `from` to `to`: lane i is taken from lanes[i] (null: from lane i) if `valid` has it and the source lane is in
/// `exec`; other lanes become defined.
void UninitCheck::moveRow(WaveShadow &s, unsigned to, SourceRef from, const uint32_t *lanes, uint64_t valid,
                          uint64_t exec) {
  if (!undefinedLanes(s, from, 1))
    return s.define(to, everyLane);
  std::array<uint32_t, Wave::width> bits = {};
  std::array<Origin, Wave::width> origins;
  forLanes(valid, [&](unsigned lane) {
    unsigned source = lanes ? lanes[lane] % Wave::width : lane;
    if (!(exec >> source & 1))
      return;
    bits[lane] = s.laneBits(getRow(from), source);
    origins[lane] = s.laneOrigin(getRow(from), source);
  });
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    s.setLane(to, lane, bits[lane], origins[lane]);
}

void UninitCheck::lanePermute(Wave &w, WaveShadow &s, const MicroOp *op) {
  const uint32_t *lanes = w.row(op->source[1]);
  uint64_t valid = w.scalarSource<uint64_t>(op->source[2]);
  for (unsigned k = 0; k < (op->flags & lanePair ? 2u : 1u); ++k)
    moveRow(s, op->destination + k, op->source[0] + k * Wave::width * 4, lanes, valid, w.exec());
}

void UninitCheck::helper(Wave &w, WaveShadow &s, const MicroOp *op) {
  unsigned row = op->destination;
  // The source's row, with each lane's bits changed by `change(bits, lane)`.
  auto each = [&](uint64_t lanes, unsigned to, SourceRef from, auto change) {
    uint64_t undefined = undefinedLanes(s, from, 1) & lanes;
    std::array<uint32_t, Wave::width> bits;
    std::array<Origin, Wave::width> origins;
    forLanes(undefined, [&](unsigned lane) {
      bits[lane] = change(s.laneBits(getRow(from), lane), lane);
      origins[lane] = s.laneOrigin(getRow(from), lane);
    });
    s.define(to, lanes & ~undefined);
    forLanes(undefined, [&](unsigned lane) { s.setLane(to, lane, bits[lane], origins[lane]); });
  };
  auto copyRow = [&](unsigned to, SourceRef from) {
    each(everyLane, to, from, [](uint32_t b, unsigned) { return b; });
  };
  // Keeps a part of the old destination: `merged(new bits, old bits)`.
  auto merge = [&](auto merged) {
    uint64_t exec = w.exec(), undefined = (undefinedLanes(s, op->source[0], 1) | s.undefined[row]) & exec;
    s.define(row, exec & ~undefined);
    forLanes(undefined, [&](unsigned lane) {
      uint32_t fresh = s.laneBits(getRow(op->source[0]), lane), old = s.laneBits(row, lane), bits = merged(fresh, old);
      Origin origin = fresh ? s.laneOrigin(getRow(op->source[0]), lane) : s.laneOrigin(row, lane);
      s.setLane(row, lane, bits, origin);
    });
  };
  unsigned select = op->flags & 7, shift = select < 4 ? select * 8 : select == 5 ? 16 : 0;
  switch (Opcode(op->opcode)) {
  case Opcode::Broadcast32:
  case Opcode::Broadcast64:
    for (unsigned k = 0; k < (Opcode(op->opcode) == Opcode::Broadcast64 ? 2u : 1u); ++k) {
      s.define(row + k, everyLane);
      if (!isRegister(op->source[0]))
        continue;
      unsigned index = getScalar(op->source[0]) + k;
      if (uint32_t bits = s.scalars[index])
        for (unsigned lane = 0; lane < Wave::width; ++lane)
          s.setLane(row + k, lane, bits, s.scalarOrigin(index));
    }
    return;
  case Opcode::ScalarCondition: {
    uint64_t undefined = s.scalar64(sgpr::vcc);
    bool unknown = undefined && !(w.scalar64(sgpr::vcc) & ~undefined);
    s.setScalar64(sgpr::vccz, unknown, s.scalarOrigin(s.scalars[sgpr::vcc] ? sgpr::vcc : sgpr::vcc + 1));
    return s.setScalar64(sgpr::execz, 0, {});
  }
  case Opcode::Negate16:
  case Opcode::Negate32:
    return copyRow(row, op->source[0]);
  case Opcode::Negate64:
    copyRow(row, op->source[0]);
    return copyRow(row + 1, op->source[0] + Wave::width * 4);
  case Opcode::SelectHalves: {
    unsigned low = op->flags & packLowFromHigh ? 16 : 0, high = op->flags & packHighFromHigh ? 16 : 0;
    return each(everyLane, row, op->source[0],
                [=](uint32_t b, unsigned) { return (b >> low & 0xffff) | (b >> high) << 16; });
  }
  case Opcode::SelectPair: {
    SourceRef next = op->source[0] + Wave::width * 4;
    SourceRef low = op->flags & packLowFromHigh ? next : op->source[0];
    SourceRef high = op->flags & packHighFromHigh ? next : op->source[0];
    if (isRegister(high) && getRow(high) == row) { // in place: the low result would overwrite it
      copyRow(temporaryRow + temporaryRows - 1, high);
      high = (temporaryRow + temporaryRows - 1) * Wave::width * 4;
    }
    copyRow(row, low);
    return copyRow(row + 1, high);
  }
  case Opcode::SelectHigh16:
    return each(everyLane, row, op->source[0], [](uint32_t b, unsigned) { return b >> 16; });
  case Opcode::SelectBytes: {
    unsigned unused = select < 4 ? 24 : select < 6 ? 16 : 0;
    bool extend = op->flags & selectSignExtend;
    return each(everyLane, row, op->source[0], [=](uint32_t b, unsigned) {
      uint32_t top = b >> shift << unused;
      return extend ? uint32_t(int32_t(top) >> unused) : top >> unused;
    });
  }
  case Opcode::MergeBytes: {
    uint32_t field = select < 4 ? 0xffu : select < 6 ? 0xffffu : ~0u;
    unsigned rule = op->flags >> 4 & 3;
    return merge([=](uint32_t fresh, uint32_t old) {
      uint32_t v = (fresh & field) << shift;
      if (rule == 1 && select != 6) {
        unsigned top = select < 4 ? 24 - shift : 16 - shift;
        v = uint32_t(int32_t(v << top) >> top);
      } else if (rule == 2) {
        v |= old & ~(field << shift);
      }
      return v;
    });
  }
  case Opcode::MergeHalf:
    return merge([high = bool(op->flags)](uint32_t fresh, uint32_t old) {
      return high ? fresh << 16 | (old & 0xffff) : (fresh & 0xffff) | (old & 0xffff0000);
    });
  case Opcode::LanePermute:
    return lanePermute(w, s, op);
  case Opcode::ReadIndexed:
  case Opcode::WriteIndexed: {
    checkIndex(w, s, op, 0xff);
    unsigned by = w.scalars[sgpr::m0] & 0xff;
    if (Opcode(op->opcode) == Opcode::ReadIndexed) {
      unsigned from = getRow(op->source[0]) + by;
      return from < vgprRows ? copyRow(row, from * Wave::width * 4) : void();
    }
    if (row + by < vgprRows)
      each(op->flags ? everyLane : w.exec(), row + by, op->source[0], [](uint32_t b, unsigned) { return b; });
    return;
  }
  case Opcode::SaturateCarry32:
  case Opcode::SaturateCarry64:
    return saturateCarry(w, s, op);
  default: // clamp, omod: the values they change are entirely undefined already, or not at all
    return;
  }
}

void UninitCheck::crossLane(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t exec = w.exec();
  unsigned row = op->destination;
  switch (Opcode(op->opcode)) {
  case Opcode::V_CNDMASK_B32:
    return choose(w, s, op);
  case Opcode::V_MBCNT_LO_U32_B32:
  case Opcode::V_MBCNT_HI_U32_B32:
    return countBelow(w, s, op);
  case Opcode::V_MAD_U64_U32:
  case Opcode::V_MAD_I64_I32:
    return multiplyWide(w, s, op);
  case Opcode::V_DIV_SCALE_F32:
  case Opcode::V_DIV_SCALE_F64:
  case Opcode::V_DIV_FMAS_F32:
  case Opcode::V_DIV_FMAS_F64:
    return divide(w, s, op);
  case Opcode::V_READFIRSTLANE_B32:
  case Opcode::V_READLANE_B32: {
    unsigned lane = exec ? unsigned(std::countr_zero(exec)) : 0;
    if (Opcode(op->opcode) == Opcode::V_READLANE_B32) {
      Bits which = scalarSource(w, s, op->source[1], false);
      if (which.undefined & 63)
        return setScalarResult(w, s, op, op->scalarDestination, ~0u, false, scalarOrigin(s, op->source[1], false));
      lane = which.value % Wave::width;
    }
    unsigned from = getRow(op->source[0]);
    return setScalarResult(w, s, op, op->scalarDestination, s.laneBits(from, lane), false, s.laneOrigin(from, lane));
  }
  case Opcode::V_WRITELANE_B32: {
    Bits value = scalarSource(w, s, op->source[0], false), which = scalarSource(w, s, op->source[1], false);
    if (op->flags) { // s_set_gpr_idx_on redirects the destination
      checkIndex(w, s, op, 0xff);
      row += w.scalars[sgpr::m0] & 0xff;
      if (row >= vgprRows)
        return; // the instruction faults
    }
    uint64_t unsure = which.undefined % Wave::width;
    if (!unsure)
      return s.setLane(row, which.value % Wave::width, uint32_t(value.undefined),
                       scalarOrigin(s, op->source[0], false));
    for (unsigned lane = 0; lane < Wave::width; ++lane) // any lane that the defined bits allow
      if (!((lane ^ which.value) % Wave::width & ~unsure))
        s.setLane(row, lane, uint32_t(s.laneBits(row, lane) | value.undefined | (w.rows[row][lane] ^ value.value)),
                  scalarOrigin(s, op->source[1], false));
    return;
  }
  case Opcode::V_SWAP_B32: {
    unsigned other = op->scalarDestination;
    forLanes((s.undefined[row] | s.undefined[other]) & exec, [&](unsigned lane) {
      uint32_t a = s.laneBits(row, lane), b = s.laneBits(other, lane);
      Origin originA = s.laneOrigin(row, lane), originB = s.laneOrigin(other, lane);
      s.setLane(row, lane, b, originB);
      s.setLane(other, lane, a, originA);
    });
    return;
  }
  case Opcode::V_FMA_MIXLO_F16:
  case Opcode::V_FMA_MIXHI_F16:
  case Opcode::V_FMA_MIX_F32: {
    Opcode opcode = Opcode(op->opcode);
    uint64_t lanes = s.undefined[row] & exec;
    for (unsigned k = 0; k < 3; ++k)
      lanes |= undefinedLanes(s, op->source[k], 1) & exec;
    forLanes(lanes, [&](unsigned lane) {
      bool any = false;
      Origin origin;
      for (unsigned k = 0; k < 3; ++k) {
        uint32_t bits = isRegister(op->source[k]) ? s.laneBits(getRow(op->source[k]), lane) : 0;
        if (op->flags >> k & 1)
          bits = op->flags >> (4 + k) & 1 ? bits >> 16 : bits & 0xffff;
        if (bits && !any)
          origin = laneOrigin(s, op->source[k], lane, 1);
        any |= bits != 0;
      }
      uint32_t old = s.laneBits(row, lane), result = any ? ~0u : 0;
      if (!any)
        origin = s.laneOrigin(row, lane);
      if (opcode == Opcode::V_FMA_MIXLO_F16)
        result = (result & 0xffff) | (old & 0xffff0000);
      else if (opcode == Opcode::V_FMA_MIXHI_F16)
        result = (result & 0xffff0000) | (old & 0xffff);
      s.setLane(row, lane, result, origin);
    });
    return;
  }
  case Opcode::V_CVT_PK_FP8_F32:
  case Opcode::V_CVT_PK_BF8_F32:
  case Opcode::V_CVT_SR_FP8_F32:
  case Opcode::V_CVT_SR_BF8_F32: {
    // Two numbers of one byte each, or one number rounded by the bits of the second source.
    bool pair = Opcode(op->opcode) == Opcode::V_CVT_PK_FP8_F32 || Opcode(op->opcode) == Opcode::V_CVT_PK_BF8_F32;
    uint32_t field = pair ? (op->flags & 8 ? 0xffff0000u : 0xffffu) : 0xffu << (op->flags >> 2 & 3) * 8;
    uint64_t sources[2] = {undefinedLanes(s, op->source[0], 1), undefinedLanes(s, op->source[1], 1)};
    uint64_t lanes = (sources[0] | sources[1] | s.undefined[row]) & exec;
    return s.setLanes(row, 1, exec, lanes, [&](unsigned lane) {
      Undefined result{s.laneBits(row, lane) & ~field, s.laneOrigin(row, lane)};
      for (unsigned k = 0; k < 2; ++k)
        if (sources[k] >> lane & 1) {
          result.bits |= field & (!pair ? ~0u : k ? 0xff00ff00u : 0x00ff00ffu);
          result.origin = laneOrigin(s, op->source[k], lane, 1);
        }
      return result;
    });
  }
  case Opcode::V_CVT_F32_FP8:
  case Opcode::V_CVT_F32_BF8:
  case Opcode::V_CVT_PK_F32_FP8:
  case Opcode::V_CVT_PK_F32_BF8: {
    // One byte each.
    bool pair = Opcode(op->opcode) == Opcode::V_CVT_PK_F32_FP8 || Opcode(op->opcode) == Opcode::V_CVT_PK_F32_BF8;
    unsigned shift = op->flags & 0x100 ? (op->flags >> 4 & 3) * 8 : 0;
    return s.setLanes(row, pair ? 2 : 1, exec, undefinedLanes(s, op->source[0], 1) & exec, [&](unsigned lane) {
      uint32_t bits = s.laneBits(getRow(op->source[0]), lane) >> shift;
      uint64_t low = bits & 0xff ? 0xffffffff : 0, high = bits & 0xff00 ? 0xffffffff : 0;
      return Undefined{low | high << 32, laneOrigin(s, op->source[0], lane, 1)};
    });
  }
  default:
    return generic(w, s, op);
  }
}

/// ds_swizzle, ds_bpermute (pull) and ds_permute (push): move data between lanes, under EXEC.
void UninitCheck::ldsLanes(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t exec = w.exec();
  Opcode opcode = Opcode(op->opcode);
  if (opcode != Opcode::DS_SWIZZLE_B32 && opcode != Opcode::DS_BPERMUTE_B32 && opcode != Opcode::DS_PERMUTE_B32)
    return generic(w, s, op);
  bool swizzle = opcode == Opcode::DS_SWIZZLE_B32, push = opcode == Opcode::DS_PERMUTE_B32;
  SourceRef data = swizzle ? op->source[0] : op->source[1], where = swizzle ? op->source[1] : op->source[0];
  uint64_t undefined = undefinedLanes(s, data, 1), unknown = 0;
  // Bits 2 to 7 of an address select the lane.
  forLanes(swizzle ? 0 : undefinedLanes(s, where, 1) & exec, [&](unsigned lane) {
    uint32_t bits = s.laneBits(getRow(where), lane);
    unknown |= uint64_t(((op->immediate & 3 ? bits | -bits : bits) & 0xfc) != 0) << lane;
  });
  if (!((undefined | unknown) & exec))
    return s.define(op->destination, exec);
  const uint32_t *at = w.row(where);
  std::array<uint32_t, Wave::width> bits = {};
  std::array<Origin, Wave::width> origins;
  auto give = [&](unsigned to, unsigned from) {
    bits[to] = exec >> from & 1 ? s.laneBits(getRow(data), from) : 0;
    origins[to] = s.laneOrigin(getRow(data), from);
  };
  forLanes(exec, [&](unsigned lane) {
    if (unknown >> lane & 1) {
      for (unsigned to = push ? 0 : lane; to < (push ? Wave::width : lane + 1); ++to) { // pushed to an unknown lane
        bits[to] = ~0u;
        origins[to] = laneOrigin(s, where, lane, 1);
      }
      return;
    }
    unsigned other = swizzle ? at[lane] : (at[lane] + uint32_t(op->immediate)) / 4 % Wave::width;
    push ? give(other, lane) : give(lane, other);
  });
  forLanes(exec, [&](unsigned lane) { s.setLane(op->destination, lane, bits[lane], origins[lane]); });
}

/// For instructions without a rule of their own: an undefined bit in any register that the instruction reads makes all
/// its results undefined; for lane-wise instructions, only those of the same lane.
void UninitCheck::generic(Wave &w, WaveShadow &s, const MicroOp *op) {
  const InstructionFacts &facts = context.facts->of(op);
  uint64_t exec = w.exec(), lanes = 0;
  Origin origin;
  for (const RegisterUse &use : facts.reads) {
    if (use.role == OperandRole::Exec)
      continue;
    for (unsigned r = use.first; r < unsigned(use.first + use.count); ++r) {
      uint64_t undefined = use.vector ? s.undefined[r] & exec : s.scalars[r] ? everyLane : 0;
      if (undefined && !lanes)
        origin = use.vector ? s.laneOrigin(r, unsigned(std::countr_zero(undefined))) : s.scalarOrigin(r);
      lanes |= undefined;
    }
  }
  if (lanes && !facts.laneWise)
    lanes = everyLane;
  for (const RegisterUse &use : facts.writes)
    for (unsigned r = use.first; r < unsigned(use.first + use.count); ++r) {
      if (!use.vector) {
        setScalarResult(w, s, op, r, lanes ? ~0u : 0, false, origin);
        continue;
      }
      s.define(r, exec);
      forLanes(lanes & exec, [&](unsigned lane) { s.setLane(r, lane, ~0u, origin); });
    }
}

} // namespace nstf::emulator::checks
