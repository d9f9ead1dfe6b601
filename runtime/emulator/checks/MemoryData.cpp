#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"

#include <array>
#include <string_view>

namespace nstf::emulator::checks {
namespace {

/// The access to less than a dword that a kind of Instructions.def names (instructions/Access-inl.h); empty for other
/// kinds.
SmallAccess smallAccess(std::string_view kind) {
  static constexpr struct {
    std::string_view kind;
    SmallAccess access;
  } table[] = {
      {"ubyte", {1, false, 32}},      {"sbyte", {1, true, 32}},         {"ushort", {2, false, 32}},
      {"sshort", {2, true, 32}},      {"ubyteLow", {1, false, 0}},      {"ubyteHigh", {1, false, 16}},
      {"sbyteLow", {1, true, 0}},     {"sbyteHigh", {1, true, 16}},     {"ushortLow", {2, false, 0}},
      {"ushortHigh", {2, false, 16}}, {"byte", {1, false, 0}},          {"byteHigh", {1, false, 16}},
      {"halfword", {2, false, 0}},    {"halfwordHigh", {2, false, 16}},
  };
  for (const auto &entry : table)
    if (entry.kind == kind)
      return entry.access;
  return {};
}
unsigned registersOf(std::string_view kind) {
  size_t open = kind.find('<');
  return open == kind.npos || !kind.starts_with("dword") ? 1 : unsigned(kind[open + 1] - '0');
}

} // namespace

const DataFacts &getDataFacts(Opcode opcode) {
  static const std::array<DataFacts, opcodeCount> table = [] {
    std::array<DataFacts, opcodeCount> t;
    auto data = [](SmallAccess small, unsigned destinations) {
      DataFacts facts;
      facts.small = small;
      facts.destinations = uint8_t(destinations);
      facts.plain = true;
      return facts;
    };
#define SET(name) t[unsigned(Opcode::name)]
#define LOAD(name, kind)                                                                                               \
  SET(GLOBAL_##name) = SET(FLAT_##name) = SET(SCRATCH_##name) = SET(BUFFER_##name) =                                   \
      data(smallAccess(#kind), registersOf(#kind));
#define STORE(name, kind)                                                                                              \
  SET(GLOBAL_##name) = SET(FLAT_##name) = SET(SCRATCH_##name) = SET(BUFFER_##name) = data(smallAccess(#kind), 0);
#define LDSREAD(name, kind) SET(name) = data(smallAccess(#kind), registersOf(#kind));
#define LDSWRITE(name, kind) SET(name) = data(smallAccess(#kind), 0);
#define LDSPAIR(name, kind, stride, meaning) SET(name) = data({}, std::string_view(#meaning) == "read" ? 2 * kind : 0);
#define LOADTOLDS(name, kind) SET(name) = data(smallAccess(#kind), 0);
#define SCRATCHTOLDS(name, kind) SET(name) = data(smallAccess(#kind), 0);
#define LDSTOBUFFER(name) SET(name).plain = true;
#include "runtime/emulator/decode/Instructions.def"
#undef SET
    for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i) {
      const InstructionInfo &info = getInfo(Opcode(i));
      const bool isBuffer = info.addressing == Addressing::Buffer || info.addressing == Addressing::TypedBuffer;
      DataFacts &facts = t[i];
      facts.form = info.form == Form::Lds                   ? AddressForm::Lds
                   : isBuffer                               ? AddressForm::Buffer
                   : info.addressing == Addressing::Scratch ? AddressForm::Scratch
                                                            : AddressForm::Flat;
      facts.dma = info.is(trait::ldsDma);
      facts.converts = info.addressing == Addressing::TypedBuffer;
      facts.pairs = info.name.starts_with("DS_WRITE2");
      facts.byM0 = info.form == Form::Lds && info.is(trait::readsM0);
    }
    return t;
  }();
  return table[unsigned(opcode)];
}

bool isDma(const MicroOp *op) {
  const DataFacts &facts = getDataFacts(Opcode(op->opcode));
  return facts.dma || (facts.form == AddressForm::Buffer && op->flags & bufferToLds);
}
bool isDmaStore(const MicroOp *op, const MemoryAccess &access) { return access.kind == AccessKind::Store && isDma(op); }

DataPlace storedPlace(const MicroOp *op, const MemoryAccess &access) {
  const DataFacts &facts = getDataFacts(Opcode(op->opcode));
  unsigned shift = facts.small.bytes && facts.small.shift < 32 ? facts.small.shift / 8 : 0;
  if (facts.form != AddressForm::Lds)
    return {op->source[2], access.at + shift};
  if (facts.pairs)
    return {access.at ? op->source[2] : op->source[1], 0};
  return {op->source[1], access.at + shift};
}

bool storedData(const Wave &w, const MicroOp *op, const MemoryAccess &access, unsigned lane, uint8_t *bytes) {
  if (access.space == MemorySpace::Scalar || isDmaStore(op, access) || getDataFacts(Opcode(op->opcode)).converts)
    return false;
  DataPlace place = storedPlace(op, access);
  const uint32_t *rows = w.row(place.data);
  for (unsigned i = 0; i < access.bytes; ++i) {
    unsigned byte = place.byte + i;
    bytes[i] = uint8_t(rows[byte / 4 * Wave::width + lane] >> byte % 4 * 8);
  }
  return true;
}

} // namespace nstf::emulator::checks
