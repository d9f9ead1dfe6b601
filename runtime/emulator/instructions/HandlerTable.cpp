#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/ExactMatrix.h"

#include <cstdlib>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <map>
#include <stdexcept>

namespace nstf::emulator {
namespace {

/// NSTF_EMU_VECTORS=AVX2|EMU128|…: limits the vectors to this kind, to compare hosts on one machine.
void limitVectors() {
  const char *name = std::getenv("NSTF_EMU_VECTORS");
  if (!name || !*name)
    return;
  for (int64_t left = HWY_TARGETS; left; left &= left - 1) {
    int64_t one = left & -left;
    if (std::string(hwy::TargetName(one)) == name) {
      hwy::DisableTargets(one - 1); // lower bits are better
      return;
    }
  }
  throw std::runtime_error("NSTF_EMU_VECTORS: this build has no vectors called '" + std::string(name) + "'");
}

} // namespace

const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    limitVectors();
    HandlerTable t = {};
    enterScalar(t);
    enterControl(t);
    enterScalarMemory(t);
    enterVectorFloat(t);
    enterVectorInteger(t);
    enterVectorCompare(t);
    enterConversion(t);
    enterCrossLane(t);
    enterModifiers(t);
    enterMatrix(t);
    enterSparseMatrix(t);
    enterLds(t);
    enterLdsSpecial(t);
    enterLdsDma(t);
    enterGlobalWaveSync(t);
    enterGlobal(t);
    enterBuffer(t);
    enterTypedBuffer(t);
    for (Handler &handler : t)
      if (!handler)
        handler = t[unsigned(Opcode::Trap)];
    return t;
  }();
  return table;
}

const HandlerTable &handlersFor(const Target &target, MatrixMode matrix) {
  if (matrix == MatrixMode::Fast)
    return handlers();
  static const std::map<std::string, HandlerTable> exact = [] {
    std::map<std::string, HandlerTable> tables;
    for (const Target &t : Target::all()) {
      HandlerTable &table = tables[t.name] = handlers();
      enterExactMatrix(table, t);
    }
    return tables;
  }();
  return exact.at(target.name);
}

std::shared_ptr<const DecodedProgram>
decodeProgram(const Target &target, std::span<const std::span<const uint8_t>> texts, MatrixMode matrix) {
  return DecodedProgram::decode(target, texts, handlersFor(target, matrix));
}

std::string hostVectorTarget() {
  handlers(); // chooses the target
  int64_t supported = hwy::SupportedTargets(), usable = supported & HWY_TARGETS;
  hwy::GetChosenTarget().Update(supported); // the query has chosen again, as if nothing were disabled
  return hwy::TargetName(usable & -usable); // the lowest bit is the best
}

} // namespace nstf::emulator
