// Every form of matrix instruction and the layout of its elements.
//
// The layouts come from AMD's matrix instruction calculator (ROCm/amd_matrix_instruction_calculator, the formulas of
// --detail-instruction for CDNA 2 and 3), written out as numbers for each form. They share nothing with the emulator's
// own formula (instructions/MatrixOperands-inl.h).
#pragma once

#include "test/runtime/emulator/instructions/Snippet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator::test {

enum class Element { f32, xf32, f16, bf16, i8, f64, fp8, bf8 };
unsigned getBits(Element e);
double getValue(Element e, uint64_t bits);

/// Layout of A, and of B with j for i: element k is in lane block * B + i + (k / K) * L, at position k % K in the
/// lane's registers, packed from the low bits up.
struct InputPlaces {
  unsigned block, perLane, depth; ///< B, K, L
};
/// Layout of C and D: lane block * block + (i / 4 % fours) * four + (i % 4) * row + j; register (pair) block *
/// blockRegister + i / 4 / fours * fourRegister + i % 4 * rowRegister.
struct OutputPlaces {
  unsigned block, fours, four, row, blockRegister, fourRegister, rowRegister;
};

struct MatrixForm {
  const char *gfx90a, *gfx942; ///< names, or null
  unsigned rows, columns, depth, blocks;
  Element a, b;
  InputPlaces input; ///< sparse forms: of B; A has half as many per lane
  OutputPlaces output;
  bool sparse = false;

  const char *name(const std::string &target) const { return target == "gfx90a" ? gfx90a : gfx942; }
  unsigned resultBits() const { return a == Element::f64 ? 64 : 32; }
  unsigned sourceRegisters() const { return std::max(1u, input.perLane * getBits(a) / 32); }
  unsigned resultRegisters() const { return rows * columns * blocks / 64 * resultBits() / 32; }
};
const std::vector<MatrixForm> &matrixForms();

/// An element in registers: its lane, and its index among the lane's elements.
struct Place {
  unsigned lane, element;
};
/// The place of A[i][k], or of B[k][i].
Place placeOfInput(const MatrixForm &form, unsigned block, unsigned i, unsigned k);
Place placeOfOutput(const MatrixForm &form, unsigned block, unsigned i, unsigned j);
uint64_t getElement(const Snippet &s, unsigned row, Place place, unsigned bits);
void setElement(Snippet &s, unsigned row, Place place, unsigned bits, uint64_t value);

/// "v[8:9]", "a4".
std::string registers(char file, unsigned first, unsigned count);

} // namespace nstf::emulator::test
