// Loads and stores of 64 lanes.
//
// The addressing modes compute one host address for each lane; the functions here check and move the lanes. They first
// check the span from the lowest to the highest address, which is nearly always inside one allocation. Consecutive
// lanes at consecutive addresses are moved as vectors.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_ACCESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_ACCESS_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_ACCESS_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_ACCESS_INL_H
#endif

#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/instructions/Lanes-inl.h"

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

/// Calls `function(lane)` for every lane of `mask`.
template <unsigned width, typename F> HWY_INLINE void forLanes(uint64_t mask, F function) {
  if (mask == ~uint64_t(0) >> (64 - width)) {
    for (unsigned i = 0; i < width; ++i)
      function(i);
    return;
  }
  for (; mask; mask &= mask - 1)
    function(unsigned(std::countr_zero(mask)));
}

HWY_INLINE U64 loadAddresses(const uint64_t *address, unsigned c) {
  U64 v;
  __builtin_memcpy(&v, address + c * chunk, sizeof(v));
  return v;
}
HWY_INLINE void storeAddresses(uint64_t *address, unsigned c, U64 v) {
  __builtin_memcpy(address + c * chunk, &v, sizeof(v));
}

HWY_INLINE U64 laneNumbers(unsigned c) {
  const U64 numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return numbers + uint64_t(c * chunk);
}

/// Whether every lane is active and lane i's address is lane 0's plus i * stride.
template <unsigned width> HWY_INLINE bool consecutive(const uint64_t *address, uint64_t exec, uint64_t stride) {
  if (exec != ~uint64_t(0) >> (64 - width))
    return false;
  if (address[1] - address[0] != stride || address[width - 1] - address[0] != stride * (width - 1))
    return false;
  U64 difference = 0ull;
  for (unsigned c = 0; c < width / chunk; ++c)
    difference |= loadAddresses(address, c) ^ (laneNumbers(c) * stride + address[0]);
  return __builtin_reduce_or(difference) == 0;
}

/// Checks the access of every active lane; exec is not 0.
template <unsigned width>
HWY_INLINE void checkLanes(Wave &w, const MicroOp *op, const uint64_t *address, uint64_t exec, unsigned bytes,
                           bool write) {
  if (watched(w))
    reportAccess(w, op, exec, address, bytes);
  uint64_t first = address[std::countr_zero(exec)];
  U64 low = first, high = first;
  for (unsigned c = 0; c < width / chunk; ++c) {
    U64 a = loadAddresses(address, c);
    uint16_t active = uint16_t(exec >> c * chunk);
    if (active != 0xffff)
      a = choose(convertTo<I64>(maskOfBits(active)), a, U64(first));
    low = __builtin_elementwise_min(low, a);
    high = __builtin_elementwise_max(high, a);
  }
  uint64_t lowest = __builtin_reduce_min(low), highest = __builtin_reduce_max(high);
  if (HWY_LIKELY(highest - lowest + bytes > highest - lowest) && accessible(w, lowest, highest - lowest + bytes, write))
    return;
  uint64_t outside = 0;
  for (uint64_t left = exec; left; left &= left - 1)
    if (unsigned lane = std::countr_zero(left); !accessible(w, address[lane], bytes, write))
      outside |= uint64_t(1) << lane;
  if (HWY_LIKELY(!outside))
    return;
  unsigned lane = std::countr_zero(outside);
  throwOutside(w, op, int(lane), address[lane], bytes, write, outside);
}

// Four dwords a lane
using Quad = uint32_t __attribute__((ext_vector_type(4)));

/// Transposes a 4 x 4 matrix.
HWY_INLINE void transpose(Quad &a, Quad &b, Quad &c, Quad &d) {
  Quad ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  Quad cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}
