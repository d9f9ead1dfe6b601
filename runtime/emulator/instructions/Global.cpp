// Global, flat and scratch memory.
//
// Global: a 64-bit address for each lane, or an SGPR base with a 32-bit offset for each lane. Flat: the same, but an
// address whose upper half is an aperture's refers to LDS or to the lane's scratch. Scratch: an offset into the lane's
// private bytes, whose dwords are interleaved over the wave's lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/Global.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access-inl.h"
#include "runtime/emulator/instructions/Atomics.h"
#include "runtime/emulator/instructions/LaneAddresses.h"
#include "runtime/emulator/instructions/MemorySpace.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <unsigned width> HWY_INLINE void globalAddresses(const Wave &w, const MicroOp *op, uint64_t *address) {
  const uint32_t *row = w.row(op->source[0]);
  if (op->flags & memoryScalarBase) {
    uint64_t base = w.scalarSource<uint64_t>(op->source[1]) + op->immediate;
    for (unsigned c = 0; c < width / chunk; ++c)
      storeAddresses(address, c, convertTo<U64>(loadRow(row, c)) + base);
  } else {
    for (unsigned c = 0; c < width / chunk; ++c)
      storeAddresses(address, c, loadPair(row, c) + op->immediate);
  }
}

/// The address of byte `offset` of a lane's scratch. The bytes of a dword are adjacent.
HWY_INLINE uint64_t scratchAddress(const Wave &w, unsigned lane, uint64_t offset) {
  return w.scratch + (offset / 4) * (Wave::width * 4) + lane * 4 + offset % 4;
}
void checkScratch(const Wave &w, const MicroOp *op, unsigned lane, uint64_t offset, unsigned bytes) {
  if (offset + bytes > w.group->launch->scratchBytes)
    throw WaveFault{op,
                    "access of " + std::to_string(bytes) + " bytes at scratch offset " + std::to_string(offset) +
                        ", but a lane has " + std::to_string(w.group->launch->scratchBytes) + " bytes",
                    int(lane)};
}
/// Reports to the monitor lanes' accesses at offsets of their scratch: in dwords, or in bytes if they are not aligned.
void reportScratch(Wave &w, const MicroOp *op, uint64_t lanes, const uint32_t *offsets, unsigned bytes) {
  unsigned unit = bytes < 4 ? bytes : 4;
  for (uint64_t left = lanes; left; left &= left - 1)
    if (offsets[std::countr_zero(left)] % unit)
      unit = 1;
  uint64_t address[Wave::width];
  for (unsigned at = 0; lanes && at < bytes; at += unit) {
    for (uint64_t left = lanes; left; left &= left - 1) {
      unsigned lane = std::countr_zero(left);
      address[lane] = scratchAddress(w, lane, uint64_t(offsets[lane]) + at);
    }
    reportAccess(w, op, lanes, address, unit, at);
  }
}
void reportFlatScratch(Wave &w, const MicroOp *op, uint64_t lanes, const uint64_t *addresses, unsigned bytes) {
  uint32_t offsets[Wave::width];
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    offsets[lane] = uint32_t(addresses[lane]);
  reportScratch(w, op, lanes, offsets, bytes);
}
/// Moves a lane's bytes between scratch and `data`, dword by dword (they may straddle dwords).
template <bool write> void moveScratch(const Wave &w, unsigned lane, uint64_t offset, char *data, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    char *at = reinterpret_cast<char *>(scratchAddress(w, lane, offset + i));
    if (write)
      *at = data[i];
    else
      data[i] = *at;
  }
}

enum class Space { Memory, Lds, Scratch };
HWY_INLINE Space spaceOf(uint64_t address) {
  uint32_t high = uint32_t(address >> 32);
  return high == sharedApertureHigh ? Space::Lds : high == privateApertureHigh ? Space::Scratch : Space::Memory;
}

/// The active lanes, by the memory that their flat addresses refer to.
struct FlatLanes {
  uint64_t memory;
  uint64_t lds = 0, outsideLds = 0; ///< outsideLds: beyond the workgroup's LDS
  uint64_t scratch = 0;
};
/// Replaces LDS addresses by host addresses.
template <unsigned width>
HWY_INLINE FlatLanes resolveFlat(const Wave &w, const MicroOp *op, uint64_t *address, uint64_t exec, unsigned bytes) {
  FlatLanes lanes{exec};
  U64 high = 0ull;
  for (unsigned c = 0; c < width / chunk; ++c)
    high |= loadAddresses(address, c);
  if (__builtin_reduce_or(high) >> 48 == 0) // no lane refers to an aperture
    return lanes;
  forLanes<width>(exec, [&](unsigned lane) HWY_ATTR {
    switch (spaceOf(address[lane])) {
    case Space::Memory:
      break;
    case Space::Lds: {
      uint64_t offset = uint32_t(address[lane]);
      (insideLds(w, offset, bytes) ? lanes.lds : lanes.outsideLds) |= uint64_t(1) << lane;
      address[lane] = reinterpret_cast<uint64_t>(w.group->lds) + offset;
      break;
    }
    case Space::Scratch:
      checkScratch(w, op, lane, uint32_t(address[lane]), bytes);
      lanes.scratch |= uint64_t(1) << lane;
      break;
    }
  });
  lanes.memory &= ~(lanes.lds | lanes.outsideLds | lanes.scratch);
  return lanes;
}
/// LDS and scratch have been checked; memory is checked here.
template <unsigned width>
void checkFlat(Wave &w, const MicroOp *op, const uint64_t *address, const FlatLanes &lanes, unsigned bytes,
               bool write) {
  if (uint64_t lds = lanes.lds | lanes.outsideLds; lds && watched(w))
    reportLds(w, op, getAccessKind(Opcode(op->opcode)), lds, address, bytes);
  if (lanes.memory)
    checkLanes<width>(w, op, address, lanes.memory, bytes, write);
}

template <typename Kind> void setScratchRow(uint32_t *to, unsigned lane, char *data) {
  if constexpr (isDwords<Kind>) {
    for (unsigned k = 0; k < Kind::rows; ++k)
      std::memcpy(&to[k * Wave::width + lane], data + 4 * k, 4);
  } else {
    to[lane] = Kind::get(reinterpret_cast<uint64_t>(data));
  }
}
template <typename Kind> void getScratchRow(const uint32_t *from, unsigned lane, char *data) {
  if constexpr (isDwords<Kind>) {
    for (unsigned k = 0; k < Kind::rows; ++k)
      std::memcpy(data + 4 * k, &from[k * Wave::width + lane], 4);
  } else {
    Kind::put(reinterpret_cast<uint64_t>(data), from[lane]);
  }
}

template <unsigned width, typename Kind, bool flat> const MicroOp *load(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  alignas(64) uint64_t address[width];
  globalAddresses<width>(w, op, address);
  uint32_t *to = w.destination(op);
  if constexpr (flat) {
    uint64_t original[width];
    std::memcpy(original, address, sizeof(address));
    FlatLanes lanes = resolveFlat<width>(w, op, address, exec, Kind::bytes);
    if (watched(w) && lanes.scratch)
      reportFlatScratch(w, op, lanes.scratch, original, Kind::bytes);
    checkFlat<width>(w, op, address, lanes, Kind::bytes, false);
    exec = lanes.memory | lanes.lds;
    if (HWY_UNLIKELY(lanes.outsideLds))
      loadZeros<width>(to, Kind::rows, lanes.outsideLds);
    for (uint64_t left = lanes.scratch; left; left &= left - 1) {
      unsigned lane = std::countr_zero(left);
      char data[16];
      moveScratch<false>(w, lane, uint32_t(original[lane]), data, Kind::bytes);
      setScratchRow<Kind>(to, lane, data);
    }
  } else {
    checkLanes<width>(w, op, address, exec, Kind::bytes, false);
  }
  if (exec)
    loadLanes<width, Kind>(to, address, exec);
  return op + 1;
}

