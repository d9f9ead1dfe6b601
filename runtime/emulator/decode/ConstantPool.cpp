#include "runtime/emulator/decode/ConstantPool.h"

#include <algorithm>

namespace nstf::emulator {
namespace {

/// Sources, an addend and a permutation are at most eight rows of an instruction; the program has a row of zeros.
constexpr size_t rowsOfInstruction = 8, rowsOfProgram = 2, scalarsOfInstruction = 8;

/// The number of constants of `bytes` bytes to make room for: `wanted`, but at most as many as a SourceRef reaches.
size_t capacityOf(size_t wanted, size_t bytes) { return std::min<size_t>(wanted, constantSource / bytes); }

} // namespace

ConstantPool::ConstantPool(size_t instructions)
    : rows(capacityOf(instructions * rowsOfInstruction + rowsOfProgram, sizeof(Row)), "rows of constants"),
      scalars(capacityOf(instructions * scalarsOfInstruction + 1, sizeof(uint64_t)), "scalar constants") {
  row(0, true);
}

void ConstantPool::append(uint32_t value) {
  Row row;
  row.fill(value);
  rows.append(row);
}

SourceRef ConstantPool::row(uint64_t value, bool wide) {
  if (!wide)
    value = uint32_t(value);
  const auto [known, isNew] = (wide ? rows64 : rows32).try_emplace(value, endOfRows());
  if (isNew) {
    append(uint32_t(value));
    if (wide)
      append(uint32_t(value >> 32));
  }
  return known->second;
}

SourceRef ConstantPool::lanes(const Row &values) {
  const auto [known, isNew] = laneRows.try_emplace(values, endOfRows());
  if (isNew)
    rows.append(values);
  return known->second;
}

SourceRef ConstantPool::scalar(uint64_t value) {
  const auto [known, isNew] = scalarRefs.try_emplace(value, SourceRef(scalars.size() * sizeof value) | constantSource);
  if (isNew)
    scalars.append(value);
  return known->second;
}

} // namespace nstf::emulator