HWY_INLINE Quad loadQuad(const void *from) {
  Quad v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
HWY_INLINE void storeQuad(void *to, Quad v) { __builtin_memcpy(to, &v, sizeof(v)); }

/// All lanes load four dwords each from any addresses: four lanes at a time, transposed into four parts of rows.
template <unsigned width> HWY_INLINE void loadQuads(uint32_t *to, const uint64_t *address) {
  for (unsigned i = 0; i < width; i += 4) {
    auto at = [&](unsigned k) HWY_ATTR { return loadQuad(reinterpret_cast<const void *>(address[i + k])); };
    Quad a = at(0), b = at(1), c = at(2), d = at(3);
    transpose(a, b, c, d);
    storeQuad(to + i, a);
    storeQuad(to + width + i, b);
    storeQuad(to + 2 * width + i, c);
    storeQuad(to + 3 * width + i, d);
  }
}
template <unsigned width> HWY_INLINE void storeQuads(const uint32_t *from, const uint64_t *address) {
  for (unsigned i = 0; i < width; i += 4) {
    Quad a = loadQuad(from + i), b = loadQuad(from + width + i), c = loadQuad(from + 2 * width + i),
         d = loadQuad(from + 3 * width + i);
    transpose(a, b, c, d);
    auto put = [&](unsigned k, Quad v) HWY_ATTR { storeQuad(reinterpret_cast<void *>(address[i + k]), v); };
    put(0, a), put(1, b), put(2, c), put(3, d);
  }
}

// How a load converts memory to registers
template <unsigned n> struct dword {
  static constexpr unsigned bytes = 4 * n, rows = n;
};
/// Less than a dword: one row. 16-bit ("D16") forms clear the half that they do not load, as parts with SRAM ECC do.
template <typename T, unsigned shift> struct Small {
  static constexpr unsigned bytes = sizeof(T), rows = 1;
  static HWY_INLINE uint32_t get(uint64_t address) {
    T value;
    __builtin_memcpy(&value, reinterpret_cast<const void *>(address), sizeof(T));
    return shift == 32 ? uint32_t(int32_t(value)) : (uint32_t(int32_t(value)) & 0xffff) << shift;
  }
};
using ubyte = Small<uint8_t, 32>;
using sbyte = Small<int8_t, 32>;
using ushort = Small<uint16_t, 32>;
using sshort = Small<int16_t, 32>;
using ubyteLow = Small<uint8_t, 0>;
using ubyteHigh = Small<uint8_t, 16>;
using sbyteLow = Small<int8_t, 0>;
using sbyteHigh = Small<int8_t, 16>;
using ushortLow = Small<uint16_t, 0>;
using ushortHigh = Small<uint16_t, 16>;

template <typename Kind> constexpr bool isDwords = Kind::bytes >= 4;

/// Loads zeros into lanes that are out of range.
template <unsigned width> HWY_INLINE void loadZeros(uint32_t *to, unsigned rows, uint64_t lanes) {
  for (unsigned k = 0; k < rows; ++k)
    for (unsigned c = 0; c < width / chunk; ++c)
      storeRow(to + k * width, c, U32(0u), uint16_t(lanes >> c * chunk));
}

/// Loads the active lanes into the rows from `to` on.
template <unsigned width, typename Kind>
HWY_INLINE void loadLanes(uint32_t *to, const uint64_t *address, uint64_t exec) {
  if constexpr (isDwords<Kind>) {
    constexpr unsigned n = Kind::rows;
    if (n == 4 && exec == ~uint64_t(0) >> (64 - width))
      return loadQuads<width>(to, address);
    if (consecutive<width>(address, exec, Kind::bytes)) {
      const char *from = reinterpret_cast<const char *>(address[0]);
      if constexpr (n == 1) {
        __builtin_memcpy(to, from, 4 * width);
      } else {
        for (unsigned c = 0; c < width / chunk; ++c) {
          uint32_t buffer[n * chunk];
          __builtin_memcpy(buffer, from + c * sizeof(buffer), sizeof(buffer));
          for (unsigned k = 0; k < n; ++k)
            for (unsigned i = 0; i < chunk; ++i)
              to[k * width + c * chunk + i] = buffer[i * n + k];
        }
      }
      return;
    }
    forLanes<width>(exec, [&](unsigned lane) HWY_ATTR {
      uint32_t values[n];
      __builtin_memcpy(values, reinterpret_cast<const void *>(address[lane]), 4 * n);
      for (unsigned k = 0; k < n; ++k)
        to[k * width + lane] = values[k];
    });
  } else {
    forLanes<width>(exec, [&](unsigned lane) HWY_ATTR { to[lane] = Kind::get(address[lane]); });
  }
}

// How a store converts registers to memory
template <unsigned n> struct words {
  static constexpr unsigned bytes = 4 * n, rows = n;
};
template <typename T, unsigned shift> struct SmallStore {
  static constexpr unsigned bytes = sizeof(T), rows = 1;
  static HWY_INLINE void put(uint64_t address, uint32_t value) {
    T small = T(value >> shift);
    __builtin_memcpy(reinterpret_cast<void *>(address), &small, sizeof(T));
  }
};
using byte = SmallStore<uint8_t, 0>;
using byteHigh = SmallStore<uint8_t, 16>;
using halfword = SmallStore<uint16_t, 0>;
using halfwordHigh = SmallStore<uint16_t, 16>;

template <unsigned width, typename Kind>
HWY_INLINE void storeLanes(const uint32_t *from, const uint64_t *address, uint64_t exec) {
  if constexpr (isDwords<Kind>) {
    constexpr unsigned n = Kind::rows;
    if (n == 4 && exec == ~uint64_t(0) >> (64 - width))
      return storeQuads<width>(from, address);
    if (consecutive<width>(address, exec, Kind::bytes)) {
      char *to = reinterpret_cast<char *>(address[0]);
      if constexpr (n == 1) {
        __builtin_memcpy(to, from, 4 * width);
      } else {
        for (unsigned c = 0; c < width / chunk; ++c) {
          uint32_t buffer[n * chunk];
          for (unsigned i = 0; i < chunk; ++i)
            for (unsigned k = 0; k < n; ++k)
              buffer[i * n + k] = from[k * width + c * chunk + i];
          __builtin_memcpy(to + c * sizeof(buffer), buffer, sizeof(buffer));
        }
      }
      return;
    }
    forLanes<width>(exec, [&](unsigned lane) HWY_ATTR {
      uint32_t values[n];
      for (unsigned k = 0; k < n; ++k)
        values[k] = from[k * width + lane];
      __builtin_memcpy(reinterpret_cast<void *>(address[lane]), values, 4 * n);
    });
  } else {
    forLanes<width>(exec, [&](unsigned lane) HWY_ATTR { Kind::put(address[lane], from[lane]); });
  }
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
