// How gfx942 adds products of small floats.
//
// Exact matrix mode of gfx942 for f16, bf16, xf32, fp8 and bf8. A group of up to 8 (xf32: 4, fp8: 16) products is added
// to C in the following steps. An element is significand * 2^exponent with 1 <= |significand| < 2; a subnormal has the
// type's smallest exponent, zero has significand 0 and exponent -126. A product has the product of the significands
// (below 4) and the sum of the exponents; m is the largest exponent of the group's products.
//   1. each product is cut toward zero to a multiple of 2^(m - 24); S is their exact sum
//      (fp8: even and odd products apart, with their own m, then both cut toward -inf to a multiple of 2^(m - 24) with
//      the larger m, and added)
//   2. M = max(m, exponent of C); S is cut toward -inf to a multiple of 2^(M - 31), C to one of 2^(M - 24)
//      (fp8: C counts as 0 if its exponent is below M - 25)
//   3. D = S + C, rounded once to f32, nearest even
// With NaN or infinity among the inputs, the result is IEEE's. A finite product of 2^128 or more counts as an infinity.
// Source: the published bit-accurate model of these units (Xie et al., arXiv 2511.10909).
//
// The code computes 16 elements of D at a time in vectors. If all nonzero elements of A and B are between 2^-30 and
// 2^31 ("tame": always for finite f16, fp8, bf8; for bf16 and xf32 with nearly all data), everything fits f32 and i32:
//   products are exact in f32; scaling one by 2^(24 - m) is an addition to its exponent bits, cutting it is the
//   conversion to i32, S in units of 2^(m - 24) is below 2^30.
//   S + C rounded once: S splits into what f32 holds and a rest, Knuth's two-sum gives the rounding error of the big
//   ones, which is exact added to the rest, and the last addition rounds the exact sum.
// A prescale of 2^-37 in A keeps the exponent bits positive, so that a zero product stays below 1 and is cut to zero.
// All other cases, including C that is tiny, huge, infinite or NaN, are computed in f64 (`cutGroupWide`).
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_CUTPRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_CUTPRODUCTS_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_CUTPRODUCTS_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_CUTPRODUCTS_INL_H
#endif

#include "runtime/emulator/instructions/MatrixOperands-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

