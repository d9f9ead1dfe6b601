// Addresses of lanes by a buffer resource.
//
// Source: "CDNA3 Instruction Set Architecture", "Vector memory buffer instructions". Offset row and the instruction's
// offset are added in 32 bits: LLVM moves a constant of any 32-bit sum into the instruction, even if the rest is
// negative.
#if defined(NSTF_RUNTIME_EMULATOR_EXECUTE_BUFFERACCESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NSTF_RUNTIME_EMULATOR_EXECUTE_BUFFERACCESS_INL_H
#undef NSTF_RUNTIME_EMULATOR_EXECUTE_BUFFERACCESS_INL_H
#else
#define NSTF_RUNTIME_EMULATOR_EXECUTE_BUFFERACCESS_INL_H
#endif

#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {

struct Resource {
  uint64_t base;
  uint32_t stride, records, elementSize, indexStride;
  bool swizzle, addLane;

  Resource(const Wave &w, SourceRef ref) {
    struct {
      uint32_t word[4];
    } r = w.scalarSource<decltype(r)>(ref);
    base = uint64_t(r.word[1] & 0xffff) << 32 | r.word[0];
    stride = r.word[1] >> 16 & 0x3fff;
    swizzle = r.word[1] >> 31;
    records = r.word[2];
    elementSize = 2u << (r.word[3] >> 19 & 3);
    indexStride = 8u << (r.word[3] >> 21 & 3);
    addLane = r.word[3] >> 23 & 1;
  }
};

/// A lane's place in a buffer, for accesses other than plain raw ones.
struct Place {
  uint64_t index, offset; // offset without soffset
};

template <unsigned width> struct BufferAccess {
  Resource resource;
  uint64_t scalarOffset;
  const uint32_t *offsets = nullptr, *indices = nullptr; // rows, or null
  uint64_t immediate;

  BufferAccess(const Wave &w, const MicroOp *op)
      : resource(w, op->source[1]), scalarOffset(w.scalarSource<uint32_t>(op->source[3])), immediate(op->immediate) {
    const uint32_t *row = w.row(op->source[0]);
    if (op->flags & bufferIndex) {
      indices = row;
      row += width;
    }
    if (op->flags & bufferOffset)
      offsets = row;
  }
  bool structured() const { return resource.stride && (indices || resource.addLane); }
  bool plain() const { return !resource.swizzle && !indices && !resource.addLane; }

  Place place(unsigned lane) const {
    return {(indices ? indices[lane] : 0) + uint64_t(resource.addLane ? lane : 0),
            uint32_t((offsets ? offsets[lane] : 0) + immediate)};
  }
  bool inside(Place p, unsigned bytes) const {
    if (structured())
      return p.index < resource.records && (!resource.swizzle || p.offset + bytes <= resource.stride);
    return p.offset + scalarOffset + bytes <= resource.records;
  }
  bool straddles(Place p, unsigned bytes) const {
    return resource.swizzle && p.offset % resource.elementSize + bytes > resource.elementSize;
  }
  uint64_t address(Place p) const {
    uint64_t at;
    if (resource.swizzle) {
      uint64_t indexHigh = p.index / resource.indexStride, indexLow = p.index % resource.indexStride;
      uint64_t offsetHigh = p.offset / resource.elementSize, offsetLow = p.offset % resource.elementSize;
      at = (indexHigh * resource.stride + offsetHigh * resource.elementSize) * resource.indexStride +
           indexLow * resource.elementSize + offsetLow;
    } else {
      at = p.index * resource.stride + p.offset;
    }
    return resource.base + scalarOffset + at;
  }

  /// Addresses of a plain raw access in which all lanes are active, inside the buffer and in one allocation; false in
  /// all other cases.
  HWY_INLINE bool wholeAddresses(Wave &w, uint64_t *to, uint64_t exec, unsigned bytes, bool write) const {
    if (exec != ~uint64_t(0) >> (64 - width) || !offsets || HWY_UNLIKELY(watched(w)))
      return false;
    U32 low = loadRow(offsets, 0) + uint32_t(immediate), high = low;
    const uint64_t begin = resource.base + scalarOffset;
    storeAddresses(to, 0, convertTo<U64>(low) + begin);
    for (unsigned c = 1; c < width / chunk; ++c) {
      U32 at = loadRow(offsets, c) + uint32_t(immediate);
      low = __builtin_elementwise_min(low, at);
      high = __builtin_elementwise_max(high, at);
      storeAddresses(to, c, convertTo<U64>(at) + begin);
    }
    const uint64_t lowest = __builtin_reduce_min(low), end = uint64_t(__builtin_reduce_max(high)) + bytes;
    return end + scalarOffset <= resource.records && accessible(w, begin + lowest, end - lowest, write);
  }

  /// Addresses of a plain raw access. Returns the lanes of `exec` whose bytes are all inside the buffer, and in
  /// `partly` those of which only some are.
  uint64_t rawAddresses(uint64_t *to, uint64_t exec, unsigned bytes, uint64_t &partly) const {
    uint64_t all = 0, some = 0, base = resource.base, records = resource.records;
    unsigned unit = bytes < 4 ? bytes : 4;
    for (unsigned c = 0; c < width / chunk; ++c) {
      U64 at = U64(scalarOffset + immediate);
      if (offsets)
        at = convertTo<U64>(loadRow(offsets, c) + uint32_t(immediate)) + scalarOffset;
      storeAddresses(to, c, at + base);
      all |= uint64_t(bitsOfMask(at + uint64_t(bytes) <= records)) << c * chunk;
      some |= uint64_t(bitsOfMask(at + uint64_t(unit) <= records)) << c * chunk;
    }
    partly = some & ~all & exec;
    return all & exec;
  }
};

/// Moves the bytes of one lane dword by dword, each checked separately; a dword that straddles elements of a swizzled
/// buffer byte by byte.
template <unsigned width, typename Kind, bool write>
void moveLane(Wave &w, const MicroOp *op, const BufferAccess<width> &access, unsigned lane, char *data) {
  constexpr unsigned unit = Kind::bytes < 4 ? Kind::bytes : 4;
  for (unsigned at = 0; at < Kind::bytes; at += unit) {
    Place p = access.place(lane);
    p.offset += at;
    if (!access.inside(p, unit)) {
      if (!write)
        std::memset(data + at, 0, unit);
      continue;
    }
    const unsigned step = access.straddles(p, unit) ? 1 : unit;
    for (unsigned byte = at; byte < at + unit; byte += step, p.offset += step) {
      const uint64_t address = access.address(p);
      checkAccess(w, op, int(lane), address, step, write, byte);
      void *memory = reinterpret_cast<void *>(address);
      if (write)
        std::memcpy(memory, data + byte, step);
      else
        std::memcpy(data + byte, memory, step);
    }
  }
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
