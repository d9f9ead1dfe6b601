// Registers as host vectors.
//
// A row of 64 lanes is processed 16 lanes at a time in the compiler's vector types, which become one AVX-512 register,
// two AVX2 registers, or four SSE2 or NEON ones. Highway's foreach_target compiles the handlers once for each of these;
// include this file after it. Arithmetic gives the same bits on all hosts: -ffp-contract=off, fused multiply-add only
// where an instruction fuses, and NaN results made by this code instead of the host.
//
// Every type of Instructions.def is a struct here: V is the type in which 16 lanes are computed; load and store
// convert.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_LANES_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_LANES_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_LANES_INL_H
#endif

#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/Wave.h"

#include <hwy/highway.h>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

constexpr unsigned chunk = 16;
template <typename T> using Vector = T __attribute__((ext_vector_type(chunk)));
using U8 = Vector<uint8_t>;
using U16 = Vector<uint16_t>;
using U32 = Vector<uint32_t>;
using I32 = Vector<int32_t>;
using U64 = Vector<uint64_t>;
using I64 = Vector<int64_t>;
using H16 = Vector<_Float16>;
using F32 = Vector<float>;
using F64 = Vector<double>;
using B16 = Vector<bool>;

template <typename To, typename From> HWY_INLINE To convertTo(From v) { return __builtin_convertvector(v, To); }
template <typename To, typename From> HWY_INLINE To bitsAs(From v) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, v);
}
template <typename V, typename T> HWY_INLINE V splat(T value) { return V(value); }

/// A comparison's result as one bit for each lane.
template <typename M> HWY_INLINE uint16_t bitsOfMask(M mask) {
  return __builtin_bit_cast(uint16_t, __builtin_convertvector(mask, B16));
}
/// Sets all bits of the lanes whose bit in `bits` is set.
HWY_INLINE I32 maskOfBits(uint16_t bits) {
  const I32 lane = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  return (I32(int32_t(bits)) & lane) != 0;
}
template <typename M> HWY_INLINE bool any(M mask) { return bitsOfMask(mask) != 0; }
HWY_INLINE U32 choose(I32 mask, U32 a, U32 b) { return (U32(mask) & a) | (~U32(mask) & b); }
HWY_INLINE F32 choose(I32 mask, F32 a, F32 b) { return bitsAs<F32>(choose(mask, bitsAs<U32>(a), bitsAs<U32>(b))); }
HWY_INLINE I32 choose(I32 mask, I32 a, I32 b) { return bitsAs<I32>(choose(mask, bitsAs<U32>(a), bitsAs<U32>(b))); }
HWY_INLINE U64 choose(I64 mask, U64 a, U64 b) { return (U64(mask) & a) | (~U64(mask) & b); }
HWY_INLINE I64 choose(I64 mask, I64 a, I64 b) { return (mask & a) | (~mask & b); }
HWY_INLINE F64 choose(I64 mask, F64 a, F64 b) { return bitsAs<F64>(choose(mask, bitsAs<U64>(a), bitsAs<U64>(b))); }

HWY_INLINE U32 loadRow(const uint32_t *row, unsigned c) {
  U32 v;
  __builtin_memcpy(&v, __builtin_assume_aligned(row + c * chunk, 64), sizeof(v));
  return v;
}
HWY_INLINE void storeRow(uint32_t *row, unsigned c, U32 v, uint16_t exec) {
  uint32_t *to = static_cast<uint32_t *>(__builtin_assume_aligned(row + c * chunk, 64));
  if (HWY_UNLIKELY(exec != 0xffff))
    v = choose(maskOfBits(exec), v, loadRow(row, c));
  __builtin_memcpy(to, &v, sizeof(v));
}
HWY_INLINE U64 loadPair(const uint32_t *row, unsigned c) {
  return convertTo<U64>(loadRow(row, c)) | convertTo<U64>(loadRow(row + Wave::width, c)) << 32;
}
HWY_INLINE void storePair(uint32_t *row, unsigned c, U64 v, uint16_t exec) {
  storeRow(row, c, convertTo<U32>(v), exec);
  storeRow(row + Wave::width, c, convertTo<U32>(v >> 32), exec);
}

