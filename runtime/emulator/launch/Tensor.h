// Buffers' contents: files, generated numbers, comparison.
#pragma once

#include "runtime/emulator/launch/LaunchFile.h"

#include <span>

namespace nstf::emulator {

/// Numbers of one type, row-major.
struct Tensor {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  uint64_t elements() const { return data.size() / sizeOf(type); }
  const std::byte *at(uint64_t i) const { return data.data() + i * sizeOf(type); }
};

/// Reads a NumPy file in C or Fortran order. `wanted`: a file of plain whole numbers is taken as the bits of a bf16 or
/// small float where one of that type is wanted. Throws std::runtime_error.
Tensor readNpy(const std::filesystem::path &path, std::optional<ElementType> wanted = std::nullopt);
/// The same of a file's bytes; `path` is for messages.
Tensor parseNpy(std::span<const std::byte> bytes, const std::filesystem::path &path,
                std::optional<ElementType> wanted = std::nullopt);
/// The file's bytes. Throws std::runtime_error.
std::vector<std::byte> readBytes(const std::filesystem::path &path);

/// A NumPy file, or with another suffix than .npy the bytes alone.
std::string fileOf(const std::filesystem::path &path, ElementType type, const std::vector<int64_t> &shape,
                   std::span<const std::byte> bytes);

/// What the contents say, as a tensor of `description`'s type; for an expectation of a file with numbers of another
/// type, as that. Throws InputError at the contents' place. Not for Contents::Buffer.
Tensor makeContents(const LaunchFile &file, const Contents &contents, const BufferDescription &description,
                    bool isExpectation);

/// Random number `i` of a seed, in [low, high) for floats and [low, high] for integers (SplitMix64's output function on
/// a counter, so that a number depends on the seed and its index only).
uint64_t randomBits(uint64_t seed, uint64_t i);

} // namespace nstf::emulator
