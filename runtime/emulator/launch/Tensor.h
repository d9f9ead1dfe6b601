// Contents of buffers: files, generated numbers, comparison.
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

/// Reads a NumPy file in C or Fortran order. If `wanted` is bf16 or a small float, integers of the same width in the
/// file are taken as its bits. Throws std::runtime_error.
Tensor readNpy(const std::filesystem::path &path, std::optional<ElementType> wanted = std::nullopt);
/// The same for a file's bytes; `path` is used in messages.
Tensor parseNpy(std::span<const std::byte> bytes, const std::filesystem::path &path,
                std::optional<ElementType> wanted = std::nullopt);
/// The file's bytes. Throws std::runtime_error.
std::vector<std::byte> readBytes(const std::filesystem::path &path);

/// The bytes of a NumPy file, or, if the suffix is not .npy, the data alone.
std::string getFile(const std::filesystem::path &path, ElementType type, const std::vector<int64_t> &shape,
                    std::span<const std::byte> bytes);

/// Makes a tensor of `description`'s type from the contents; for an expectation from a file of another type, a tensor
/// of the file's type. Throws InputError at the contents' place. Precondition: not Contents::Buffer.
Tensor makeContents(const LaunchFile &file, const Contents &contents, const BufferDescription &description,
                    bool isExpectation);

/// Random number `i` of a seed, in [low, high) for floats and [low, high] for integers. It is SplitMix64's output
/// function on a counter, so a number depends only on the seed and its index.
uint64_t randomBits(uint64_t seed, uint64_t i);

} // namespace nstf::emulator
