// The weights of --weights=random:SEED.
//
// Weights that are computed instead of stored: the runtime fills device memory with them, and the reference computes
// with the same numbers. They depend on nothing but this header, so both agree to the last bit on every host.
//
//   key      = mix(seed ^ fnv1a64(tensor's name))
//   bits(i)  = mix(key + (i + 1) * 0x9e3779b97f4a7c15)        i: row-major element index; splitmix64 with random access
//   u(i)     = (bits(i) >> 40) / 2^23 - 1                     24 bits, exact in float32, in [-1, 1)
//   value(i) = u(i) * scale                                   one float32 multiplication, rounded to nearest
//   scale    = float32(sqrt(3 / K)) for tensors of rank 2 and more, K their last dimension: variance 1 / K, so that
//              a product x·wᵀ keeps the size of x; 1 for vectors and scalars.
//
// mix is the finalizer of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nstf {

class RandomWeights {
public:
  /// The generator of the tensor `name` of the given shape (`rank` extents, outermost first).
  RandomWeights(uint64_t seed, std::string_view name, const int64_t *shape, std::size_t rank)
      : key(mix(seed ^ fnv1a64(name))),
        scale(rank < 2 ? 1.0f : static_cast<float>(std::sqrt(3.0 / static_cast<double>(shape[rank - 1])))) {}

  /// Element `index` in row-major order.
  float operator()(uint64_t index) const {
    uint64_t bits = mix(key + (index + 1) * increment);
    return (static_cast<float>(bits >> 40) * (1.0f / 8388608.0f) - 1.0f) * scale;
  }

private:
  static constexpr uint64_t increment = 0x9e3779b97f4a7c15u;

  static constexpr uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  static constexpr uint64_t fnv1a64(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (char c : text)
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
  }

  uint64_t key;
  float scale;
};

} // namespace nstf