template <unsigned width, typename Kind, bool flat> const MicroOp *store(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  alignas(64) uint64_t address[width];
  globalAddresses<width>(w, op, address);
  const uint32_t *from = w.row(op->source[2]);
  if constexpr (flat) {
    uint64_t original[width];
    std::memcpy(original, address, sizeof(address));
    FlatLanes lanes = resolveFlat<width>(w, op, address, exec, Kind::bytes);
    if (watched(w) && lanes.scratch)
      reportFlatScratch(w, op, lanes.scratch, original, Kind::bytes);
    checkFlat<width>(w, op, address, lanes, Kind::bytes, true);
    exec = lanes.memory | lanes.lds;
    for (uint64_t left = lanes.scratch; left; left &= left - 1) {
      unsigned lane = std::countr_zero(left);
      char data[16];
      getScratchRow<Kind>(from, lane, data);
      moveScratch<true>(w, lane, uint32_t(original[lane]), data, Kind::bytes);
    }
  } else {
    checkLanes<width>(w, op, address, exec, Kind::bytes, true);
  }
  if (exec)
    storeLanes<width, Kind>(from, address, exec);
  return op + 1;
}

/// Lane i's data goes to LDS at M0 plus the instruction's offset plus i dwords.
template <unsigned width, typename Kind> const MicroOp *loadToLds(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  alignas(64) uint64_t address[width];
  globalAddresses<width>(w, op, address);
  checkLanes<width>(w, op, address, exec, Kind::bytes, false);
  uint64_t base = (w.scalars[sgpr::m0] & 0xffff) + op->immediate;
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint32_t value;
    if constexpr (isDwords<Kind>)
      std::memcpy(&value, reinterpret_cast<const void *>(address[lane]), 4);
    else
      value = Kind::get(address[lane]);
    storeLdsLane(w, op, lane, base + lane * 4, &value, 4);
  }
  return op + 1;
}

/// The scratch offset of a lane is the sum of the form's parts, in 32 bits.
template <unsigned width, typename Kind, bool write> const MicroOp *scratch(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  uint32_t base = uint32_t(op->immediate);
  if (op->flags & memoryScalarBase)
    base += w.scalarSource<uint32_t>(op->source[1]);
  bool varies = op->flags & memoryVectorOffset;
  const uint32_t *offsets = w.row(op->source[0]);
  uint32_t *to = w.destination(op);
  const uint32_t *from = w.row(op->source[2]);
  uint32_t offset[width];
  if (watched(w)) {
    for (unsigned i = 0; i < width; ++i)
      offset[i] = base + (varies ? offsets[i] : 0);
    reportScratch(w, op, exec, offset, Kind::bytes);
  }
  if (isDwords<Kind> && !varies && exec == ~uint64_t(0) && base % 4 == 0) {
    checkScratch(w, op, 0, base, Kind::bytes);
    void *memory = reinterpret_cast<void *>(scratchAddress(w, 0, base));
    if (write)
      std::memcpy(memory, from, Kind::rows * width * 4);
    else
      std::memcpy(to, memory, Kind::rows * width * 4);
    return op + 1;
  }
  for (unsigned i = 0; i < width; ++i)
    offset[i] = base + (varies ? offsets[i] : 0);
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    checkScratch(w, op, lane, offset[lane], Kind::bytes);
    char data[16];
    if constexpr (write) {
      getScratchRow<Kind>(from, lane, data);
      moveScratch<true>(w, lane, offset[lane], data, Kind::bytes);
    } else {
      moveScratch<false>(w, lane, offset[lane], data, Kind::bytes);
      setScratchRow<Kind>(to, lane, data);
    }
  }
  return op + 1;
}

