#include "runtime/emulator/checks/HazardClasses.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <algorithm>

namespace nstf::emulator::checks {
namespace {

using Facts = InstructionFacts;
using Out = HazardRegisters;
using Kind = InstructionKind;
using Role = OperandRole;

// Building blocks

// Hardware registers of s_getreg and s_setreg.
constexpr uint16_t hwregMode = 1, hwregTrapsts = 3;
constexpr uint16_t doubleUnit = hazardUnit + 100, trapUnit = hazardUnit + 101, vskipUnit = hazardUnit + 102;

void unit(Out &out, uint16_t number) { out.push_back({false, number, 1}); }

bool isValu(const Facts &f) { return isVector(f.kind); }
bool isValuNotMatrix(const Facts &f) { return isValu(f) && f.kind != Kind::Matrix; }
bool isMemory(const Facts &f) { return f.kind == Kind::VectorMemory || f.kind == Kind::Flat; }
bool isMemoryOrLds(const Facts &f) { return isMemory(f) || f.kind == Kind::Lds; }
bool isDot(const Facts &f) { return f.info().is(trait::dot); }
bool isExec(const RegisterRange &r) { return !r.vector && r.first >= sgpr::exec && r.first < sgpr::exec + 2; }
bool isVcc(const RegisterRange &r) { return !r.vector && r.first >= sgpr::vcc && r.first < sgpr::vcc + 2; }
bool isOneOf(const Facts &f, std::initializer_list<Opcode> opcodes) {
  return std::ranges::find(opcodes, f.opcode()) != opcodes.end();
}

void vectors(const std::vector<RegisterUse> &uses, Out &out) {
  for (const RegisterUse &use : uses)
    if (use.vector)
      out.push_back(use);
}
/// Scalar registers other than EXEC.
void scalars(const std::vector<RegisterUse> &uses, Out &out) {
  for (const RegisterUse &use : uses)
    if (!use.vector && !isExec(use) && use.first != sgpr::scc)
      out.push_back(use);
}
void exec(const std::vector<RegisterUse> &uses, Out &out) {
  for (const RegisterUse &use : uses)
    if (isExec(use))
      out.push_back({false, sgpr::exec, 2});
}
/// The index of an operand among the instruction's sources (0 is SrcA). Matrix and dot products have no modifiers that
/// change it, so it is the operand's index without destination and source modifiers.
int sourceNumber(const Facts &f, const RegisterUse &use) {
  int number = -1;
  for (int i = int(f.encoding->definitions); i <= use.operand; ++i)
    number += f.operands[size_t(i)].kind != RawOperand::Modifiers;
  return number;
}
/// SrcC: the third source; accumulating instructions repeat their destination as it.
bool isSourceC(const Facts &f, const RegisterUse &use) {
  if (!use.vector || use.operand < 0)
    return false;
  size_t at = size_t(use.operand);
  if (at < f.encoding->tied.size() && f.encoding->tied[at] >= 0)
    return true;
  return !f.info().is(trait::sparse) && sourceNumber(f, use) == 2;
}
void sourceC(const Facts &f, Out &out) {
  for (const RegisterUse &use : f.reads)
    if (isSourceC(f, use))
      out.push_back(use);
}
void sourceAB(const Facts &f, Out &out) {
  for (const RegisterUse &use : f.reads)
    if (use.vector && !isSourceC(f, use))
      out.push_back(use);
}

// Scalar registers

void valuWritesScalar(const Facts &f, Out &out) {
  if (isValu(f))
    scalars(f.writes, out);
}
void valuWritesMask(const Facts &f, Out &out) {
  if (!isValu(f))
    return;
  exec(f.writes, out);
  for (const RegisterUse &use : f.writes)
    if (isVcc(use))
      out.push_back({false, sgpr::vcc, 2});
}
void valuWritesExec(const Facts &f, Out &out) {
  if (isValu(f))
    exec(f.writes, out);
}
void vmemReadsScalar(const Facts &f, Out &out) {
  if (isMemory(f))
    for (const RegisterUse &use : f.reads)
      if (use.operand >= 0 && !use.vector)
        out.push_back(use);
}
void laneSelect(const Facts &f, Out &out) {
  if (isOneOf(f, {Opcode::V_READLANE_B32, Opcode::V_WRITELANE_B32}))
    for (const RegisterUse &use : f.reads)
      if (!use.vector && use.operand >= 0 && sourceNumber(f, use) == 1)
        out.push_back(use);
}
void divFmasVcc(const Facts &f, Out &out) {
  if (isOneOf(f, {Opcode::V_DIV_FMAS_F32, Opcode::V_DIV_FMAS_F64}))
    unit(out, sgpr::vcc), unit(out, sgpr::vcc + 1);
}
/// vccz and execz as an operand.
void valuReadsZeroFlag(const Facts &f, Out &out) {
  if (!isValu(f))
    return;
  for (const RawOperand &operand : f.operands)
    if (operand.kind == RawOperand::Scalar) {
      if (operand.value == sgpr::vccz)
        out.push_back({false, sgpr::vcc, 2});
      if (operand.value == sgpr::execz)
        out.push_back({false, sgpr::exec, 2});
    }
}
void valuReadsScalar(const Facts &f, Out &out) {
  if (isValu(f))
    scalars(f.reads, out);
}
void dppExec(const Facts &f, Out &out) {
  if (f.encoding && f.encoding->dpp)
    out.push_back({false, sgpr::exec, 2});
}
void matrixExec(const Facts &f, Out &out) {
  if (f.kind == Kind::Matrix)
    out.push_back({false, sgpr::exec, 2});
}
void laneAccessExec(const Facts &f, Out &out) {
  if (isOneOf(f, {Opcode::V_READLANE_B32, Opcode::V_READFIRSTLANE_B32, Opcode::V_WRITELANE_B32}))
    out.push_back({false, sgpr::exec, 2});
}

// Vector registers

void valuWritesVector(const Facts &f, Out &out) {
  if (isValu(f))
    vectors(f.writes, out);
}
void valuReadsVector(const Facts &f, Out &out) {
  if (isValu(f))
    vectors(f.reads, out);
}
void valuNotDotWritesVector(const Facts &f, Out &out) {
  if (isValuNotMatrix(f) && !isDot(f))
    vectors(f.writes, out);
}
void valuNotMatrixReadsVector(const Facts &f, Out &out) {
  if (isValuNotMatrix(f))
    vectors(f.reads, out);
}
void memoryReadsVector(const Facts &f, Out &out) {
  if (isMemoryOrLds(f))
    for (const RegisterUse &use : f.reads)
      if (use.vector && !(use.role == Role::Old && f.loads))
        out.push_back(use);
}
/// Vector ALU without matrix instructions; memory; LDS.
void otherReadsVector(const Facts &f, Out &out) {
  valuNotMatrixReadsVector(f, out);
  memoryReadsVector(f, out);
}
void otherWritesVector(const Facts &f, Out &out) {
  if (isValuNotMatrix(f) || isMemoryOrLds(f))
    vectors(f.writes, out);
}
void anyVector(const Facts &f, Out &out) {
  if (isValu(f) || isMemoryOrLds(f))
    unit(out, vskipUnit);
}
void dppReadsVector(const Facts &f, Out &out) {
  if (f.encoding && f.encoding->dpp)
    vectors(f.reads, out);
}
void readlaneVector(const Facts &f, Out &out) {
  if (isOneOf(f, {Opcode::V_READLANE_B32, Opcode::V_READFIRSTLANE_B32}))
    vectors(f.reads, out);
}
void transWritesVector(const Facts &f, Out &out) {
  if (f.kind == Kind::Transcendental)
    vectors(f.writes, out);
}
void nonTransReadsVector(const Facts &f, Out &out) {
  if (isValu(f) && f.kind != Kind::Transcendental)
    vectors(f.reads, out);
}
void partialWritesVector(const Facts &f, Out &out) {
  if (f.partialWrite)
    vectors(f.writes, out);
}
/// More than 64 bits of data. Buffer instructions with an SGPR as soffset read it late enough.
void wideStoreData(const Facts &f, Out &out) {
  if (!isMemory(f) || !(f.stores || f.atomic))
    return;
  const Addressing addressing = f.info().addressing;
  const bool buffer = addressing == Addressing::Buffer || addressing == Addressing::TypedBuffer;
  for (const RegisterUse &use : f.reads)
    if (buffer && use.role == Role::Address && !use.vector)
      return;
  for (const RegisterUse &use : f.reads)
    if (use.role == Role::Data && use.vector && use.count > 2)
      out.push_back(use);
}

// M0 and hardware registers

void saluWritesM0(const Facts &f, Out &out) {
  if (f.kind == Kind::Scalar)
    for (const RegisterUse &use : f.writes)
      if (!use.vector && use.first == sgpr::m0)
        out.push_back(use);
}
void readsM0Early(const Facts &f, Out &out) {
  const bool moveRelative =
      isOneOf(f, {Opcode::S_MOVRELS_B32, Opcode::S_MOVRELS_B64, Opcode::S_MOVRELD_B32, Opcode::S_MOVRELD_B64});
  const bool ldsWithoutAddress = f.info().is(trait::readsM0) && f.info().is(trait::noAddress);
  const bool storesLds = !f.toLds && f.info().is(trait::ldsDma);
  const bool early =
      f.kind == Kind::Message || f.opcode() == Opcode::S_TTRACEDATA || moveRelative || storesLds || ldsWithoutAddress;
  if (early)
    out.push_back({false, sgpr::m0, 1});
}
void loadToLds(const Facts &f, Out &out) {
  if (f.toLds)
    out.push_back({false, sgpr::m0, 1});
}
uint16_t hwreg(const Facts &f) { return uint16_t(f.immediate & 63); }
bool isSetreg(const Facts &f) { return isOneOf(f, {Opcode::S_SETREG_B32, Opcode::S_SETREG_IMM32_B32}); }
/// The immediate of s_setreg_imm32 comes before the hwreg.
uint16_t setregHwreg(const Facts &f) {
  return f.opcode() == Opcode::S_SETREG_IMM32_B32 ? uint16_t(f.operands.back().value & 63) : hwreg(f);
}
void setreg(const Facts &f, Out &out) {
  if (isSetreg(f))
    unit(out, uint16_t(hazardUnit + setregHwreg(f)));
}
void getreg(const Facts &f, Out &out) {
  if (f.opcode() == Opcode::S_GETREG_B32)
    unit(out, uint16_t(hazardUnit + hwreg(f)));
}
void setVskip(const Facts &f, Out &out) {
  if (f.opcode() == Opcode::S_SETVSKIP)
    unit(out, uint16_t(hazardUnit + hwregMode));
}
void setregVskip(const Facts &f, Out &out) {
  if (!isSetreg(f) || setregHwreg(f) != hwregMode)
    return;
  constexpr int64_t vskip = 28;
  int64_t field = f.opcode() == Opcode::S_SETREG_IMM32_B32 ? f.operands.back().value : f.immediate;
  int64_t offset = field >> 6 & 31, size = (field >> 11 & 31) + 1;
  if (offset <= vskip && vskip < offset + size)
    unit(out, vskipUnit);
}
void setregTrapsts(const Facts &f, Out &out) {
  if (isSetreg(f) && setregHwreg(f) == hwregTrapsts)
    unit(out, trapUnit);
}
void returnFromException(const Facts &f, Out &out) {
  if (isOneOf(f, {Opcode::S_RFE_B64, Opcode::S_RFE_RESTORE_B64}))
    unit(out, trapUnit);
}

// Dot products and f64

void dotWrites(const Facts &f, Out &out) {
  if (isDot(f))
    vectors(f.writes, out);
}
void sameDotReadsAB(const Facts &f, Out &out) {
  if (isDot(f))
    sourceAB(f, out);
}
void dgemm(const Facts &f, Out &out) {
  if (f.matrix == MatrixUnit::Double)
    unit(out, doubleUnit);
}
void fma64(const Facts &f, Out &out) {
  if (isOneOf(f, {Opcode::V_FMA_F64, Opcode::V_FMAC_F64}))
    unit(out, doubleUnit);
}

// Matrix instructions

bool isMatrix(const Facts &f) { return f.kind == Kind::Matrix; }
bool isDouble(const Facts &f) { return f.matrix == MatrixUnit::Double; }
bool isDouble4(const Facts &f) { return f.opcode() == Opcode::V_MFMA_F64_4X4X4F64; }

void matrixIf(bool condition, const Facts &f, Out &out) {
  if (condition && isMatrix(f))
    vectors(f.writes, out);
}
void matrixNotDouble(const Facts &f, Out &out) { matrixIf(!isDouble(f), f, out); }
void matrixXdl(const Facts &f, Out &out) { matrixIf(f.matrix == MatrixUnit::Xdl, f, out); }
void matrixSingle(const Facts &f, Out &out) { matrixIf(f.matrix == MatrixUnit::Single, f, out); }
void matrixTwoPasses(const Facts &f, Out &out) { matrixIf(f.passes == 2, f, out); }
void matrixDouble16(const Facts &f, Out &out) { matrixIf(isDouble(f) && !isDouble4(f), f, out); }
void matrixDouble4(const Facts &f, Out &out) { matrixIf(isDouble4(f), f, out); }

void matrixCIf(bool condition, const Facts &f, Out &out) {
  if (condition && isMatrix(f))
    sourceC(f, out);
}
void matrixC(const Facts &f, Out &out) { matrixCIf(true, f, out); }
void matrixNotDoubleC(const Facts &f, Out &out) { matrixCIf(!isDouble(f), f, out); }
void matrixDoubleC(const Facts &f, Out &out) { matrixCIf(isDouble(f), f, out); }
void matrixDouble4C(const Facts &f, Out &out) { matrixCIf(isDouble4(f), f, out); }
void matrixNotXdlC(const Facts &f, Out &out) { matrixCIf(f.matrix != MatrixUnit::Xdl, f, out); }
void matrixNotDoubleReadsC(const Facts &f, Out &out) { matrixNotDoubleC(f, out); }
void matrixXdlReadsC(const Facts &f, Out &out) { matrixCIf(f.matrix == MatrixUnit::Xdl, f, out); }

void matrixAB(const Facts &f, Out &out) {
  if (isMatrix(f))
    sourceAB(f, out);
}
void matrixReads(const Facts &f, Out &out) {
  if (isMatrix(f))
    vectors(f.reads, out);
}

} // namespace

std::span<const HazardRule> hazardRules() {
  using enum HazardChips;
  using enum HazardOverlap;
  static const HazardRule rules[] = {
#define ROW(name, grade, chips, producer, consumer, overlap, states, source, evidence)                                 \
  {#name,                                                                                                              \
   HazardGrade::grade,                                                                                                 \
   chips,                                                                                                              \
   producer,                                                                                                           \
   consumer,                                                                                                           \
   overlap,                                                                                                            \
   []([[maybe_unused]] unsigned P) -> unsigned { return states; },                                                     \
   source,                                                                                                             \
   evidence},
#define HAZARD(name, chips, producer, consumer, overlap, states, source)                                               \
  ROW(name, Rule, chips, producer, consumer, overlap, states, source, "")
#define ADVICE(name, chips, producer, consumer, overlap, states, source, evidence)                                     \
  ROW(name, Advice, chips, producer, consumer, overlap, states, source, evidence)
#include "runtime/emulator/checks/HazardTable.def"
#undef HAZARD
#undef ADVICE
#undef ROW
  };
  return rules;
}

} // namespace nstf::emulator::checks
