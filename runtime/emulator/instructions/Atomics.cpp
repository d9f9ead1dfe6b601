// Read-modify-write on device memory and LDS.
//
// Workgroups run on several host threads, so these are host atomics. The operations are those of "CDNA3 Instruction Set
// Architecture", "DS/FLAT/MUBUF atomics".
#include "runtime/emulator/instructions/Atomics.h"

#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

namespace nstf::emulator {
namespace {

struct add {
  template <typename T> static T run(T old, T v) {
    return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(v));
  }
};
struct sub {
  template <typename T> static T run(T old, T v) {
    return T(std::make_unsigned_t<T>(old) - std::make_unsigned_t<T>(v));
  }
};
struct subReverse {
  template <typename T> static T run(T old, T v) { return v - old; }
};
struct increment {
  template <typename T> static T run(T old, T v) { return old >= v ? T(0) : old + 1; }
};
struct decrement {
  template <typename T> static T run(T old, T v) { return old == 0 || old > v ? v : old - 1; }
};
struct minimum {
  template <typename T> static T run(T old, T v) { return v < old ? v : old; }
};
struct maximum {
  template <typename T> static T run(T old, T v) { return v > old ? v : old; }
};
struct bitAnd {
  template <typename T> static T run(T old, T v) { return old & v; }
};
struct bitOr {
  template <typename T> static T run(T old, T v) { return old | v; }
};
struct bitXor {
  template <typename T> static T run(T old, T v) { return old ^ v; }
};
struct exchange {
  template <typename T> static T run(T, T v) { return v; }
};
/// The operation with a second operand, the comparand.
struct compareExchange {
  template <typename T> static T run(T, T v) { return v; }
};
// LDS instructions with two operands, of which the second is `v`.
/// Clears the bits of the mask, then sets the others.
struct maskedOr {
  template <typename T> static T run(T old, T v, T mask) { return (old & ~mask) | v; }
};
/// A ring counter: decremented by the first operand, or incremented by the second if it would pass zero.
struct wrapAround {
  template <typename T> static T run(T old, T v, T limit) { return old >= limit ? old - limit : old + v; }
};
/// Two dwords; each is exchanged if the new value's top bit is set. That bit is not stored.
struct exchangeWhereTop {
  static uint64_t run(uint64_t old, uint64_t v) {
    uint64_t taken = (v >> 31 & 1 ? 0xffffffffull : 0) | (v >> 63 ? 0xffffffffull << 32 : 0);
    return (old & ~taken) | (v & taken & 0x7fffffff7fffffffull);
  }
};
template <typename Operation>
constexpr bool takesTwo = std::is_same_v<Operation, maskedOr> || std::is_same_v<Operation, wrapAround>;
/// The first NaN, made quiet, or the default NaN; the result is defined here because hosts and compilers differ.
template <typename T> T getNan(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr Bits quiet = sizeof(T) == 8 ? Bits(uint64_t(1) << 51) : Bits(1) << 22;
  constexpr Bits infinity = sizeof(T) == 8 ? Bits(uint64_t(0x7ff) << 52) : Bits(0xff) << 23;
  Bits bits = a != a ? std::bit_cast<Bits>(a) : b != b ? std::bit_cast<Bits>(b) : infinity;
  return std::bit_cast<T>(Bits(bits | quiet));
}
struct addFloat {
  template <typename T> static T run(T old, T v) {
    T sum = old + v;
    return sum != sum ? getNan(old, v) : sum;
  }
};
struct minNumber {
  template <typename T> static T run(T old, T v) { return old != old ? v : v < old ? v : old; }
};
struct maxNumber {
  template <typename T> static T run(T old, T v) { return old != old ? v : v > old ? v : old; }
};
template <typename F> uint32_t eachHalf(uint32_t old, uint32_t v, F function) {
  return uint32_t(function(uint16_t(old), uint16_t(v))) | uint32_t(function(uint16_t(old >> 16), uint16_t(v >> 16)))
                                                              << 16;
}
struct addHalves {
  static uint32_t run(uint32_t old, uint32_t v) {
    return eachHalf(old, v, [](uint16_t a, uint16_t b) {
      float x = float(__builtin_bit_cast(_Float16, a)), y = float(__builtin_bit_cast(_Float16, b)), sum = x + y;
      return __builtin_bit_cast(uint16_t, _Float16(sum != sum ? getNan(x, y) : sum));
    });
  }
};
struct addBfloats {
  static uint32_t run(uint32_t old, uint32_t v) {
    return eachHalf(old, v, [](uint16_t a, uint16_t b) {
      float x = __builtin_bit_cast(float, uint32_t(a) << 16), y = __builtin_bit_cast(float, uint32_t(b) << 16);
      float sum = x + y;
      uint32_t bits = __builtin_bit_cast(uint32_t, sum);
      if (sum != sum)
        return uint16_t(__builtin_bit_cast(uint32_t, getNan(x, y)) >> 16);
      return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    });
  }
};

template <typename T, typename Operation> uint64_t modify(uint64_t address, uint64_t value, uint64_t compare) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Bits *memory = reinterpret_cast<Bits *>(address);
  Bits old = __atomic_load_n(memory, __ATOMIC_RELAXED);
  for (;;) {
    Bits next;
    if constexpr (std::is_same_v<Operation, compareExchange>)
      next = __builtin_bit_cast(T, old) == __builtin_bit_cast(T, Bits(compare)) ? Bits(value) : old;
    else if constexpr (takesTwo<Operation>)
      next = Operation::run(old, Bits(value), Bits(compare));
    else
      next = __builtin_bit_cast(Bits, Operation::run(__builtin_bit_cast(T, old), __builtin_bit_cast(T, Bits(value))));
    if (__atomic_compare_exchange_n(memory, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return old;
  }
}

} // namespace

const AtomicOperation &atomicOperation(Opcode opcode) {
  static const std::array<AtomicOperation, opcodeCount> table = [] {
    std::array<AtomicOperation, opcodeCount> t;
#define SET(name, T, meaning, first)                                                                                   \
  t[unsigned(Opcode::name)] = {modify<T, meaning>, sizeof(T),                                                          \
                               first && (std::is_same_v<meaning, compareExchange> || takesTwo<meaning>)};
#define LDSATOMIC(name, T, meaning) SET(name, T, meaning, true)
#define SCALARATOMIC(name, T, meaning)                                                                                 \
  SET(S_##name, T, meaning, false)                                                                                     \
  SET(S_BUFFER_##name, T, meaning, false)
#define ATOMIC(name, T, meaning)                                                                                       \
  SET(GLOBAL_##name, T, meaning, false)                                                                                \
  SET(FLAT_##name, T, meaning, false)                                                                                  \
  SET(BUFFER_##name, T, meaning, false)
#include "runtime/emulator/decode/Instructions.def"
#undef SET
    return t;
  }();
  return table[unsigned(opcode)];
}

} // namespace nstf::emulator
