#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Memory.h"

#include <array>
#include <string_view>

namespace nstf::emulator::checks {
namespace {

/// By the names of the kinds in Instructions.def (execute/Access-inl.h).
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

const DataFacts &dataFactsOf(Opcode opcode) {
  static const std::array<DataFacts, opcodeCount> table = [] {
    std::array<DataFacts, opcodeCount> t;
#define SET(name) t[unsigned(Opcode::name)]
#define LOAD(name, kind)                                                                                               \
  SET(GLOBAL_##name) = SET(FLAT_##name) = SET(SCRATCH_##name) =                                                        \
      SET(BUFFER_##name) = {smallAccess(#kind), uint8_t(registersOf(#kind)), true};
#define STORE(name, kind)                                                                                              \
  SET(GLOBAL_##name) = SET(FLAT_##name) = SET(SCRATCH_##name) = SET(BUFFER_##name) = {smallAccess(#kind), 0, true};
#define LDSREAD(name, kind) SET(name) = {smallAccess(#kind), uint8_t(registersOf(#kind)), true};
#define LDSWRITE(name, kind) SET(name) = {smallAccess(#kind), 0, true};
#define LDSPAIR(name, kind, stride, meaning)                                                                           \
  SET(name) = {{}, uint8_t(std::string_view(#meaning) == "read" ? 2 * kind : 0), true};
#define LOADTOLDS(name, kind) SET(name) = {smallAccess(#kind), 0, true};
#define SCRATCHTOLDS(name, kind) SET(name) = {smallAccess(#kind), 0, true};
#define LDSTOBUFFER(name) SET(name) = {{}, 0, true};
#include "runtime/emulator/decode/Instructions.def"
#undef SET
    return t;
  }();
  return table[unsigned(opcode)];
}

bool isBuffer(Opcode opcode) {
  std::string_view name = infoOf(opcode).name;
  return name.starts_with("BUFFER_") || name.starts_with("TBUFFER_");
}
bool isDma(const MicroOp *op) {
  std::string_view name = infoOf(Opcode(op->opcode)).name;
  return name.find("_LOAD_LDS_") != name.npos || name.find("_STORE_LDS_") != name.npos ||
         (isBuffer(Opcode(op->opcode)) && op->flags & bufferToLds);
}
bool isDmaStore(const MicroOp *op, const MemoryAccess &access) { return access.kind == AccessKind::Store && isDma(op); }
bool convertsFormat(Opcode opcode) { return infoOf(opcode).name.find("_FORMAT_") != std::string_view::npos; }

DataPlace storedPlace(const MicroOp *op, const MemoryAccess &access) {
  Opcode opcode = Opcode(op->opcode);
  const InstructionInfo &info = infoOf(opcode);
  const SmallAccess &small = dataFactsOf(opcode).small;
  unsigned shift = small.bytes && small.shift < 32 ? small.shift / 8 : 0;
  if (info.form != Form::Lds)
    return {op->source[2], access.at + shift};
  if (info.name.starts_with("DS_WRITE2"))
    return {access.at ? op->source[2] : op->source[1], 0};
  return {op->source[1], access.at + shift};
}

bool storedData(const Wave &w, const MicroOp *op, const MemoryAccess &access, unsigned lane, uint8_t *bytes) {
  if (access.space == MemorySpace::Scalar || isDmaStore(op, access) || convertsFormat(Opcode(op->opcode)))
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
