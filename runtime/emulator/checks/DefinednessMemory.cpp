// Tracks undefined bits through memory: addresses, loaded values, stored values.
#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/memory/Memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace nstf::emulator::checks {
namespace {} // namespace

void UninitCheck::checkAddressRow(Wave &w, WaveShadow &s, const MicroOp *op, SourceRef ref, unsigned rows,
                                  uint64_t lanes) {
  uint64_t undefined = undefinedLanes(s, ref, rows) & lanes;
  if (!undefined)
    return;
  Origin origin = laneOrigin(s, ref, unsigned(std::countr_zero(undefined)), rows);
  std::string name = emulator::describe(RegisterRange{true, uint16_t(getRow(ref)), uint16_t(rows)});
  report(w, op, Address, "the address in " + name + " is undefined", origin, undefined);
  for (unsigned k = 0; k < rows; ++k)
    s.define(getRow(ref) + k, undefined);
}

void UninitCheck::checkAddressScalar(Wave &w, WaveShadow &s, const MicroOp *op, SourceRef ref, unsigned count) {
  if (!isRegister(ref))
    return;
  unsigned first = getScalar(ref);
  for (unsigned k = 0; k < count; ++k)
    if (s.scalars[first + k]) {
      std::string name = emulator::describe(RegisterRange{false, uint16_t(first), uint16_t(count)});
      report(w, op, Address, "the address in " + name + " is undefined", s.scalarOrigin(first + k), 0);
      std::fill_n(s.scalars + first, count, 0);
      return;
    }
}

void UninitCheck::memory(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return;
  Opcode opcode = Opcode(op->opcode);
  const DataFacts &data = getDataFacts(opcode);
  if (data.form == AddressForm::Lds) {
    checkAddressRow(w, s, op, op->source[0], 1, exec);
    if (data.byM0)
      checkAddressScalar(w, s, op, sgpr::m0 * 4, 1);
  } else if (data.form == AddressForm::Buffer) {
    checkAddressScalar(w, s, op, op->source[1], 4);
    checkAddressScalar(w, s, op, op->source[3], 1);
    unsigned rows = bool(op->flags & bufferIndex) + bool(op->flags & bufferOffset);
    if (rows)
      checkAddressRow(w, s, op, op->source[0], rows, exec);
  } else if (data.form == AddressForm::Scratch) {
    if (op->flags & memoryVectorOffset)
      checkAddressRow(w, s, op, op->source[0], 1, exec);
    if (op->flags & memoryScalarBase)
      checkAddressScalar(w, s, op, op->source[1], 1);
  } else {
    bool scalarBase = op->flags & memoryScalarBase;
    checkAddressRow(w, s, op, op->source[0], scalarBase ? 1 : 2, exec);
    if (scalarBase)
      checkAddressScalar(w, s, op, op->source[1], 2);
  }
  if (isDma(op))
    return checkAddressScalar(w, s, op, sgpr::m0 * 4, 1);
  // Bytes outside a buffer read as zero; `access` then sets those that are loaded.
  for (unsigned k = 0; k < data.destinations; ++k)
    s.define(op->destination + k, exec);
  if (data.plain)
    return;
  if (getAccessKind(opcode) == AccessKind::Atomic) // the results may overwrite the operands
    keepAtomicData(s, op, exec);
  forResults(op, [&](unsigned row) { s.define(row, exec); });
}

void UninitCheck::access(Wave &w, const MicroOp *op, const MemoryAccess &a) {
  WaveShadow &s = getShadow(w);
  switch (a.kind) {
  case AccessKind::Load:
    return a.space == MemorySpace::Scalar ? scalarLoad(w, s, op, a) : load(w, s, op, a);
  case AccessKind::Store:
    return store(w, s, op, a);
  case AccessKind::Atomic:
    return atomic(w, s, op, a);
  }
}

