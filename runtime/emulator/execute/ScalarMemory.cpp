//===- ScalarMemory.cpp - s_load, s_store, s_buffer_load ---------------------------------------------------------===//
//
// source[0]: base (SGPR pair, or the four of a buffer resource), source[1]: offset in an SGPR or zero, immediate: the
// instruction's offset. Dwords only; the low address bits are ignored. Outside num_records a buffer reads zero.
//
//===-------------------------------------------------------------------------------------------------------------===//
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/HandlerTable.h"
#include "runtime/emulator/execute/Wave.h"

namespace nstf::emulator {
namespace {

template <unsigned dwords> const MicroOp *load(Wave &w, const MicroOp *op) {
  uint64_t address = w.scalarSource<uint64_t>(op->source[0]) + w.scalarSource<uint32_t>(op->source[1]) + op->immediate;
  address &= ~uint64_t(3);
  checkAccess(w, op, -1, address, dwords * 4, false);
  std::memcpy(w.scalars + op->destination, reinterpret_cast<const void *>(address), dwords * 4);
  return op + 1;
}

template <unsigned dwords> const MicroOp *store(Wave &w, const MicroOp *op) {
  uint64_t address = w.scalarSource<uint64_t>(op->source[0]) + w.scalarSource<uint32_t>(op->source[1]) + op->immediate;
  address &= ~uint64_t(3);
  checkAccess(w, op, -1, address, dwords * 4, true);
  std::memcpy(reinterpret_cast<void *>(address), w.scalars + op->destination, dwords * 4);
  return op + 1;
}

template <unsigned dwords> const MicroOp *bufferLoad(Wave &w, const MicroOp *op) {
  struct {
    uint32_t word[4];
  } resource = w.scalarSource<decltype(resource)>(op->source[0]);
  uint64_t base = (uint64_t(resource.word[1] & 0xffff) << 32 | resource.word[0]) & ~uint64_t(3);
  uint32_t stride = resource.word[1] >> 16 & 0x3fff;
  uint64_t size = uint64_t(resource.word[2]) * (stride ? stride : 1);
  uint64_t offset = (w.scalarSource<uint32_t>(op->source[1]) + op->immediate) & ~uint64_t(3);
  uint32_t values[dwords];
  for (unsigned i = 0; i < dwords; ++i) {
    uint64_t at = offset + 4 * i;
    values[i] = 0;
    if (at + 4 > size)
      continue;
    checkAccess(w, op, -1, base + at, 4, false);
    std::memcpy(&values[i], reinterpret_cast<const void *>(base + at), 4);
  }
  std::memcpy(w.scalars + op->destination, values, sizeof(values));
  return op + 1;
}

} // namespace

void enterScalarMemory(HandlerTable &table) {
#define SCALARMEMORY(name, dwords, meaning) table[unsigned(Opcode::name)] = meaning<dwords>;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator
