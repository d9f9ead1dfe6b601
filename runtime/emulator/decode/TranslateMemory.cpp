// Translates memory instructions to micro-ops.
//
// LLVM gives operands by position; their meanings depend on the address form, which the name's suffix states.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/decode/Translator.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator {
namespace {

/// The lane that each lane reads under ds_swizzle_b32's offset, in groups of 32: an order for Fourier transforms, a
/// rotation, a permutation of four lanes, or and-, or- and xor-masks.
std::array<uint32_t, 64> swizzledLanes(unsigned pattern) {
  std::array<uint32_t, 64> lanes;
  for (unsigned i = 0; i < 64; ++i) {
    unsigned in = i & 31, mask = pattern & 31, from;
    if (pattern >= 0xe000) {
      unsigned reversed = 0;
      for (unsigned bit = 0; bit < 5; ++bit)
        reversed |= (in >> bit & 1) << (4 - bit);
      from = reversed >> std::popcount(mask) | (in & mask);
    } else if (pattern >= 0xc000) {
      unsigned count = pattern >> 5 & 31;
      from = (in & mask) | ((pattern & 0x400 ? in - count : in + count) & 31 & ~mask);
    } else if (pattern & 0x8000) {
      from = (in & 28) | (pattern >> 2 * (in & 3) & 3);
    } else {
      from = ((in & mask) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    }
    lanes[i] = (i & 32) | from;
  }
  return lanes;
}

bool compares(const Encoding &e) { return e.name.find("_CMPSWAP") != std::string::npos; }

} // namespace

void Translator::scalarMemory(const RawInstruction &raw) {
  Cursor cursor{raw};
  unsigned destination = unsigned(cursor.next().value);
  if (raw.encoding->returns) // repeats the data
    cursor.next();
  SourceRef base = scalarSource(cursor.next());
  SourceRef offset = scalarConstant(0);
  if (raw.encoding->scalarOffset)
    offset = scalarSource(cursor.next());
  int64_t immediate = 0;
  if (raw.operands.size() - cursor.at >= 2) // the last is the cache policy
    immediate = int64_t(uint64_t(cursor.next().value) << 43) >> 43;
  MicroOp &op = emit(raw.encoding->opcode);
  op.destination = uint16_t(destination);
  op.source[0] = base;
  op.source[1] = offset;
  op.immediate = uint64_t(immediate);
  op.flags = (raw.encoding->returns ? memoryReturns : 0) | (compares(*raw.encoding) ? memoryCompares : 0);
}

/// Instructions without an address, or without data.
void Translator::ldsByLane(const RawInstruction &raw) {
  MicroOp &op = emit(raw.encoding->opcode);
  if (raw.operands.empty()) // ds_nop
    return;
  Cursor cursor{raw};
  unsigned row = raw.operands[0].kind == RawOperand::Vector ? vectorRow(cursor.next()) : 0;
  op.destination = uint16_t(row);
  op.source[1] = rowRef(row);
  op.immediate = uint64_t(cursor.next().value) & 0xffff;
  if (!cursor.done() && cursor.next().value) // gds
    throw Unsupported();
}

void Translator::lds(const RawInstruction &raw) {
  switch (raw.encoding->opcode) {
  case Opcode::DS_NOP:
  case Opcode::DS_APPEND:
  case Opcode::DS_CONSUME:
  case Opcode::DS_READ_ADDTID_B32:
  case Opcode::DS_WRITE_ADDTID_B32:
  case Opcode::DS_GWS_INIT:
  case Opcode::DS_GWS_BARRIER:
  case Opcode::DS_GWS_SEMA_V:
  case Opcode::DS_GWS_SEMA_P:
  case Opcode::DS_GWS_SEMA_BR:
  case Opcode::DS_GWS_SEMA_RELEASE_ALL:
    return ldsByLane(raw);
  default:
    break;
  }
  std::vector<SourceRef> sources;
  std::vector<int64_t> immediates;
  unsigned destination = 0;
  bool hasOffset = false;
  for (unsigned i = 0; i < raw.operands.size(); ++i) {
    const RawOperand &operand = raw.operands[i];
    if (i < raw.encoding->definitions)
      destination = vectorRow(operand);
    else if (operand.kind == RawOperand::Vector && !hasOffset)
      sources.push_back(rowRef(vectorRow(operand)));
    else if (operand.kind == RawOperand::Immediate) {
      immediates.push_back(operand.value);
      hasOffset = true; // registers after it repeat the destination
    }
  }
  if (sources.empty() || immediates.empty())
    throw Unsupported();
  sources.resize(4, constantRow(0, true));
  const std::string &name = raw.encoding->name;
  if (raw.encoding->opcode == Opcode::DS_SWIZZLE_B32)
    sources[1] = constantLanes(swizzledLanes(unsigned(immediates[0])));
  MicroOp &op = emit(raw.encoding->opcode);
  op.destination = uint16_t(destination);
  std::copy(sources.begin(), sources.begin() + 4, op.source);
  op.immediate = uint64_t(immediates[0]) & 0xffff;
  bool pair = name.starts_with("DS_READ2") || name.starts_with("DS_WRITE2") || name.starts_with("DS_WRXCHG2");
  if (immediates.size() > (pair ? 2u : 1u) && immediates[pair ? 2 : 1]) // gds
    throw Unsupported();
  if (pair)
    op.immediate = (uint64_t(immediates[0]) & 0xff) | (uint64_t(immediates.at(1)) & 0xff) << 8;
  op.flags = raw.encoding->returns ? memoryReturns : 0;
}

void Translator::memory(const RawInstruction &raw) {
  const Encoding &e = *raw.encoding;
  bool isScratch = e.name.starts_with("SCRATCH_"), isStore = e.name.find("_STORE_") != std::string::npos;
  Cursor cursor{raw};
  unsigned destination = e.definitions ? vectorRow(cursor.next()) : 0;
  SourceRef none = constantRow(0, true), address = none, data = none, base = scalarConstant(0);
  uint32_t flags = (e.returns ? memoryReturns : 0) | (compares(e) ? memoryCompares : 0);
  if (isScratch) {
    if (isStore)
      data = rowRef(vectorRow(cursor.next()));
    if (e.scratch == Encoding::Vgpr || e.scratch == Encoding::Both) {
      address = rowRef(vectorRow(cursor.next()));
      flags |= memoryVectorOffset;
    }
    if (e.scratch == Encoding::Sgpr || e.scratch == Encoding::Both) {
      base = scalarSource(cursor.next());
      flags |= memoryScalarBase;
    }
  } else {
    std::vector<unsigned> rows;
    while (!cursor.done() && raw.operands[cursor.at].kind != RawOperand::Immediate) {
      const RawOperand &operand = cursor.next();
      if (operand.kind == RawOperand::Scalar) {
        base = scalarSource(operand);
        flags |= memoryScalarBase;
      } else {
        rows.push_back(vectorRow(operand));
      }
    }
    if (rows.empty())
      throw Unsupported();
    address = rowRef(rows[0]);
    if (rows.size() > 1)
      data = rowRef(rows[1]);
  }
  int64_t offset = cursor.next().value & 0x1fff;
  MicroOp &op = emit(e.opcode);
  op.destination = uint16_t(destination);
  op.source[0] = address;
  op.source[1] = base;
  op.source[2] = data;
  op.immediate = uint64_t(int64_t(uint64_t(offset) << 51) >> 51); // 13 bits
  op.flags = flags;
}

void Translator::buffer(const RawInstruction &raw) {
  const Encoding &e = *raw.encoding;
  Cursor cursor{raw};
  unsigned data = 0;
  SourceRef address = constantRow(0, true);
  uint32_t flags = (e.offen ? bufferOffset : 0) | (e.idxen ? bufferIndex : 0) | (e.lds ? bufferToLds : 0) |
                   (e.returns ? memoryReturns : 0) | (compares(e) ? memoryCompares : 0);
  if (!e.lds && e.opcode != Opcode::BUFFER_STORE_LDS_DWORD)
    data = vectorRow(cursor.next());
  if (e.returns) // repeats the data register
    data = vectorRow(cursor.next());
  if (e.offen || e.idxen)
    address = rowRef(vectorRow(cursor.next()));
  SourceRef resource = scalarSource(cursor.next());
  SourceRef scalarOffset = scalarSource(cursor.next());
  int64_t offset = cursor.next().value & 0xfff;
  if (e.name.starts_with("TBUFFER_"))
    flags |= bufferTyped | uint32_t(cursor.next().value & 0x7f) << bufferFormatShift;
  MicroOp &op = emit(e.opcode);
  op.destination = uint16_t(data);
  op.source[0] = address;
  op.source[1] = resource;
  op.source[2] = rowRef(data);
  op.source[3] = scalarOffset;
  op.immediate = uint64_t(offset);
  op.flags = flags;
}

} // namespace nstf::emulator