/// Converts 16 lanes from f16 to f32 and back, with F16C if the host has it.
HWY_INLINE F32 fromHalf(U32 low) { return convertTo<F32>(bitsAs<H16>(convertTo<U16>(low))); }
HWY_INLINE U32 toHalf(F32 v) { return convertTo<U32>(bitsAs<U16>(convertTo<H16>(v))); }

// NaN
// A NaN result of an arithmetic instruction is the first source that is NaN, made quiet, or else 0x7fc00000. Hosts
// differ (x86 makes negative NaNs, compilers swap operands), so NaN lanes are computed here; they are rare.

HWY_INLINE I32 isNan(F32 v) { return v != v; }
HWY_INLINE I64 isNan(F64 v) { return v != v; }
HWY_INLINE F32 quiet(F32 v) { return bitsAs<F32>(bitsAs<U32>(v) | 0x00400000u); }
HWY_INLINE F64 quiet(F64 v) { return bitsAs<F64>(bitsAs<U64>(v) | 0x0008000000000000ull); }
HWY_INLINE F32 defaultNan(F32) { return bitsAs<F32>(U32(0x7fc00000u)); }
HWY_INLINE F64 defaultNan(F64) { return bitsAs<F64>(U64(0x7ff8000000000000ull)); }
template <typename V> HWY_INLINE V firstNan(V a) { return choose(isNan(a), quiet(a), defaultNan(a)); }
template <typename V, typename... Rest> HWY_INLINE V firstNan(V a, Rest... rest) {
  return choose(isNan(a), quiet(a), firstNan(rest...));
}
template <typename V, typename... Sources> HWY_INLINE V withNan(V result, Sources... sources) {
  auto nan = isNan(result);
  if (HWY_UNLIKELY(any(nan)))
    result = choose(nan, firstNan(sources...), result);
  return result;
}

// Types

struct u32 {
  using V = U32;
  using Scalar = uint32_t;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return loadRow(row, c); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) { storeRow(row, c, v, exec); }
};
struct i32 {
  using V = I32;
  using Scalar = int32_t;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return bitsAs<I32>(loadRow(row, c)); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) {
    storeRow(row, c, bitsAs<U32>(v), exec);
  }
};
struct f32 {
  using V = F32;
  using Scalar = float;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return bitsAs<F32>(loadRow(row, c)); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) {
    storeRow(row, c, bitsAs<U32>(v), exec);
  }
};
struct u24 {
  using V = U32;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return loadRow(row, c) & 0xffffffu; }
};
struct i24 {
  using V = I32;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return bitsAs<I32>(loadRow(row, c) << 8) >> 8; }
};
/// 16-bit results clear the upper half of the register (GFX9).
struct u16 {
  using V = U32;
  using Scalar = uint16_t;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return loadRow(row, c) & 0xffffu; }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) { storeRow(row, c, v & 0xffffu, exec); }
};
struct i16 {
  using V = I32;
  using Scalar = int16_t;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return bitsAs<I32>(loadRow(row, c) << 16) >> 16; }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) {
    storeRow(row, c, bitsAs<U32>(v) & 0xffffu, exec);
  }
};
struct f16 {
  using V = F32; // exact: every f16 is an f32, and rounding an f32 sum or product to f16 rounds only once
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return fromHalf(loadRow(row, c)); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) { storeRow(row, c, toHalf(v), exec); }
};
struct u64 {
  using V = U64;
  using Scalar = uint64_t;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return loadPair(row, c); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) { storePair(row, c, v, exec); }
};
struct i64 {
  using V = I64;
  using Scalar = int64_t;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return bitsAs<I64>(loadPair(row, c)); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) {
    storePair(row, c, bitsAs<U64>(v), exec);
  }
};
struct f64 {
  using V = F64;
  using Scalar = double;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return bitsAs<F64>(loadPair(row, c)); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, V v, uint16_t exec) {
    storePair(row, c, bitsAs<U64>(v), exec);
  }
};
/// Exponents of v_ldexp: an integer source with a float destination.
using i16exponent = i16;
using i32exponent = i32;
using i64exponent = i32;

