// The layout of matrix operands against the published one (MatrixForms.h). One element of A, then of B, is 1 where the
// table says, and the rest of that operand is 0. One row (column) of the product must then be the other operand's, with
// every element where the table says; the rest must be C. For sparse forms each element of A is tried with each choice
// of its index bits.
#include "test/runtime/emulator/instructions/MatrixForms.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

constexpr unsigned rowA = 8, rowB = 24, rowC = 48, rowD = 96, rowIndex = 4;

uint64_t encode(Element e, unsigned value) {
  switch (e) {
  case Element::f32:
  case Element::xf32:
    return bits(float(value));
  case Element::f16:
    return bits(_Float16(value));
  case Element::bf16:
    return bits(float(value)) >> 16;
  case Element::f64:
    return bits(double(value));
  case Element::i8:
    return value;
  default: // 1 to 7 are exact
    for (unsigned code = 0; code < 128; ++code)
      if (getValue(e, code) == value)
        return code;
  }
  return 0;
}

/// Neighbours get different values; three rounds together tell nearly all elements apart.
unsigned valueAt(unsigned round, unsigned block, unsigned i, unsigned k) {
  uint64_t hash = (((round * 64ull + block) * 64 + i) * 64 + k + 1) * 0x9e3779b97f4a7c15ull;
  return 1 + unsigned(hash >> 33) % 7;
}

struct Layout {
  Layout(const std::string &target, const MatrixForm &form, MatrixMode mode = MatrixMode::Fast,
         const std::string &modifiers = "")
      : form(form), s(target, text(target, form) + modifiers, 64, mode) {}

  static std::string text(const std::string &target, const MatrixForm &form) {
    unsigned inA = form.sparse ? form.sourceRegisters() / 2 : form.sourceRegisters();
    return std::string(form.name(target)) + " " + registers('v', rowD, form.resultRegisters()) + ", " +
           registers('v', rowA, inA) + ", " + registers('v', rowB, form.sourceRegisters()) + ", " +
           (form.sparse ? "v" + std::to_string(rowIndex) : registers('v', rowC, form.resultRegisters()));
  }
  uint64_t result(unsigned value) const {
    return form.resultBits() == 64 ? bits(double(value)) : form.a == Element::i8 ? value : bits(float(value));
  }
  void clear(unsigned row, unsigned count) {
    for (unsigned r = 0; r < count; ++r)
      std::fill_n(s.wave().rows[row + r], 64, 0u);
  }
  static unsigned addend(unsigned block, unsigned i, unsigned j) { return 1000 + (block * 64 + i) * 64 + j; }
  void everyResult(auto function) const {
    for (unsigned block = 0; block < form.blocks; ++block)
      for (unsigned i = 0; i < form.rows; ++i)
        for (unsigned j = 0; j < form.columns; ++j)
          function(block, i, j);
  }
  void setAddends(unsigned row) {
    everyResult([&](unsigned block, unsigned i, unsigned j) {
      setElement(s, row, placeOfOutput(form, block, i, j), form.resultBits(), result(addend(block, i, j)));
    });
  }
  /// Counts the wrong elements of D; product(block, i, j) is what must have been added to C.
  unsigned wrongResults(auto product) const {
    unsigned wrong = 0;
    everyResult([&](unsigned block, unsigned i, unsigned j) {
      uint64_t got = getElement(s, rowD, placeOfOutput(form, block, i, j), form.resultBits());
      wrong += got != result(addend(block, i, j) + product(block, i, j));
    });
    return wrong;
  }

  const MatrixForm &form;
  Snippet s;
};

/// One operand (0: A, 1: B) holds a single 1, the other is full.
void checkOneHot(Layout &layout, unsigned which) {
  const MatrixForm &form = layout.form;
  unsigned hotRow = which ? rowB : rowA, fullRow = which ? rowA : rowB;
  Element hot = which ? form.b : form.a, full = which ? form.a : form.b;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned block = 0; block < form.blocks; ++block)
      for (unsigned i = 0; i < form.rows; ++i)
        for (unsigned k = 0; k < form.depth; ++k)
          setElement(layout.s, fullRow, placeOfInput(form, block, i, k), getBits(full),
                     encode(full, valueAt(round, block, i, k)));
    for (unsigned hotBlock = 0; hotBlock < form.blocks; ++hotBlock)
      for (unsigned hotI = 0; hotI < form.rows; ++hotI)
        for (unsigned hotK = 0; hotK < form.depth; ++hotK) {
          if (round && (hotI + hotK) % 8 != round) // the first round tries every element
            continue;
          layout.clear(hotRow, form.sourceRegisters());
          setElement(layout.s, hotRow, placeOfInput(form, hotBlock, hotI, hotK), getBits(hot), encode(hot, 1));
          layout.s.run();
          unsigned wrong = layout.wrongResults([&](unsigned block, unsigned i, unsigned j) {
            unsigned own = which ? j : i, other = which ? i : j;
            return block == hotBlock && own == hotI ? valueAt(round, block, other, hotK) : 0;
          });
          ASSERT_EQ(wrong, 0u) << (which ? "B" : "A") << " block " << hotBlock << " row or column " << hotI << " k "
                               << hotK;
        }
  }
}

TEST(MatrixLayout, EveryElementOfDenseForms) {
  unsigned forms = 0;
  for (const MatrixForm &form : matrixForms())
    for (const std::string target : {"gfx90a", "gfx942"})
      if (form.name(target) && !form.sparse) {
        SCOPED_TRACE(target + " " + form.name(target));
        ++forms;
        Layout layout(target, form);
        ASSERT_EQ(layout.s.program->trapCount(), 0u);
        layout.setAddends(rowC);
        checkOneHot(layout, 0);
        checkOneHot(layout, 1);
        if (HasFatalFailure())
          return;
      }
  EXPECT_EQ(forms, 27u + 32u);
}

