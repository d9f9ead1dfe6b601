// From JSON to nstf::manifest, inside the library.
//
// The reader in parts, each of which checks what it reads: the common pieces here and in ManifestReader.cpp, the
// targets (kernels, buckets, steps) in ManifestTargets.cpp, which need the buffers to be read before.
#pragma once

#include "nstf/Manifest.h"
#include "support/JsonCursor.h"

#include <map>

namespace nstf::manifest {

/// No offset or size in a package exceeds this (2^48), so sums of two never overflow 64 bits.
inline constexpr uint64_t maxBytes = uint64_t(1) << 48;
inline constexpr uint64_t maxInt32 = 0x7fffffff;

ElementType readElementType(const support::JsonCursor &value);
/// A shape of at most 2^48 elements a row; `allowTokens`: its first dimension may be "tokens".
Shape readShape(const support::JsonCursor &value, bool allowTokens);
/// How a tensor lies, in "order" beside its shape and type.
std::optional<support::OperandOrder> readOrder(const support::JsonCursor &item, const Shape &shape, ElementType type);
/// A file name; a relative one must stay inside the package.
std::string readFileName(const support::JsonCursor &value);
std::string readSha256(const support::JsonCursor &value);
/// Bytes of a tensor in a step of `tokens` rows, or nothing where they exceed 2^63.
std::optional<uint64_t> extentOf(const Shape &shape, ElementType type, int64_t tokens);

/// The buffers of a manifest, which outlive it, by name.
class BufferNames {
public:
  explicit BufferNames(const std::vector<Buffer> &buffers);
  /// Index of the buffer with the name in `value`.
  std::size_t read(const support::JsonCursor &value) const;

private:
  std::map<std::string_view, std::size_t> indices;
};

/// Reads "targets"; everything else of `manifest` has been read.
std::vector<Target> readTargets(const support::JsonCursor &value, const Manifest &manifest, const BufferNames &buffers);

} // namespace nstf::manifest