/// A packed pair: an instruction on it operates on each half. Half: the type of one half.
template <typename Half_> struct Pair16 {
  using Half = Half_;
  static HWY_INLINE typename Half::V low(const uint32_t *row, unsigned c);
  static HWY_INLINE typename Half::V high(const uint32_t *row, unsigned c);
  static HWY_INLINE void store(uint32_t *row, unsigned c, typename Half::V low, typename Half::V high, uint16_t exec);
};
HWY_INLINE F32 getHalf(f16, U32 bits) { return fromHalf(bits & 0xffffu); }
HWY_INLINE U32 getHalf(u16, U32 bits) { return bits & 0xffffu; }
HWY_INLINE I32 getHalf(i16, U32 bits) { return bitsAs<I32>(bits << 16) >> 16; }
HWY_INLINE U32 bitsOfHalf(f16, F32 v) { return toHalf(v); }
HWY_INLINE U32 bitsOfHalf(u16, U32 v) { return v & 0xffffu; }
HWY_INLINE U32 bitsOfHalf(i16, I32 v) { return bitsAs<U32>(v) & 0xffffu; }
template <typename H> HWY_INLINE typename H::V Pair16<H>::low(const uint32_t *row, unsigned c) {
  return getHalf(H(), loadRow(row, c));
}
template <typename H> HWY_INLINE typename H::V Pair16<H>::high(const uint32_t *row, unsigned c) {
  return getHalf(H(), loadRow(row, c) >> 16);
}
template <typename H>
HWY_INLINE void Pair16<H>::store(uint32_t *row, unsigned c, typename H::V low, typename H::V high, uint16_t exec) {
  storeRow(row, c, bitsOfHalf(H(), low) | bitsOfHalf(H(), high) << 16, exec);
}
using v2f16 = Pair16<f16>;
using v2u16 = Pair16<u16>;
using v2i16 = Pair16<i16>;

template <typename Half_> struct Pair32 {
  using Half = Half_;
  static HWY_INLINE typename Half::V low(const uint32_t *row, unsigned c) { return Half::load(row, c); }
  static HWY_INLINE typename Half::V high(const uint32_t *row, unsigned c) { return Half::load(row + Wave::width, c); }
  static HWY_INLINE void store(uint32_t *row, unsigned c, typename Half::V low, typename Half::V high, uint16_t exec) {
    Half::store(row, c, low, exec);
    Half::store(row + Wave::width, c, high, exec);
  }
};
using v2f32 = Pair32<f32>;
using v2b32 = Pair32<u32>;

/// Packed f16 that is not computed by halves (dot products): the unchanged register.
struct v2f16raw {
  using V = U32;
  static HWY_INLINE V load(const uint32_t *row, unsigned c) { return loadRow(row, c); }
};

using v2b16raw = v2f16raw;

template <typename T>
concept Packed = requires { typename T::Half; };

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "runtime/emulator/instructions/HalfMode-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

// Handlers

/// The handlers of lane-wise instructions with one, two and three sources. `Meaning::run<T>` computes the destination
/// vector from the source vectors; T is the destination's type (of one half, if packed).
template <unsigned width, typename Meaning, typename D, typename A>
const MicroOp *runVector1(Wave &w, const MicroOp *op) {
  if (needsHalfMode<Meaning, D, A>(w))
    return runVector1<width, Meaning, Moded<D>, Moded<A>>(w, op);
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]);
  for (unsigned c = 0; c < width / chunk; ++c)
    D::store(to, c, Meaning::template run<D>(A::load(a, c)), uint16_t(exec >> c * chunk));
  return op + 1;
}

