// Opcode to handler.
//
// Each family's file enters its handlers. The families with vector code are compiled once for every kind of host vector
// (Highway's foreach_target), and the best one of this host enters.
#pragma once

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <array>

namespace nstf::emulator {

using HandlerTable = std::array<Handler, opcodeCount>;

/// The handlers for this host; an instruction without one has the trap's.
const HandlerTable &handlers();
/// The same with the target's matrix handlers for that mode.
const HandlerTable &handlersFor(const Target &target, MatrixMode matrix);

void enterScalar(HandlerTable &table);
void enterControl(HandlerTable &table);
void enterScalarMemory(HandlerTable &table);
void enterVectorFloat(HandlerTable &table);
void enterVectorInteger(HandlerTable &table);
void enterVectorCompare(HandlerTable &table);
void enterConversion(HandlerTable &table);
void enterCrossLane(HandlerTable &table);
void enterModifiers(HandlerTable &table);
void enterMatrix(HandlerTable &table);
void enterSparseMatrix(HandlerTable &table);
void enterLds(HandlerTable &table);
void enterLdsSpecial(HandlerTable &table);
void enterGlobalWaveSync(HandlerTable &table);
void enterLdsDma(HandlerTable &table);
void enterGlobal(HandlerTable &table);
void enterBuffer(HandlerTable &table);
void enterTypedBuffer(HandlerTable &table);

} // namespace nstf::emulator
