// Reads JSON into nstf::manifest; internal to the library.
//
// Each part of the reader checks the part of the manifest that it reads. The common pieces are here and in
// ManifestReader.cpp. The targets (kernels, buckets, steps) are in ManifestTargets.cpp, which needs the buffers to be
// read before.
#pragma once

#include "nstf/Manifest.h"
#include "support/JsonCursor.h"

#include <map>

namespace nstf::manifest {

/// No offset or size in a package exceeds this (2^48), so sums of two never overflow 64 bits.
inline constexpr uint64_t maxBytes = uint64_t(1) << 48;
inline constexpr uint64_t maxInt32 = 0x7fffffff;

ElementType readElementType(const support::JsonCursor &value);
/// A shape of at most 2^48 elements a row; with `allowTokens`, its first dimension may be "tokens".
Shape readShape(const support::JsonCursor &value, bool allowTokens);
/// The memory order of a tensor, from "order" beside its shape and type.
std::optional<support::OperandOrder> readOrder(const support::JsonCursor &item, const Shape &shape, ElementType type);
/// A file name; a relative one must stay inside the package.
std::string readFileName(const support::JsonCursor &value);
std::string readSha256(const support::JsonCursor &value);
/// Bytes of a tensor in a step of `tokens` rows; nothing if they exceed 2^63.
std::optional<uint64_t> getExtent(const Shape &shape, ElementType type, int64_t tokens);

/// The buffers of a manifest by name. The buffers outlive the object.
class BufferNames {
public:
  explicit BufferNames(const std::vector<Buffer> &buffers);
  /// Index of the buffer that `value` names.
  std::size_t read(const support::JsonCursor &value) const;

private:
  std::map<std::string_view, std::size_t> indices;
};

/// Reads "targets". Precondition: everything else of `manifest` has been read.
std::vector<Target> readTargets(const support::JsonCursor &value, const Manifest &manifest, const BufferNames &buffers);

} // namespace nstf::manifest
