// What the interpreter runs.
//
// A micro-op has its handler and its operands resolved: vector operands are byte offsets of 64-lane rows in the wave's
// register file or in the program's constants, scalar operands byte offsets into the SGPR file or the scalar constants.
#pragma once

#include <cstdint>

namespace nstf::emulator {

struct Wave;
struct MicroOp;

/// Runs one micro-op and returns the next, or nullptr when the wave stops running (barrier, end; see Wave::status).
using Handler = const MicroOp *(*)(Wave &, const MicroOp *);

/// Where an operand is: a byte offset, counted from the registers, or with the top bit from the program's constants.
using SourceRef = uint32_t;
constexpr SourceRef constantSource = 0x80000000u;

struct MicroOp {
  Handler handler;
  uint32_t instruction;       ///< number of the instruction it belongs to (DecodedProgram::addressOf)
  uint16_t destination;       ///< vector: row; scalar: SGPR file index
  uint16_t scalarDestination; ///< SGPR file index of the carry or mask result, or of the mask input
  SourceRef source[4];
  uint64_t immediate; ///< offset, DPP control, branch target … (the handler's business)
  uint32_t flags;     ///< ditto
  uint16_t opcode;    ///< Opcode
  uint8_t floatMode;  ///< which of MODE's float settings it is subject to (FloatMode)
  uint8_t vector;     ///< 1: not executed while MODE.vskip is set
};
static_assert(sizeof(MicroOp) == 48);

/// MODE has one setting for f32 and one for f16/f64; everything else runs with the host's default.
enum class FloatMode : uint8_t { None, Single, HalfDouble };

/// Lanes of a wave.
constexpr unsigned waveWidth = 64;
/// Rows of a wave's register file. Rows 512 and up hold intermediate values of an instruction's micro-ops.
constexpr unsigned vgprRows = 256, agprRow = 256, temporaryRow = 512, temporaryRows = 16;
constexpr unsigned registerRows = temporaryRow + temporaryRows;

/// The SGPR file by the hardware's operand numbers, then places for the read-only operands.
namespace sgpr {
constexpr unsigned flatScratch = 102, xnackMask = 104, vcc = 106, ttmp = 108, m0 = 124, exec = 126;
constexpr unsigned sharedBase = 128, sharedLimit = 130, privateBase = 132, privateLimit = 134;
constexpr unsigned vccz = 136, execz = 138, scc = 140, temporary = 142, count = 160;
} // namespace sgpr

} // namespace nstf::emulator
