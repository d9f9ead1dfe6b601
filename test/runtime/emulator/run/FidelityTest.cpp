// The fidelity report's rows, and the stated error bound of matrix instructions in fast mode against exact mode.
#include "runtime/emulator/run/Fidelity.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/run/Statistics.h"
#include "test/runtime/emulator/instructions/MatrixForms.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

std::vector<FidelityRow> reportOf(const std::string &target, const std::string &text, MatrixMode mode) {
  Snippet s(target, text, 64, mode);
  EXPECT_EQ(s.program->trapCount(), 0u);
  ExecutionCounters counters(/*ldsBanks=*/32);
  s.count(counters);
  s.run();
  ExecutionStatistics statistics;
  counters.addTo(statistics);
  return getFidelity(statistics, mode, *Target::find(target));
}

TEST(Fidelity, ApproximateInstructionsComeFirst) {
  auto rows = reportOf("gfx942", R"(
    v_add_f32 v1, v2, v3
    v_add_f32 v1, v2, v3
    v_add_f32 v1, v2, v3
    v_exp_f32 v1, v2
    v_rcp_f64 v[4:5], v[2:3]
    v_rcp_f64 v[4:5], v[2:3]
    v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15])",
                       MatrixMode::Fast);
  ASSERT_EQ(rows.size(), 5u); // including s_endpgm
  EXPECT_EQ(rows[0].instruction, "v_rcp_f64");
  EXPECT_EQ(rows[0].count, 2u);
  EXPECT_EQ(rows[0].fidelity.bound, "2^29 ulp");
  EXPECT_EQ(rows[3].instruction, "v_add_f32");
  EXPECT_EQ(rows[3].count, 3u);
  for (unsigned i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].fidelity.exact, i >= 3) << rows[i].instruction;
    EXPECT_EQ(rows[i].fidelity.bound.empty(), rows[i].fidelity.exact);
    EXPECT_EQ(rows[i].fidelity.why.empty(), rows[i].fidelity.exact);
  }
}

TEST(Fidelity, MatrixInstructionsByMode) {
  for (const MatrixForm &form : matrixForms())
    for (const std::string target : {"gfx90a", "gfx942"})
      for (MatrixMode mode : {MatrixMode::Fast, MatrixMode::Exact}) {
        if (!form.name(target))
          continue;
        std::string text = std::string(form.name(target)) + " " + registers('v', 64, form.resultRegisters()) + ", " +
                           registers('v', 8, form.sparse ? form.sourceRegisters() / 2 : form.sourceRegisters()) + ", " +
                           registers('v', 24, form.sourceRegisters()) + ", " +
                           (form.sparse ? "v4" : registers('v', 64, form.resultRegisters()));
        auto rows = reportOf(target, text, mode);
        ASSERT_EQ(rows.size(), 2u);
        bool sameSums = form.a == Element::f32 || form.a == Element::f64 || form.a == Element::i8;
        bool exact = sameSums || (mode == MatrixMode::Exact && !form.sparse);
        for (const FidelityRow &row : rows)
          EXPECT_EQ(row.fidelity.exact, exact || !row.instruction.starts_with("v_")) << text;
      }
}

/// The smallest normal number.
double smallest(Element e) {
  return e == Element::f16 ? 0x1p-14 : e == Element::fp8 ? 0x1p-7 : e == Element::bf8 ? 0x1p-15 : 0x1p-126;
}

void checkBound(const std::string &target, const MatrixForm &form, std::mt19937_64 &engine, unsigned &different) {
  SCOPED_TRACE(target + " " + form.name(target));
  std::string text = std::string(form.name(target)) + " " + registers('v', 128, form.resultRegisters()) + ", " +
                     registers('v', 8, form.sourceRegisters()) + ", " + registers('v', 24, form.sourceRegisters()) +
                     ", " + registers('v', 64, form.resultRegisters());
  Snippet fast(target, text, 64, MatrixMode::Fast), exact(target, text, 64, MatrixMode::Exact);
  auto finite = [&](Element e) {
    for (;;) {
      uint64_t code = engine() & ((uint64_t(1) << getBits(e)) - 1);
      double v = getValue(e, code);
      if (engine() % 8 == 0)
        return uint64_t(0);
      if (std::isfinite(v) && std::fabs(v) < 0x1p60) // cannot overflow
        return code;
    }
  };
  for (unsigned block = 0; block < form.blocks; ++block)
    for (unsigned i = 0; i < form.rows; ++i) {
      for (unsigned k = 0; k < form.depth; ++k)
        for (unsigned which = 0; which < 2; ++which) {
          uint64_t code = finite(which ? form.b : form.a);
          for (Snippet *s : {&fast, &exact})
            setElement(*s, which ? 24 : 8, placeOfInput(form, block, i, k), getBits(form.a), code);
        }
      for (unsigned j = 0; j < form.columns; ++j) {
        uint64_t code = finite(Element::f32);
        for (Snippet *s : {&fast, &exact})
          setElement(*s, 64, placeOfOutput(form, block, i, j), 32, code);
      }
    }
  fast.run();
  exact.run();
  for (unsigned n = 0; n < 512; ++n) {
    unsigned block = unsigned(engine() % form.blocks), i = unsigned(engine() % form.rows),
             j = unsigned(engine() % form.columns);
    Place place = placeOfOutput(form, block, i, j);
    double c = getValue(Element::f32, getElement(fast, 64, place, 32));
    double sum = std::fabs(c), subnormals = std::fabs(c) < 0x1p-126 ? std::fabs(c) : 0;
    for (unsigned k = 0; k < form.depth; ++k) {
      double a = std::fabs(getValue(form.a, getElement(fast, 8, placeOfInput(form, block, i, k), getBits(form.a))));
      double b = std::fabs(getValue(form.b, getElement(fast, 24, placeOfInput(form, block, j, k), getBits(form.b))));
      double minA = smallest(form.a), minB = smallest(form.b);
      if (target == "gfx90a")
        subnormals += a < minA || b < minB ? a * b : 0;
      else
        a = std::max(a, minA), b = std::max(b, minB);
      sum += a * b;
    }
    // Results below the smallest normal number are multiples of 2^-149 or flushed to zero.
    double bound = 3 * form.depth * 0x1p-24 * sum + (target == "gfx90a" ? subnormals + 0x1p-126 : 0x1p-149);
    float x = as<float>(getElement(fast, 128, place, 32)), y = as<float>(getElement(exact, 128, place, 32));
    ASSERT_LE(std::fabs(double(x) - double(y)), bound) << x << " " << y << " row " << i << " column " << j;
    different += x != y;
  }
}

TEST(Fidelity, BoundOfFastMode) {
  std::mt19937_64 engine(3);
  unsigned different = 0;
  for (unsigned round = 0; round < 3; ++round)
    for (const MatrixForm &form : matrixForms())
      for (const std::string target : {"gfx90a", "gfx942"})
        if (form.name(target) && !form.sparse && form.a != Element::f64 && form.a != Element::i8 &&
            form.a != Element::f32) {
          checkBound(target, form, engine, different);
          if (HasFatalFailure())
            return;
        }
  EXPECT_GT(different, 100u); // else the test compares nothing
}

} // namespace
