// The workgroup's LDS, and lane permutations by ds_ instructions.
//
// An address is a byte offset of the lane plus the instruction's offset. Beyond the workgroup's LDS, loads return zero,
// and stores and atomics are dropped; each address of an instruction is checked separately, and as a whole.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/Lds.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access-inl.h"
#include "runtime/emulator/instructions/Atomics.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

/// Host addresses of the lanes' accesses at `offset`; returns the lanes that access the workgroup's LDS.
template <unsigned width>
HWY_INLINE uint64_t ldsAddresses(Wave &w, const MicroOp *op, const uint32_t *row, uint64_t offset, unsigned bytes,
                                 uint64_t exec, uint64_t *address, unsigned dataAt = 0) {
  uint64_t base = reinterpret_cast<uint64_t>(w.group->lds);
  uint64_t size = w.group->launch->ldsBytes;
  uint64_t outside = 0;
  for (unsigned c = 0; c < width / chunk; ++c) {
    // The sum wraps at 32 bits, because compilers fold offsets into negative bases.
    U64 at = convertTo<U64>(loadRow(row, c) + uint32_t(offset));
    outside |= uint64_t(bitsOfMask(at + uint64_t(bytes) > size)) << c * chunk;
    storeAddresses(address, c, at + base);
  }
  if (watched(w) && exec)
    reportLds(w, op, getAccessKind(Opcode(op->opcode)), exec, address, bytes, dataAt);
  return exec & ~outside;
}

/// Loads the lanes in `inside`; the other active lanes get zero.
template <unsigned width, typename Kind>
HWY_INLINE void loadInside(uint32_t *to, const uint64_t *address, uint64_t exec, uint64_t inside) {
  loadLanes<width, Kind>(to, address, inside);
  if (HWY_UNLIKELY(inside != exec))
    loadZeros<width>(to, Kind::rows, exec & ~inside);
}

template <unsigned width, typename Kind> const MicroOp *read(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  alignas(64) uint64_t address[width];
  uint64_t inside = ldsAddresses<width>(w, op, w.row(op->source[0]), op->immediate, Kind::bytes, exec, address);
  loadInside<width, Kind>(w.destination(op), address, exec, inside);
  return op + 1;
}
template <unsigned width, typename Kind> const MicroOp *write(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  alignas(64) uint64_t address[width];
  uint64_t inside = ldsAddresses<width>(w, op, w.row(op->source[0]), op->immediate, Kind::bytes, exec, address);
  storeLanes<width, Kind>(w.row(op->source[1]), address, inside);
  return op + 1;
}

/// ds_read2, ds_write2: two accesses at offsets in units of the element (times 64 in the st64 forms).
template <unsigned width, unsigned dwords, unsigned stride> struct Pair {
  static constexpr unsigned bytes = dwords * 4;
  static const MicroOp *read(Wave &w, const MicroOp *op) {
    uint64_t exec = w.exec();
    alignas(64) uint64_t first[width], second[width];
    auto [insideFirst, insideSecond] = addresses(w, op, exec, first, second);
    uint32_t *to = w.destination(op);
    loadInside<width, dword<dwords>>(to, first, exec, insideFirst);
    loadInside<width, dword<dwords>>(to + dwords * width, second, exec, insideSecond);
    return op + 1;
  }
  static const MicroOp *write(Wave &w, const MicroOp *op) {
    uint64_t exec = w.exec();
    alignas(64) uint64_t first[width], second[width];
    auto [insideFirst, insideSecond] = addresses(w, op, exec, first, second);
    storeLanes<width, words<dwords>>(w.row(op->source[1]), first, insideFirst);
    storeLanes<width, words<dwords>>(w.row(op->source[2]), second, insideSecond);
    return op + 1;
  }
  static HWY_INLINE std::pair<uint64_t, uint64_t> addresses(Wave &w, const MicroOp *op, uint64_t exec, uint64_t *first,
                                                            uint64_t *second) {
    const uint32_t *row = w.row(op->source[0]);
    uint64_t inside = ldsAddresses<width>(w, op, row, (op->immediate & 0xff) * bytes * stride, bytes, exec, first);
    return {inside,
            ldsAddresses<width>(w, op, row, (op->immediate >> 8 & 0xff) * bytes * stride, bytes, exec, second, bytes)};
  }
};