/// cbsz, abid and blgp on full operands, as defined in the calculator's README, "--cbsz, --abid" and "--blgp".
void checkModifiers(const std::string &target, const MatrixForm &form, MatrixMode mode, unsigned cbsz, unsigned abid,
                    unsigned blgp) {
  // Which group of 16 lanes of B each of the four groups reads.
  static const unsigned groups[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                        {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  std::string modifiers = (cbsz ? " cbsz:" + std::to_string(cbsz) : "") +
                          (abid ? " abid:" + std::to_string(abid) : "") + (blgp ? " blgp:" + std::to_string(blgp) : "");
  SCOPED_TRACE(target + " " + form.name(target) + modifiers);
  Layout layout(target, form, mode, modifiers);
  Snippet &s = layout.s;
  ASSERT_EQ(s.program->trapCount(), 0u);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned n = 0; n < form.input.perLane; ++n) {
      setElement(s, rowA, {l, n}, getBits(form.a), encode(form.a, valueAt(0, 0, l, n)));
      setElement(s, rowB, {l, n}, getBits(form.b), encode(form.b, valueAt(1, 0, l, n)));
    }
  layout.setAddends(rowC);
  s.run();
  unsigned wrong = layout.wrongResults([&](unsigned block, unsigned i, unsigned j) {
    unsigned sum = 0, shared = 1u << cbsz, blockA = block / shared * shared + abid;
    for (unsigned k = 0; k < form.depth; ++k) {
      Place a = placeOfInput(form, cbsz ? blockA : block, i, k), b = placeOfInput(form, block, j, k);
      b.lane = groups[blgp][b.lane / 16] * 16 + b.lane % 16;
      sum += valueAt(0, 0, a.lane, a.element) * valueAt(1, 0, b.lane, b.element);
    }
    return sum;
  });
  ASSERT_EQ(wrong, 0u);
}

TEST(MatrixLayout, BroadcastsAndLanePatterns) {
  for (const MatrixForm &form : matrixForms())
    for (const std::string target : {"gfx90a", "gfx942"})
      for (MatrixMode mode : {MatrixMode::Fast, MatrixMode::Exact}) {
        if (!form.name(target) || form.sparse || form.a == Element::f64)
          continue;
        for (unsigned blgp = 0; blgp < 8; ++blgp)
          checkModifiers(target, form, mode, 0, 0, blgp);
        for (unsigned cbsz = 1; 1u << cbsz <= form.blocks; ++cbsz)
          for (unsigned abid = 0; abid < 1u << cbsz; ++abid)
            checkModifiers(target, form, mode, cbsz, abid, (cbsz + abid) % 8);
        if (HasFatalFailure())
          return;
      }
}

/// Sparse: A's stored element (row i, group of four `four`, slot) is 1 and its index bits are `index`.
void checkSparse(const MatrixForm &form, MatrixMode mode, unsigned abid, unsigned cbsz) {
  std::string modifiers = (cbsz ? " cbsz:" + std::to_string(cbsz) : "") + (abid ? " abid:" + std::to_string(abid) : "");
  SCOPED_TRACE(form.gfx942 + modifiers);
  Layout layout("gfx942", form, mode, modifiers);
  Snippet &s = layout.s;
  ASSERT_EQ(s.program->trapCount(), 0u);
  std::mt19937_64 engine(7);
  for (unsigned k = 0; k < form.depth; ++k)
    for (unsigned j = 0; j < form.columns; ++j)
      setElement(s, rowB, placeOfInput(form, 0, j, k), getBits(form.b), encode(form.b, valueAt(abid, 0, j, k)));
  unsigned indexBits = form.input.perLane; // two bits each, for half as many elements
  unsigned shift = cbsz ? 0 : abid * indexBits;
  for (unsigned four = 0; four < form.depth / 4; ++four)
    for (unsigned slot = 0; slot < 2; ++slot)
      for (unsigned index = slot; index < 3 + slot; ++index)
        for (unsigned i = 0; i < form.rows; i += mode == MatrixMode::Fast ? 1 : 5) {
          Place place = placeOfInput(form, 0, i, four * 4);
          place.element = place.element / 2 + slot;
          layout.clear(rowA, form.sourceRegisters() / 2);
          setElement(s, rowA, place, getBits(form.a), encode(form.a, 1));
          for (unsigned l = 0; l < 64; ++l)
            s.wave().rows[rowIndex][l] = uint32_t(engine());
          uint32_t &word = s.wave().rows[rowIndex][place.lane];
          word = (word & ~(3u << (shift + 2 * place.element))) | index << (shift + 2 * place.element);
          layout.setAddends(rowD);
          s.run();
          unsigned wrong = layout.wrongResults(
              [&](unsigned, unsigned row, unsigned j) { return row == i ? valueAt(abid, 0, j, four * 4 + index) : 0; });
          ASSERT_EQ(wrong, 0u) << "row " << i << " four " << four << " slot " << slot << " index " << index;
        }
}

TEST(MatrixLayout, EveryElementAndIndexOfSparseForms) {
  unsigned forms = 0;
  for (const MatrixForm &form : matrixForms())
    if (form.sparse) {
      ++forms;
      unsigned sets = 32 / form.input.perLane;
      for (MatrixMode mode : {MatrixMode::Fast, MatrixMode::Exact}) {
        for (unsigned abid = 0; abid < sets; ++abid)
          checkSparse(form, mode, abid, 0);
        checkSparse(form, mode, 1, 1); // with cbsz abid must not matter
      }
      if (HasFatalFailure())
        return;
    }
  EXPECT_EQ(forms, 14u);
}

} // namespace
