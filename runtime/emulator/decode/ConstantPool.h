// The constants that a program's micro-ops read.
#pragma once

#include "runtime/emulator/decode/GrowingArray.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace nstf::emulator {

/// Constants never move, so that waves run on while a program gets more of them. One thread adds constants at a time.
class ConstantPool {
public:
  /// A pool for a program of at most `instructions` instructions.
  explicit ConstantPool(size_t instructions);

  /// A row or pair of rows filled with a 32- or 64-bit constant.
  SourceRef row(uint64_t value, bool wide);
  /// A row with a different constant in each lane.
  SourceRef lanes(const std::array<uint32_t, waveWidth> &values);
  SourceRef scalar(uint64_t value);

  /// Bases of the offsets in SourceRef.
  const uint32_t *rowBase() const { return rows.data()->data(); }
  const uint64_t *scalarBase() const { return scalars.data(); }

private:
  using Row = std::array<uint32_t, waveWidth>;
  SourceRef endOfRows() const { return SourceRef(rows.size() * sizeof(Row)) | constantSource; }
  void append(uint32_t value);

  GrowingArray<Row> rows;
  GrowingArray<uint64_t> scalars;
  std::unordered_map<uint64_t, SourceRef> rows32, rows64, scalarRefs;
  std::map<Row, SourceRef> laneRows;
};

} // namespace nstf::emulator