/// Writes a lane's loaded bytes to registers.
void UninitCheck::loadLane(Wave &, WaveShadow &s, const MicroOp *op, const MemoryAccess &a, unsigned lane,
                           const uint8_t *bits, Origin origin) {
  const SmallAccess &small = getDataFacts(Opcode(op->opcode)).small;
  bool toLds = isDma(op);
  auto put = [&](unsigned k, uint32_t value) {
    if (toLds) {
      s.dma[lane] = value;
      s.dmaOrigins[lane] = origin;
    } else {
      s.setLane(op->destination + k, lane, value, origin);
    }
  };
  if (getDataFacts(Opcode(op->opcode)).converts) {
    toLds ? put(0, ~0u) : forResults(op, [&](unsigned row) { s.setLane(row, lane, ~0u, origin); });
    return;
  }
  if (small.bytes) {
    // Only scratch at odd offsets is loaded in parts: any undefined bit then counts for the whole.
    uint32_t value = 0;
    if (a.bytes < small.bytes) {
      value = *bits ? (1u << small.bytes * 8) - 1 : 0;
      value |= a.at ? s.laneBits(op->destination, lane) >> (small.shift & 31) : 0;
    } else {
      std::memcpy(&value, bits, small.bytes);
    }
    unsigned unused = 32 - small.bytes * 8;
    if (small.isSigned)
      value = uint32_t(int32_t(value << unused) >> unused);
    return put(0, small.shift == 32 ? value : (value & 0xffff) << small.shift);
  }
  for (unsigned i = 0; i < a.bytes;) {
    unsigned at = a.at + i, count = std::min(4 - at % 4, a.bytes - i);
    uint32_t value = 0;
    std::memcpy(&value, bits + i, count);
    value <<= at % 4 * 8;
    if (at % 4 && !toLds)
      value |= s.laneBits(op->destination + at / 4, lane);
    put(at / 4, value);
    i += count;
  }
}

void UninitCheck::load(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &a) {
  std::fill_n(s.dma, Wave::width, 0);
  std::array<uint8_t, 64> bits;
  if (a.space == MemorySpace::Lds) {
    const std::vector<uint8_t> &lds = s.lds->bits;
    for (uint64_t left = a.lanes; left; left &= left - 1) {
      unsigned lane = unsigned(std::countr_zero(left));
      uint64_t at = a.addresses[lane];
      if (at + a.bytes > lds.size() || at + a.bytes < at)
        continue;
      const uint8_t *from = lds.data() + at;
      if (!isZero(from, a.bytes))
        loadLane(w, s, op, a, lane, from, originAt(s.lds->origins, at, from, a.bytes, Origin::Lds));
    }
    return;
  }
  bool isScratch = a.space == MemorySpace::Scratch;
  Shadow &shadow = isScratch ? scratch : *context.memory.definedness();
  auto lock = shadow.lock();
  if (shadow.empty())
    return;
  uint64_t low = ~uint64_t(0), high = 0;
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    uint64_t at = a.addresses[std::countr_zero(left)];
    low = std::min(low, at);
    high = std::max(high, at);
  }
  if (high - low < 65536 && shadow.isDefined(low, high - low + a.bytes))
    return;
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint64_t at = a.addresses[lane];
    shadow.load(at, a.bytes, bits.data());
    if (!isZero(bits.data(), a.bytes))
      loadLane(w, s, op, a, lane, bits.data(),
               originAt(origins, at, bits.data(), a.bytes, isScratch ? Origin::Scratch : Origin::Global));
  }
}

/// The undefined bits of the data that a lane stores; false: there are none.
bool UninitCheck::storedBits(const WaveShadow &s, const MicroOp *op, const MemoryAccess &a, unsigned lane,
                             uint8_t *bits, Origin &origin) const {
  std::memset(bits, 0, a.bytes);
  if (isDmaStore(op, a)) {
    std::memcpy(bits, &s.dma[lane], std::min(4u, a.bytes));
    origin = s.dmaOrigins[lane];
    return s.dma[lane];
  }
  if (getDataFacts(Opcode(op->opcode)).converts) {
    uint64_t undefined = 0;
    for (const RegisterUse &use : context.facts->of(op).reads)
      for (unsigned r = 0; use.role == OperandRole::Data && r < use.count; ++r)
        if (s.undefined[use.first + r] >> lane & 1 && !undefined++)
          origin = s.laneOrigin(use.first + r, lane);
    std::memset(bits, undefined ? 0xff : 0, a.bytes);
    return undefined;
  }
  DataPlace place = storedPlace(op, a);
  if (!isRegister(place.data))
    return false;
  unsigned row = getRow(place.data);
  bool any = false;
  for (unsigned i = 0; i < a.bytes; ++i) {
    unsigned byte = place.byte + i;
    bits[i] = uint8_t(s.laneBits(row + byte / 4, lane) >> byte % 4 * 8);
    if (bits[i] && !any)
      origin = s.laneOrigin(row + byte / 4, lane);
    any |= bits[i] != 0;
  }
  return any;
}

namespace {
/// Whether undefined bits stored to device memory look like padding: whole bytes, next to defined ones in their dword.
bool isPadding(const uint8_t *bits, uint64_t address, unsigned bytes) {
  if (bytes < 4)
    return false;
  for (unsigned i = 0; i < bytes;) {
    unsigned count = unsigned(std::min<uint64_t>(4 - (address + i) % 4, bytes - i));
    unsigned undefined = 0;
    for (unsigned k = i; k < i + count; ++k) {
      if (bits[k] && bits[k] != 0xff)
        return false;
      undefined += bits[k] != 0;
    }
    if (undefined == count)
      return false;
    i += count;
  }
  return true;
}
} // namespace