template <unsigned width> const MicroOp *atomicModify(Wave &w, const MicroOp *op) {
  const AtomicOperation &operation = atomicOperation(Opcode(op->opcode));
  bool wide = operation.bytes == 8, returns = op->flags & memoryReturns;
  uint64_t exec = w.exec();
  alignas(64) uint64_t address[width];
  uint64_t inside = ldsAddresses<width>(w, op, w.row(op->source[0]), op->immediate, operation.bytes, exec, address);
  const uint32_t *data = w.row(op->source[1]), *data2 = w.row(op->source[2]);
  uint32_t *to = w.destination(op);
  for (uint64_t left = inside; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    if (address[lane] % operation.bytes)
      throw WaveFault{op, "LDS atomic on an offset that is not a multiple of its size", int(lane)};
    auto operand = [&](const uint32_t *row) { return row[lane] | (wide ? uint64_t(row[lane + width]) << 32 : 0); };
    uint64_t old = operation.comparesFirst ? operation.modify(address[lane], operand(data2), operand(data))
                                           : operation.modify(address[lane], operand(data), 0);
    if (returns) {
      to[lane] = uint32_t(old);
      if (wide)
        to[lane + width] = uint32_t(old >> 32);
    }
  }
  if (HWY_UNLIKELY(returns && inside != exec))
    loadZeros<width>(to, wide ? 2 : 1, exec & ~inside);
  return op + 1;
}

/// Moves lanes by a row of lane numbers; disabled source lanes read zero. `to` may be `from`.
template <unsigned width>
HWY_INLINE void permuteLanes(uint32_t *to, const uint32_t *from, const uint32_t *lanes, uint64_t exec) {
  uint64_t valid = ~uint64_t(0);
  if (exec != ~uint64_t(0) >> (64 - width))
    valid = bitsOfLanes<width>(exec, lanes);
  alignas(64) uint32_t result[width];
  moveLanes<width>(result, from, lanes, valid);
  for (unsigned c = 0; c < width / chunk; ++c)
    storeRow(to, c, loadRow(result, c), uint16_t(exec >> c * chunk));
}

/// source[1]: the row of source lanes that the pattern gives.
template <unsigned width> const MicroOp *swizzle(Wave &w, const MicroOp *op) {
  permuteLanes<width>(w.destination(op), w.row(op->source[0]), w.row(op->source[1]), w.exec());
  return op + 1;
}

/// Pull: lane i reads lane (address / 4) mod 64; a disabled source lane gives zero.
template <unsigned width> const MicroOp *backwardPermute(Wave &w, const MicroOp *op) {
  const uint32_t *at = w.row(op->source[0]);
  alignas(64) uint32_t lanes[width];
  for (unsigned c = 0; c < width / chunk; ++c)
    storeRow(lanes, c, ((loadRow(at, c) + uint32_t(op->immediate)) >> 2) & (width - 1), 0xffff);
  permuteLanes<width>(w.destination(op), w.row(op->source[1]), lanes, w.exec());
  return op + 1;
}
/// Push: lane i writes lane (address / 4) mod 64; the highest writer wins. Lanes that no lane writes get zero.
template <unsigned width> const MicroOp *permute(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  const uint32_t *at = w.row(op->source[0]), *from = w.row(op->source[1]);
  uint32_t *to = w.destination(op), result[width] = {};
  for (unsigned i = 0; i < width; ++i)
    if (exec >> i & 1)
      result[(at[i] + uint32_t(op->immediate)) / 4 % width] = from[i];
  for (unsigned i = 0; i < width; ++i)
    if (exec >> i & 1)
      to[i] = result[i];
  return op + 1;
}

} // namespace

void enterLdsFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
#define LDSREAD(name, kind) SET(name) = read<width, kind>;
#define LDSWRITE(name, kind) SET(name) = write<width, kind>;
#define LDSPAIR(name, dwords, stride, meaning) SET(name) = Pair<width, dwords, stride>::meaning;
#define LDSATOMIC(name, T, meaning) SET(name) = atomicModify<width>;
#define LDSLANES(name, traits, meaning) SET(name) = meaning<width>;
#include "runtime/emulator/decode/Instructions.def"
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterLdsFor);
void enterLds(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterLdsFor)(table); }
} // namespace nstf::emulator
#endif