template <unsigned width, bool flat> const MicroOp *atomicModify(Wave &w, const MicroOp *op) {
  const AtomicOperation &operation = atomicOperation(Opcode(op->opcode));
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  alignas(64) uint64_t address[width];
  globalAddresses<width>(w, op, address);
  if constexpr (flat) {
    FlatLanes lanes = resolveFlat<width>(w, op, address, exec, operation.bytes);
    if (lanes.scratch)
      throw WaveFault{op, "atomic on scratch memory"};
    checkFlat<width>(w, op, address, lanes, operation.bytes, true);
    exec = lanes.memory | lanes.lds;
    if (HWY_UNLIKELY(lanes.outsideLds && op->flags & memoryReturns))
      loadZeros<width>(w.destination(op), operation.bytes / 4, lanes.outsideLds);
  } else {
    checkLanes<width>(w, op, address, exec, operation.bytes, true);
  }
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    modifyLane(w, op, operation, lane, address[lane]);
  }
  return op + 1;
}

} // namespace

void globalAddressesFor(const Wave &w, const MicroOp *op, LaneAddresses &to) {
  to.memory = w.exec();
  to.lds = 0;
  to.stride = 4;
  globalAddresses<Wave::width>(w, op, to.address);
}
void flatAddressesFor(const Wave &w, const MicroOp *op, LaneAddresses &to) {
  globalAddressesFor(w, op, to);
  forLanes<Wave::width>(to.memory, [&](unsigned lane) HWY_ATTR {
    const Space space = spaceOf(to.address[lane]);
    if (HWY_LIKELY(space == Space::Memory))
      return;
    to.address[lane] = uint32_t(to.address[lane]);
    if (space == Space::Lds) {
      to.lds |= uint64_t(1) << lane;
    } else {
      to.address[lane] = scratchAddress(w, lane, to.address[lane]);
      to.stride = Wave::width * 4;
    }
  });
  to.memory &= ~to.lds;
}
void scratchAddressesFor(const Wave &w, const MicroOp *op, LaneAddresses &to) {
  to.memory = w.exec();
  to.lds = 0;
  to.stride = Wave::width * 4;
  uint32_t base = uint32_t(op->immediate);
  if (op->flags & memoryScalarBase)
    base += w.scalarSource<uint32_t>(op->source[1]);
  const uint32_t *offsets = op->flags & memoryVectorOffset ? w.row(op->source[0]) : nullptr;
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    to.address[lane] = scratchAddress(w, lane, base + (offsets ? offsets[lane] : 0));
}

void enterGlobalFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define SET(name) table[unsigned(Opcode::name)]
#define LOAD(name, kind)                                                                                               \
  SET(GLOBAL_##name) = load<width, kind, false>;                                                                       \
  SET(FLAT_##name) = load<width, kind, true>;                                                                          \
  SET(SCRATCH_##name) = scratch<width, kind, false>;
#define LOADTOLDS(name, kind) SET(name) = loadToLds<width, kind>;
#define STORE(name, kind)                                                                                              \
  SET(GLOBAL_##name) = store<width, kind, false>;                                                                      \
  SET(FLAT_##name) = store<width, kind, true>;                                                                         \
  SET(SCRATCH_##name) = scratch<width, kind, true>;
#define ATOMIC(name, T, meaning)                                                                                       \
  SET(GLOBAL_##name) = atomicModify<width, false>;                                                                     \
  SET(FLAT_##name) = atomicModify<width, true>;
#include "runtime/emulator/decode/Instructions.def"
#undef SET
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(enterGlobalFor);
void enterGlobal(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterGlobalFor)(table); }
HWY_EXPORT(globalAddressesFor);
void globalAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to) {
  HWY_DYNAMIC_DISPATCH(globalAddressesFor)(w, op, to);
}
HWY_EXPORT(flatAddressesFor);
void flatAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to) {
  HWY_DYNAMIC_DISPATCH(flatAddressesFor)(w, op, to);
}
HWY_EXPORT(scratchAddressesFor);
void scratchAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to) {
  HWY_DYNAMIC_DISPATCH(scratchAddressesFor)(w, op, to);
}
} // namespace nstf::emulator
#endif
