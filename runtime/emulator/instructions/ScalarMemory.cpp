// Scalar loads, stores and atomics.
//
// source[0]: base (SGPR pair, or the four of a buffer resource); source[1]: offset in an SGPR or zero; immediate: the
// instruction's offset. Only dwords are accessed; the low address bits are ignored. Outside num_records, a buffer reads
// zero and stores are dropped.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/instructions/Atomics.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/LaneAddresses.h"
#include "runtime/emulator/instructions/Wave.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace nstf::emulator {
namespace {

uint64_t plainAddress(const Wave &w, const MicroOp *op) {
  return w.scalarSource<uint64_t>(op->source[0]) + w.scalarSource<uint32_t>(op->source[1]) + op->immediate;
}

template <unsigned dwords> const MicroOp *load(Wave &w, const MicroOp *op) {
  const uint64_t address = plainAddress(w, op) & ~uint64_t(3);
  checkAccess(w, op, -1, address, dwords * 4, false);
  std::memcpy(w.scalars + op->destination, reinterpret_cast<const void *>(address), dwords * 4);
  return op + 1;
}

template <unsigned dwords> const MicroOp *store(Wave &w, const MicroOp *op) {
  const uint64_t address = plainAddress(w, op) & ~uint64_t(3);
  checkAccess(w, op, -1, address, dwords * 4, true);
  std::memcpy(reinterpret_cast<void *>(address), w.scalars + op->destination, dwords * 4);
  return op + 1;
}

/// s_scratch_load, s_scratch_store: a register offset counts in 64 bytes, one for each lane ("Scalar memory
/// addressing").
uint64_t scratchAddress(const Wave &w, const MicroOp *op) {
  uint64_t offset = uint64_t(w.scalarSource<uint32_t>(op->source[1])) * 64;
  return (w.scalarSource<uint64_t>(op->source[0]) + offset + op->immediate) & ~uint64_t(3);
}
template <unsigned dwords> const MicroOp *scratchLoad(Wave &w, const MicroOp *op) {
  uint64_t address = scratchAddress(w, op);
  checkAccess(w, op, -1, address, dwords * 4, false);
  std::memcpy(w.scalars + op->destination, reinterpret_cast<const void *>(address), dwords * 4);
  return op + 1;
}
template <unsigned dwords> const MicroOp *scratchStore(Wave &w, const MicroOp *op) {
  uint64_t address = scratchAddress(w, op);
  checkAccess(w, op, -1, address, dwords * 4, true);
  std::memcpy(reinterpret_cast<void *>(address), w.scalars + op->destination, dwords * 4);
  return op + 1;
}

/// The resource in four SGPRs: dwords beyond its end read zero and are not written.
struct ScalarBuffer {
  uint64_t base, size, offset;
  ScalarBuffer(const Wave &w, const MicroOp *op) {
    struct {
      uint32_t word[4];
    } resource = w.scalarSource<decltype(resource)>(op->source[0]);
    base = (uint64_t(resource.word[1] & 0xffff) << 32 | resource.word[0]) & ~uint64_t(3);
    uint32_t stride = resource.word[1] >> 16 & 0x3fff;
    size = uint64_t(resource.word[2]) * (stride ? stride : 1);
    offset = (w.scalarSource<uint32_t>(op->source[1]) + op->immediate) & ~uint64_t(3);
  }
  bool inside(uint64_t at, unsigned bytes) const { return at + bytes <= size && at + bytes >= at; }
};

template <unsigned dwords> const MicroOp *bufferLoad(Wave &w, const MicroOp *op) {
  ScalarBuffer buffer(w, op);
  uint32_t values[dwords];
  for (unsigned i = 0; i < dwords; ++i) {
    uint64_t at = buffer.offset + 4 * i;
    values[i] = 0;
    if (!buffer.inside(at, 4))
      continue;
    checkAccess(w, op, -1, buffer.base + at, 4, false, 4 * i);
    std::memcpy(&values[i], reinterpret_cast<const void *>(buffer.base + at), 4);
  }
  std::memcpy(w.scalars + op->destination, values, sizeof(values));
  return op + 1;
}
template <unsigned dwords> const MicroOp *bufferStore(Wave &w, const MicroOp *op) {
  ScalarBuffer buffer(w, op);
  for (unsigned i = 0; i < dwords; ++i) {
    uint64_t at = buffer.offset + 4 * i;
    if (!buffer.inside(at, 4))
      continue;
    checkAccess(w, op, -1, buffer.base + at, 4, true, 4 * i);
    std::memcpy(reinterpret_cast<void *>(buffer.base + at), &w.scalars[op->destination + i], 4);
  }
  return op + 1;
}

/// s_atomic, s_buffer_atomic: the data's SGPRs get the old value if it is requested. For compare-and-swap, the
/// comparand follows the new value.
template <typename T, bool buffered> const MicroOp *atomicModify(Wave &w, const MicroOp *op) {
  const AtomicOperation &operation = atomicOperation(Opcode(op->opcode));
  uint64_t address;
  bool inside = true;
  if constexpr (buffered) {
    ScalarBuffer buffer(w, op);
    address = buffer.base + buffer.offset;
    inside = buffer.inside(buffer.offset, sizeof(T));
  } else {
    address = plainAddress(w, op);
  }
  address &= ~uint64_t(sizeof(T) - 1);
  T operands[2] = {}, old = 0;
  std::memcpy(operands, w.scalars + op->destination, op->flags & memoryCompares ? 2 * sizeof(T) : sizeof(T));
  if (inside) {
    checkAccess(w, op, -1, address, sizeof(T), true);
    old = T(operation.modify(address, uint64_t(operands[0]), uint64_t(operands[1])));
  }
  if (op->flags & memoryReturns)
    std::memcpy(w.scalars + op->destination, &old, sizeof(T));
  return op + 1;
}

} // namespace

uint64_t scalarAddress(const Wave &w, const MicroOp *op, unsigned bytes) {
  enum Form : uint8_t { Plain, Buffer, Scratch };
  static const std::array<Form, opcodeCount> forms = [] {
    std::array<Form, opcodeCount> table = {};
    for (unsigned i = 0; i < opcodeCount; ++i) {
      const std::string_view name = getInfo(Opcode(i)).name;
      table[i] = name.starts_with("S_BUFFER_") ? Buffer : name.starts_with("S_SCRATCH_") ? Scratch : Plain;
    }
    return table;
  }();
  switch (forms[op->opcode]) {
  case Buffer: {
    const ScalarBuffer buffer(w, op);
    return buffer.inside(buffer.offset, std::min(bytes, 4u)) ? buffer.base + buffer.offset : 0;
  }
  case Scratch:
    return scratchAddress(w, op);
  case Plain:
    return plainAddress(w, op) & ~uint64_t(3);
  }
  return 0;
}

void enterScalarMemory(HandlerTable &table) {
#define SCALARLOAD(name, dwords, meaning) table[unsigned(Opcode::name)] = meaning<dwords>;
#define SCALARSTORE(name, dwords, meaning) table[unsigned(Opcode::name)] = meaning<dwords>;
#define SCALARATOMIC(name, T, meaning)                                                                                 \
  table[unsigned(Opcode::S_##name)] = atomicModify<std::make_unsigned_t<T>, false>;                                    \
  table[unsigned(Opcode::S_BUFFER_##name)] = atomicModify<std::make_unsigned_t<T>, true>;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator
