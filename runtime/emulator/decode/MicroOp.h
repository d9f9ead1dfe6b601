// The instruction format of the interpreter.
//
// A micro-op has a handler and resolved operands. Vector operands are byte offsets of 64-lane rows in the wave's
// register file or in the program's constants; scalar operands are byte offsets into the SGPR file or the scalar
// constants.
#pragma once

#include <cstdint>

namespace nstf::emulator {

struct Wave;
struct MicroOp;

/// Runs one micro-op and returns the next one, or nullptr when the wave stops running (barrier, end; see Wave::status).
using Handler = const MicroOp *(*)(Wave &, const MicroOp *);

/// Place of an operand: a byte offset from the registers or, with the top bit set, from the program's constants.
using SourceRef = uint32_t;
constexpr SourceRef constantSource = 0x80000000u;

struct MicroOp {
  Handler handler;
  uint32_t instruction;       ///< number of its instruction (DecodedProgram::getAddress)
  uint16_t destination;       ///< vector: row; scalar: SGPR file index
  uint16_t scalarDestination; ///< SGPR file index of the carry or mask result, or of the mask input
  SourceRef source[4];
  uint64_t immediate; ///< offset, DPP control, branch target …, as the handler defines
  uint32_t flags;     ///< as the handler defines
  uint16_t opcode;    ///< Opcode
  uint8_t floatMode;  ///< the group of MODE's float settings that applies (FloatMode)
  uint8_t vector;     ///< 1: skipped while MODE.vskip is set
};
static_assert(sizeof(MicroOp) == 48);

/// Where a direct branch leads: `immediate` is the distance in bytes.
inline const MicroOp *branchTarget(const MicroOp *op) {
  return reinterpret_cast<const MicroOp *>(reinterpret_cast<uint64_t>(op) + op->immediate);
}
inline void setBranchTarget(MicroOp &op, const MicroOp *target) {
  op.immediate = reinterpret_cast<uint64_t>(target) - reinterpret_cast<uint64_t>(&op);
}

/// MODE has one setting for f32 and one for f16/f64; all other instructions run with the host's default.
enum class FloatMode : uint8_t { None, Single, HalfDouble };

/// Lanes of a wave.
constexpr unsigned waveWidth = 64;
/// Rows of a wave's register file. Rows from 512 on hold intermediate values of an instruction's micro-ops.
constexpr unsigned vgprRows = 256, agprRow = 256, temporaryRow = 512, temporaryRows = 16;
constexpr unsigned registerRows = temporaryRow + temporaryRows;

/// Indices of the SGPR file: the hardware's operand numbers, then the read-only operands.
namespace sgpr {
constexpr unsigned flatScratch = 102, xnackMask = 104, vcc = 106, ttmp = 108, m0 = 124, exec = 126;
constexpr unsigned sharedBase = 128, sharedLimit = 130, privateBase = 132, privateLimit = 134;
constexpr unsigned vccz = 136, execz = 138, scc = 140, temporary = 142, count = 160;
} // namespace sgpr

} // namespace nstf::emulator
