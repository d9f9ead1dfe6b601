// Maps opcodes to handlers.
//
// The file of each family enters its handlers. Families with vector code are compiled once for each kind of host vector
// (Highway's foreach_target), and the best kind of this host is entered.
#pragma once

#include "runtime/emulator/decode/DecodedProgram.h"

#include <memory>
#include <span>
#include <string>

namespace nstf::emulator {

/// How matrix instructions compute: by fused multiply-adds in f32 (an approximation of the chip's sums), or bit-exactly
/// as the chip.
enum class MatrixMode : uint8_t { Fast, Exact };

/// The handlers for this host; an instruction without a handler has the trap's.
const HandlerTable &handlers();
/// The same with the target's matrix handlers for this mode.
const HandlerTable &handlersFor(const Target &target, MatrixMode matrix);
/// Decodes `texts` (DecodedProgram::decode) to micro-ops that run on this host.
std::shared_ptr<const DecodedProgram> decodeProgram(const Target &target,
                                                    std::span<const std::span<const uint8_t>> texts,
                                                    MatrixMode matrix = MatrixMode::Fast);

/// The host's vector instructions that the handlers use ("AVX3", "AVX2", "EMU128": none), for reports.
std::string hostVectorTarget();

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