/// Bias of exponents in 32 bits, as in f32.
constexpr int bias = 127;
/// 16-bit exponents of A are biased by 126, those of B by 68: the complement of the low 8 bits of a sum of both is the
/// value that cutGroup adds to the exponent of a product.
constexpr int biasA = 126, biasB = 68, sumBias = biasA + biasB;
template <unsigned parts> using Exponents = int16_t __attribute__((ext_vector_type(parts * chunk)));
HWY_INLINE I32 getPart(Exponents<1> e, unsigned) { return convertTo<I32>(e); }
HWY_INLINE I32 getPart(Exponents<2> e, unsigned part) {
  using Half = Exponents<1>;
  Half low = __builtin_shufflevector(e, e, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  Half high = __builtin_shufflevector(e, e, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  return convertTo<I32>(part ? high : low);
}

/// The types' smallest exponents.
template <typename From> constexpr int smallestExponent = -126;
template <> inline constexpr int smallestExponent<FromF16> = -14;
template <> inline constexpr int smallestExponent<FromFp8> = -7;
template <> inline constexpr int smallestExponent<FromBf8> = -15;

/// Number of products in a group, and whether even and odd ones are added separately.
template <typename From> constexpr unsigned groupOf = 8;
template <> inline constexpr unsigned groupOf<FromXf32> = 4;
template <> inline constexpr unsigned groupOf<FromFp8> = 16;
template <> inline constexpr unsigned groupOf<FromBf8> = 16;
template <typename From> constexpr bool addsApart = groupOf<From> == 16;

/// Range of exponents of tame elements; a lower bound of a group's largest exponent, below that of any nonzero product.
constexpr int tameLowest = -30, tameHighest = 30, groupLowest = -62;
/// A is multiplied by 2^prescale if all elements are tame. To scale a product by 2^(24 - m), the code then adds 24 -
/// prescale - m to the product's exponent; this sum is a value from 0 to 123.
constexpr int prescale = -37;
static_assert(24 - prescale == 255 - sumBias && groupLowest >= -sumBias);

/// Exponents of the elements of 64 lanes; ands to `tame` whether all of them are tame.
template <typename From>
HWY_INLINE void computeExponents(const float *values, int16_t *exponents, int biasOfType, bool &tame) {
  I32 wild = 0;
  for (unsigned c = 0; c < Wave::width / chunk; ++c) {
    U32 magnitude = bitsAs<U32>(loadLanes(values + c * chunk)) & 0x7fffffffu;
    I32 field = bitsAs<I32>(magnitude >> 23), nonzero = magnitude != 0u;
    if constexpr (smallestExponent<From> != 1 - bias) // all finite ones
      wild |= magnitude >= 0x7f800000u;
    else
      wild |= nonzero & bitsAs<I32>(U32(field - (bias + tameLowest)) > uint32_t(tameHighest - tameLowest));
    // Zero has exponent -126.
    I32 exponent = __builtin_elementwise_max(field - 1, I32(smallestExponent<From> + bias - 1)) & nonzero;
    Exponents<1> narrow = convertTo<Exponents<1>>(exponent + (biasOfType - 126));
    __builtin_memcpy(exponents + c * chunk, &narrow, sizeof(narrow));
  }
  tame &= !any(wild != 0);
}

/// The operands' exponents.
template <typename FromA, typename FromB, unsigned perLaneA, unsigned perLaneB> struct CutOperands {
  alignas(64) int16_t exponentsA[perLaneA][Wave::width];
  alignas(64) int16_t exponentsB[perLaneB][Wave::width];
  bool tame = true;

  /// Computes the exponents, and scales A if all elements are tame.
  HWY_INLINE void prepare(float (*a)[Wave::width], const float (*b)[Wave::width]) {
    for (unsigned local = 0; local < perLaneA; ++local)
      computeExponents<FromA>(a[local], exponentsA[local], biasA, tame);
    for (unsigned local = 0; local < perLaneB; ++local)
      computeExponents<FromB>(b[local], exponentsB[local], biasB, tame);
    for (unsigned local = 0; local < perLaneA && tame; ++local)
      for (unsigned i = 0; i < Wave::width; ++i)
        a[local][i] *= 0x1p-37f;
  }
};

HWY_INLINE F64 doublePower(I32 e) { return bitsAs<F64>(convertTo<I64>(e + 1023) << 52); }

/// One group for 16 elements of D, for any values; `exponents` are sums with their bias. In f64, products are exact,
/// and so are sums of cut products: they have at most 40 bits.
HWY_NOINLINE inline void cutGroupWide(const F32 *a, const F32 *b, const I32 *exponents, unsigned count, bool apart,
                                      bool tame, const F32 &c, F32 &d) {
  const double unscale = tame ? 0x1p37 : 1;
  unsigned sums = apart ? 2 : 1;
  I32 largest[2] = {exponents[0], exponents[apart]};
  for (unsigned k = 0; k < count; ++k)
    largest[k % sums] = __builtin_elementwise_max(largest[k % sums], exponents[k]);
  F64 special = convertTo<F64>(c), sum[2] = {};
  I64 positive = 0, negative = 0;
  for (unsigned k = 0; k < count; ++k) {
    F64 product = convertTo<F64>(a[k]) * unscale * convertTo<F64>(b[k]);
    special += product;
    positive |= product >= 0x1p128;
    negative |= product <= -0x1p128;
    sum[k % sums] += __builtin_elementwise_trunc(product * doublePower(24 + sumBias - largest[k % sums]));
  }
  I32 m = __builtin_elementwise_max(largest[0], largest[1]) - sumBias;
  F64 s = sum[0];
  if (apart)
    s = __builtin_elementwise_floor(sum[0] * doublePower(largest[0] - sumBias - m)) +
        __builtin_elementwise_floor(sum[1] * doublePower(largest[1] - sumBias - m));
  I32 exponentC = __builtin_elementwise_max(bitsAs<I32>(bitsAs<U32>(c) << 1 >> 24), I32(1)) - bias;
  I32 most = __builtin_elementwise_max(m, exponentC);
  s = __builtin_elementwise_floor(s * doublePower(m - most + 7));
  F64 addend = __builtin_elementwise_floor(convertTo<F64>(c) * doublePower(24 - most));
  if (apart)
    addend = choose(convertTo<I64>(exponentC < most - 25), F64(0), addend);
  F32 result = convertTo<F32>((s + addend * 128.0) * doublePower(most - 31));
  // Not finite, because of the inputs or of products.
  const double infinity = __builtin_inf();
  F64 overflow = choose(positive & negative, bitsAs<F64>(U64(0x7ff8000000000000ull)),
                        choose(positive, F64(infinity), F64(-infinity)));
  result = choose(convertTo<I32>(positive | negative), convertTo<F32>(overflow), result);
  I64 finite = __builtin_elementwise_abs(special) < infinity;
  d = oneNan(choose(convertTo<I32>(finite), result, convertTo<F32>(special)));
}

/// Whether C is outside the range of `addRoundedOnce`: nonzero and below 2^-62, or at least 2^110.
HWY_INLINE I32 isWild(F32 c) {
  U32 magnitude = bitsAs<U32>(c) & 0x7fffffffu;
  constexpr uint32_t lowest = uint32_t(bias + groupLowest) << 23, end = uint32_t(bias + 110) << 23;
  return bitsAs<I32>(magnitude - lowest >= end - lowest) & bitsAs<I32>(magnitude != 0u);
}

/// Steps 2 and 3, with S in units of 2^(m - 24).
template <bool apart> HWY_INLINE F32 addRoundedOnce(I32 s, I32 m, F32 c) {
  I32 exponentC = bitsAs<I32>((bitsAs<U32>(c) & 0x7fffffffu) >> 23), biased = m + bias;
  I32 most = __builtin_elementwise_max(biased, exponentC);
  F32 scaled = c * bitsAs<F32>((24 + 2 * bias - most) << 23);
  F32 addend = __builtin_elementwise_floor(scaled) * bitsAs<F32>((most - 24) << 23);
  if constexpr (apart)
    addend = choose(exponentC < most - 25, F32(0), addend);
  I32 kept = __builtin_elementwise_max(biased + 7, most); // S is a multiple of 2^(kept - 31) from here on
  I32 cut = s >> __builtin_elementwise_min(kept - (biased + 7), I32(31));
  F32 unit = bitsAs<F32>((kept - 31) << 23);
  // S| < 2^30: the part above the low 7 bits is an f32.
  F32 high = convertTo<F32>(cut & ~127) * unit, low = convertTo<F32>(cut & 127) * unit;
  F32 sum = addend + high, part = sum - addend;
  F32 error = (addend - (sum - part)) + (high - part);
  return sum + (error + low);
}

/// One group of `count` products for parts * 16 elements of D. a(k) and b(k, part) return the values, e(k) the
/// exponents, load(part) C; store(part, v) stores D.
template <unsigned count, bool apart, unsigned parts>
HWY_INLINE void cutGroup(bool tame, auto a, auto b, auto e, auto load, auto store) {
  using E = Exponents<parts>;
  constexpr unsigned sums = apart ? 2 : 1;
  E largest[2] = {e(0), e(apart)};
  for (unsigned k = sums; k < count; ++k)
    largest[k % sums] = __builtin_elementwise_max(largest[k % sums], e(k));
#pragma clang loop unroll(full)
  for (unsigned part = 0; part < parts; ++part) {
    F32 c = load(part);
    if (HWY_UNLIKELY(!tame || any(isWild(c)))) {
      F32 as[count], bs[count];
      I32 es[count];
      for (unsigned k = 0; k < count; ++k)
        as[k] = a(k), bs[k] = b(k, part), es[k] = getPart(e(k), part);
      cutGroupWide(as, bs, es, count, apart, tame, c, c);
      store(part, c);
      continue;
    }
    I32 m[sums], s[sums] = {};
    for (unsigned n = 0; n < sums; ++n) {
      m[n] = __builtin_elementwise_max(getPart(largest[n], part), I32(groupLowest + sumBias));
      // 255 - m, in a form that the compiler does not split into an additional step for each product
      I32 scale = (m[n] ^ 255) << 23;
      for (unsigned k = n; k < count; k += sums)
        s[n] += convertTo<I32>(bitsAs<F32>(bitsAs<I32>(a(k) * b(k, part)) + scale));
    }
    if constexpr (apart) {
      I32 larger = __builtin_elementwise_max(m[0], m[1]);
      s[0] = (s[0] >> __builtin_elementwise_min(larger - m[0], I32(31))) +
             (s[1] >> __builtin_elementwise_min(larger - m[1], I32(31)));
      m[0] = larger;
    }
    store(part, addRoundedOnce<apart>(s[0], m[0] - sumBias, c));
  }
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