template <unsigned width, typename Meaning, typename D, typename A, typename B>
const MicroOp *runVector2(Wave &w, const MicroOp *op) {
  if (needsHalfMode<Meaning, D, A, B>(w))
    return runVector2<width, Meaning, Moded<D>, Moded<A>, Moded<B>>(w, op);
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    uint16_t active = uint16_t(exec >> c * chunk);
    if constexpr (Packed<D>) {
      auto low = Meaning::template run<typename D::Half>(A::low(a, c), B::low(b, c));
      auto high = Meaning::template run<typename D::Half>(A::high(a, c), B::high(b, c));
      D::store(to, c, low, high, active);
    } else {
      D::store(to, c, Meaning::template run<D>(A::load(a, c), B::load(b, c)), active);
    }
  }
  return op + 1;
}

template <unsigned width, typename Meaning, typename D, typename A, typename B, typename C>
const MicroOp *runVector3(Wave &w, const MicroOp *op) {
  if (needsHalfMode<Meaning, D, A, B, C>(w))
    return runVector3<width, Meaning, Moded<D>, Moded<A>, Moded<B>, Moded<C>>(w, op);
  uint64_t exec = w.exec();
  uint32_t *to = w.destination(op);
  const uint32_t *a = w.row(op->source[0]), *b = w.row(op->source[1]), *d = w.row(op->source[2]);
  for (unsigned c = 0; c < width / chunk; ++c) {
    uint16_t active = uint16_t(exec >> c * chunk);
    if constexpr (Packed<D>) {
      auto low = Meaning::template run<typename D::Half>(A::low(a, c), B::low(b, c), C::low(d, c));
      auto high = Meaning::template run<typename D::Half>(A::high(a, c), B::high(b, c), C::high(d, c));
      D::store(to, c, low, high, active);
    } else {
      D::store(to, c, Meaning::template run<D>(A::load(a, c), B::load(b, c), C::load(d, c)), active);
    }
  }
  return op + 1;
}

/// Bit i of the result is bit lanes[i] of `mask`.
template <unsigned width> HWY_INLINE uint64_t bitsOfLanes(uint64_t mask, const uint32_t *lanes) {
  uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i)
    result |= (mask >> lanes[i] & 1) << i;
  return result;
}
/// to[i] = from[lanes[i]] for the lanes of `valid`, 0 for the others. Precondition: `to` and `from` are different rows.
template <unsigned width>
HWY_INLINE void moveLanes(uint32_t *to, const uint32_t *from, const uint32_t *lanes, uint64_t valid) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<uint32_t, chunk> d;
  for (unsigned c = 0; c < width / chunk; ++c) {
    U32 v;
    if constexpr (hn::MaxLanes(d) == chunk) { // a register holds a chunk: look up in all of them, select the right one
      const auto lane = hn::LoadU(d, lanes + c * chunk), part = hn::ShiftRight<4>(lane);
      const auto index = hn::IndicesFromVec(d, hn::And(lane, hn::Set(d, chunk - 1)));
      auto found = hn::TableLookupLanes(hn::LoadU(d, from), index);
      for (unsigned p = 1; p < width / chunk; ++p)
        found = hn::IfThenElse(hn::Eq(part, hn::Set(d, p)), hn::TableLookupLanes(hn::LoadU(d, from + p * chunk), index),
                               found);
      __builtin_memcpy(&v, &found, sizeof(v));
    } else {
      for (unsigned i = 0; i < chunk; ++i)
        v[i] = from[lanes[c * chunk + i]];
    }
    storeRow(to, c, v & bitsAs<U32>(maskOfBits(uint16_t(valid >> c * chunk))), 0xffff);
  }
}

/// Applies a scalar function to each lane, for operations that host vectors lack.
template <typename R, typename F, typename... V> HWY_INLINE R eachLane(F function, V... sources) {
  R result;
  for (unsigned i = 0; i < chunk; ++i)
    result[i] = function(sources[i]...);
  return result;
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
