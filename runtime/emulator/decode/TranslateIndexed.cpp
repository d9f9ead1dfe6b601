// Redirects results under s_set_gpr_idx_on.
//
// Such an instruction writes a temporary row; a micro-op after it moves the row to the destination's number plus
// M0[7:0]. Sources are redirected where they are read (Translator::plainSource).
#include "runtime/emulator/decode/Translator.h"

namespace nstf::emulator {

/// Moves the result's rows to the indexed place.
void Translator::writeIndexed(unsigned destination, unsigned rows) {
  for (unsigned part = 0; part < rows; ++part) {
    MicroOp &write = emit(Opcode::WriteIndexed);
    write.destination = uint16_t(destination + part);
    write.source[0] = rowRef(resultTemporary + part);
  }
}

/// Applies s_set_gpr_idx_on with DST to an instruction whose micro-ops begin at `first` and write its destination.
void Translator::redirectResult(const RawInstruction &raw, size_t first) {
  if (!(indexedOperands & 8))
    return;
  unsigned destination = 0, rows = 1;
  switch (raw.encoding->opcode) {
  case Opcode::V_READFIRSTLANE_B32:
  case Opcode::V_READLANE_B32: // to an SGPR
    return;
  case Opcode::V_WRITELANE_B32:
    ops.back().flags = 1;
    return;
  case Opcode::V_MAD_U64_U32:
  case Opcode::V_MAD_I64_I32:
  case Opcode::V_DIV_SCALE_F64:
  case Opcode::V_DIV_FMAS_F64:
    rows = 2;
    break;
  case Opcode::V_CNDMASK_B32:
  case Opcode::V_MBCNT_LO_U32_B32:
  case Opcode::V_MBCNT_HI_U32_B32:
  case Opcode::V_DIV_SCALE_F32:
  case Opcode::V_DIV_FMAS_F32:
  case Opcode::V_FMA_MIX_F32:
    break;
  default:
    if (getInfo(raw.encoding->opcode).form != Form::Carry)
      throw Unsupported(); // results that keep part of the register, or that swap two registers
  }
  if (raw.encoding->sdwa)
    throw Unsupported();
  destination = vectorRow(raw.operands[0]);
  for (size_t i = first; i < ops.size(); ++i) // earlier ones write temporary rows
    if (ops[i].destination == destination && Opcode(ops[i].opcode) != Opcode::LaneRestore)
      ops[i].destination = uint16_t(resultTemporary);
  bool restores = Opcode(ops.back().opcode) == Opcode::LaneRestore;
  MicroOp restore = ops.back();
  if (restores)
    ops.pop_back();
  writeIndexed(destination, rows);
  if (restores)
    ops.push_back(restore);
}

} // namespace nstf::emulator
