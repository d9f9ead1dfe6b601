// v_smfmac on random operands and indices: fast mode against fused multiply-adds in the order of A's elements, exact
// mode against the dense rule on the selected elements. The layouts are in MatrixLayoutTest.cpp.
#include "test/runtime/emulator/instructions/MatrixReference.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

constexpr unsigned rowA = 8, rowB = 24, rowD = 64, rowIndex = 4;

void checkSparse(const MatrixForm &form, MatrixMode mode, unsigned abid) {
  SCOPED_TRACE(form.gfx942);
  Snippet s("gfx942",
            std::string(form.gfx942) + " " + registers('a', rowD, form.resultRegisters()) + ", " +
                registers('v', rowA, form.sourceRegisters() / 2) + ", " + registers('a', rowB, form.sourceRegisters()) +
                ", v4" + (abid ? " abid:" + std::to_string(abid) : ""),
            64, mode);
  ASSERT_EQ(s.program->trapCount(), 0u);
  std::mt19937_64 engine(99);
  unsigned size = getBits(form.a);
  auto element = [&](Element e) -> uint64_t {
    double v = std::normal_distribution<double>()(engine);
    switch (e) {
    case Element::f16:
      return bits(_Float16(v));
    case Element::bf16:
      return bits(float(v)) >> 16;
    case Element::i8:
      return engine() & 0xff;
    default:
      return (engine() & 0xff) == 0x80 ? 0 : engine() & 0x7f;
    }
  };
  for (unsigned l = 0; l < 64; ++l) {
    for (unsigned n = 0; n < form.input.perLane; ++n) {
      if (n < form.input.perLane / 2)
        setElement(s, rowA, {l, n}, size, element(form.a));
      setElement(s, agprRow + rowB, {l, n}, size, element(form.b));
    }
    s.wave().rows[rowIndex][l] = uint32_t(engine()); // includes pairs in descending order
    for (unsigned r = 0; r < form.resultRegisters(); ++r)
      s.wave().rows[agprRow + rowD + r][l] = form.a == Element::i8
                                                 ? uint32_t(engine())
                                                 : uint32_t(bits(float(std::normal_distribution<double>()(engine))));
  }
  std::vector<uint32_t> before;
  for (unsigned i = 0; i < form.rows; ++i)
    for (unsigned j = 0; j < form.columns; ++j)
      before.push_back(uint32_t(getElement(s, agprRow + rowD, placeOfOutput(form, 0, i, j), 32)));
  s.run();
  for (unsigned i = 0; i < form.rows; ++i)
    for (unsigned j = 0; j < form.columns; ++j) {
      uint32_t c = before[i * form.columns + j], expected = c;
      std::vector<uint64_t> a, b;
      for (unsigned n = 0; n < form.depth / 2; ++n) { // the n-th stored element of the row
        Place place = placeOfInput(form, 0, i, n / 2 * 4);
        place.element = place.element / 2 + n % 2;
        unsigned which = s.wave().rows[rowIndex][place.lane] >> (abid * form.input.perLane + 2 * place.element) & 3;
        a.push_back(getElement(s, rowA, place, size));
        b.push_back(getElement(s, agprRow + rowB, placeOfInput(form, 0, j, n / 2 * 4 + which), size));
      }
      if (form.a == Element::i8) {
        for (unsigned n = 0; n < a.size(); ++n)
          expected += uint32_t(int(getValue(form.a, a[n])) * int(getValue(form.b, b[n])));
      } else if (mode == MatrixMode::Exact) {
        expected = exactElement("gfx942", form.a, form.b, false, a, b, c);
      } else {
        float sum = as<float>(c);
        for (unsigned n = 0; n < a.size(); ++n)
          sum = std::fma(float(getValue(form.a, a[n])), float(getValue(form.b, b[n])), sum);
        expected = uint32_t(bits(sum));
      }
      uint32_t got = uint32_t(getElement(s, agprRow + rowD, placeOfOutput(form, 0, i, j), 32));
      ASSERT_EQ(got, expected) << "row " << i << " column " << j;
    }
}

TEST(SparseMatrix, EveryElement) {
  for (const MatrixForm &form : matrixForms())
    if (form.sparse)
      for (MatrixMode mode : {MatrixMode::Fast, MatrixMode::Exact})
        for (unsigned abid = 0; abid < 32 / form.input.perLane; ++abid)
          checkSparse(form, mode, abid);
}

} // namespace