/// "v2 is", or which of its bits are, for the first undefined register that a lane stores.
static std::string undefinedData(const WaveShadow &s, const MicroOp *op, const MemoryAccess &a, unsigned lane) {
  RegisterRange range{a.space != MemorySpace::Scalar, op->destination, 1};
  uint32_t bits = 0;
  if (!range.vector) {
    range.first = uint16_t(op->destination + a.at / 4);
    bits = s.scalars[range.first];
  } else {
    DataPlace place = storedPlace(op, a);
    for (unsigned byte = place.byte; byte < place.byte + a.bytes && !bits; byte += 4) {
      range.first = uint16_t(getRow(place.data) + byte / 4);
      bits = s.laneBits(range.first, lane);
    }
  }
  if (!~bits || !bits || getDataFacts(Opcode(op->opcode)).converts)
    return emulator::describe(range) + " is";
  char text[32];
  std::snprintf(text, sizeof(text), "bits 0x%x of ", bits);
  return text + emulator::describe(range) + " are";
}

/// Whether the data of all lanes is defined, which is nearly always so.
bool UninitCheck::storesDefined(const WaveShadow &s, const MicroOp *op, const MemoryAccess &a) {
  if (a.space == MemorySpace::Scalar || isDma(op) || getDataFacts(Opcode(op->opcode)).converts)
    return false;
  DataPlace place = storedPlace(op, a);
  uint64_t undefined = 0;
  for (unsigned byte = place.byte; isRegister(place.data) && byte < place.byte + a.bytes; byte += 4 - byte % 4)
    undefined |= s.undefined[getRow(place.data) + byte / 4];
  return !(undefined & a.lanes);
}

void UninitCheck::store(Wave &w, WaveShadow &s, const MicroOp *op, const MemoryAccess &a) {
  std::array<uint8_t, 64> bits;
  Origin origin, first;
  bool isLdsSpace = a.space == MemorySpace::Lds, isScratch = a.space == MemorySpace::Scratch || inScratch(w, a);
  std::vector<uint8_t> &lds = s.lds->bits;
  Shadow &shadow = isScratch ? scratch : *context.memory.definedness();
  auto lock = shadow.lock();
  if (storesDefined(s, op, a)) {
    for (uint64_t left = a.lanes; left; left &= left - 1) {
      uint64_t at = a.addresses[std::countr_zero(left)];
      if (!isLdsSpace)
        shadow.setDefined(at, a.bytes);
      else if (at + a.bytes <= lds.size() && at + a.bytes >= at)
        std::fill_n(lds.data() + at, a.bytes, 0);
    }
    return;
  }
  uint64_t reported = 0, address = 0;
  unsigned firstLane = 0;
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint64_t at = a.addresses[lane];
    bool any;
    if (a.space == MemorySpace::Scalar) {
      std::memcpy(bits.data(), s.scalars + op->destination + a.at / 4, a.bytes);
      any = std::any_of(bits.data(), bits.data() + a.bytes, [](uint8_t b) { return b; });
      origin = s.scalarOrigin(op->destination + a.at / 4);
    } else {
      any = storedBits(s, op, a, lane, bits.data(), origin);
    }
    if (isLdsSpace) {
      if (at + a.bytes > lds.size() || at + a.bytes < at)
        continue;
      std::memcpy(lds.data() + at, bits.data(), a.bytes);
      for (uint64_t dword = at / 4; any && dword <= (at + a.bytes - 1) / 4; ++dword)
        s.lds->origins[dword] = origin;
      continue;
    }
    if (!any) {
      shadow.setDefined(at, a.bytes);
      continue;
    }
    bool carry = isScratch;
    if (!isScratch) {
      const Region *region = w.group->launch->regions->find(at);
      bool padding = isPadding(bits.data(), at, a.bytes);
      carry = padding && region && (region->kind == RegionKind::Device || region->kind == RegionKind::Heap);
      if (!padding) {
        if (!reported) {
          first = origin;
          address = at;
          firstLane = lane;
        }
        reported |= uint64_t(1) << lane;
      }
    }
    if (!carry) {
      shadow.setDefined(at, a.bytes);
      continue;
    }
    shadow.store(at, a.bytes, bits.data());
    for (uint64_t dword = at / 4; dword <= (at + a.bytes - 1) / 4; ++dword)
      origins[dword] = origin;
  }
  lock.unlock();
  if (reported)
    report(w, op, Store, undefinedData(s, op, a, firstLane) + " undefined where stored to device memory", first,
           reported, &address);
}

} // namespace nstf::emulator::checks
