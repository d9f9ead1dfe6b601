// Exact matrix mode: the published worked examples, and every form against the scalar reference on ordinary, wide,
// cancelling and edge operands.
#include "test/runtime/emulator/instructions/MatrixReference.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sstream>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

constexpr unsigned rowA = 8, rowB = 24, rowC = 48, rowD = 96;

/// Zeros are equal whatever their sign.
bool sameFloat(uint32_t a, uint32_t b) { return a == b || ((a | b) & 0x7fffffff) == 0; }

bool isOldBf16(const MatrixForm &form) {
  return form.a == Element::bf16 && std::string(form.gfx90a ? form.gfx90a : "_1k").find("_1k") == std::string::npos;
}

/// D = A * B + C with separate registers for A, B, C and D, in VGPRs or AGPRs.
Snippet snippetOf(const std::string &target, const MatrixForm &form, MatrixMode mode, char fileAB = 'v',
                  char fileCD = 'v') {
  std::string text = std::string(form.name(target)) + " " + registers(fileCD, rowD, form.resultRegisters()) + ", " +
                     registers(fileAB, rowA, form.sourceRegisters()) + ", " +
                     registers(fileAB, rowB, form.sourceRegisters()) + ", " +
                     registers(fileCD, rowC, form.resultRegisters());
  return Snippet(target, text, 64, mode);
}

// The worked examples

struct Sample {
  std::vector<uint64_t> a, b;
  uint32_t c, d;
};
struct SampleForm {
  std::string target, a, b;
  unsigned depth;
  auto operator<=>(const SampleForm &) const = default;
};
using Samples = std::map<SampleForm, std::vector<Sample>>;

std::optional<Element> elementOf(const std::string &name) {
  static const std::map<std::string, Element> elements = {
      {"f32", Element::f32},      {"xf32", Element::xf32}, {"f16", Element::f16}, {"bf16", Element::bf16},
      {"bf16_1k", Element::bf16}, {"fp8", Element::fp8},   {"bf8", Element::bf8}};
  auto found = elements.find(name);
  return found == elements.end() ? std::nullopt : std::optional(found->second);
}

/// Runs the samples through every form with these types and depth, one sample per diagonal element.
void checkSamples(const SampleForm &key, const std::vector<Sample> &samples) {
  Element a = *elementOf(key.a), b = *elementOf(key.b);
  bool old = key.target == "gfx90a" && key.a == "bf16";
  unsigned forms = 0;
  for (const MatrixForm &form : matrixForms()) {
    if (form.sparse || !form.name(key.target) || form.a != a || form.b != b || form.depth != key.depth ||
        (key.target == "gfx90a" && isOldBf16(form) != old))
      continue;
    ++forms;
    Snippet s = snippetOf(key.target, form, MatrixMode::Exact);
    ASSERT_EQ(s.program->trapCount(), 0u) << form.name(key.target);
    unsigned places = form.rows * form.blocks;
    for (size_t first = 0; first < samples.size(); first += places) {
      for (unsigned n = 0; n < places; ++n) {
        const Sample &sample = samples[(first + n) % samples.size()];
        unsigned block = n / form.rows, i = n % form.rows;
        for (unsigned k = 0; k < form.depth; ++k) {
          setElement(s, rowA, placeOfInput(form, block, i, k), getBits(a), sample.a[k]);
          setElement(s, rowB, placeOfInput(form, block, i, k), getBits(b), sample.b[k]);
        }
        setElement(s, rowC, placeOfOutput(form, block, i, i), 32, sample.c);
      }
      s.run();
      for (unsigned n = 0; n < places; ++n) {
        const Sample &sample = samples[(first + n) % samples.size()];
        unsigned i = n % form.rows;
        uint32_t got = uint32_t(getElement(s, rowD, placeOfOutput(form, n / form.rows, i, i), 32));
        ASSERT_TRUE(sameFloat(got, sample.d))
            << key.target << " " << form.name(key.target) << " sample " << (first + n) % samples.size() << std::hex
            << ": expected " << sample.d << " but got " << got;
        uint32_t slow = exactElement(key.target, a, b, old, sample.a, sample.b, sample.c);
        ASSERT_TRUE(sameFloat(slow, sample.d)) << "the reference gives " << std::hex << slow << " for " << sample.d;
      }
    }
  }
  ASSERT_GT(forms, 0u) << key.target << " " << key.a << " " << key.b << " " << key.depth;
}

std::vector<uint64_t> elementsOf(const std::string &hex, unsigned digits) {
  std::vector<uint64_t> values;
  for (size_t at = 0; at < hex.size(); at += digits)
    values.push_back(std::stoull(hex.substr(at, digits), nullptr, 16));
  return values;
}

Samples readSamples() {
  std::ifstream file(NSTF_TEST_INPUTS "/matrix-samples.txt");
  Samples samples;
  SampleForm key;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string a, b, c, d;
    if (line.starts_with("#") || !(words >> a >> b >> c >> d))
      continue;
    if (a.starts_with("gfx")) {
      key = {a, b, c, unsigned(std::stoul(d))};
      continue;
    }
    samples[key].push_back({elementsOf(a, getBits(*elementOf(key.a)) / 4),
                            elementsOf(b, getBits(*elementOf(key.b)) / 4), uint32_t(std::stoul(c, nullptr, 16)),
                            uint32_t(std::stoul(d, nullptr, 16))});
  }
  return samples;
}

TEST(ExactMatrix, Samples) {
  Samples samples = readSamples();
  ASSERT_EQ(samples.size(), 25u);
  for (const auto &[key, list] : samples) {
    ASSERT_EQ(list.size(), 24u);
    checkSamples(key, list);
  }
}

TEST(ExactMatrix, AllPublishedExamples) {
  std::ifstream file(NSTF_TEST_REFERENCE "/mfma-vectors.tsv");
  if (!file)
    GTEST_SKIP() << "NOT RUN: no " NSTF_TEST_REFERENCE "/mfma-vectors.tsv; only the samples in Inputs were checked";
  Samples samples;
  size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#"))
      continue;
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');)
      columns.push_back(std::move(column));
    ASSERT_EQ(columns.size(), 8u) << line;
    auto numbers = [](const std::string &text) {
      std::vector<uint64_t> values;
      std::istringstream words(text);
      for (std::string word; words >> word;)
        values.push_back(std::stoull(word, nullptr, 16));
      return values;
    };
    samples[{columns[0], columns[1], columns[2], unsigned(std::stoul(columns[3]))}].push_back(
        {numbers(columns[4]), numbers(columns[5]), uint32_t(std::stoul(columns[6], nullptr, 16)),
         uint32_t(std::stoul(columns[7], nullptr, 16))});
    ++count;
  }
  EXPECT_EQ(count, 1200u);
  for (const auto &[key, list] : samples)
    checkSamples(key, list);
}

// Against the reference

/// Ties: one product is half a unit in the last place of C, the others are far below. NearSubnormal: products near the
/// smallest normal f32, if the type has them.
enum Kind { Ordinary, Wide, Tiny, Cancelling, Edges, Zeros, Everything, Ties, NearSubnormal, kinds };

struct Format {
  unsigned exponentBits, fractionBits;
  bool small;
};
Format getFormat(Element e) {
  switch (e) {
  case Element::f16:
    return {5, 10, false};
  case Element::bf16:
    return {8, 7, false};
  case Element::fp8:
    return {4, 3, true};
  case Element::bf8:
    return {5, 2, true};
  default:
    return {8, 23, false};
  }
}

uint64_t randomElement(Element e, int kind, std::mt19937_64 &engine, unsigned k = 1) {
  Format f = getFormat(e);
  uint64_t sign = engine() % 2 << (f.exponentBits + f.fractionBits), most = (1u << f.exponentBits) - 1;
  uint64_t fraction = engine() & ((uint64_t(1) << f.fractionBits) - 1);
  if (engine() % 4 == 0)
    fraction &= engine() & engine();
  uint64_t one = f.small ? 1u << (f.exponentBits - 1) : most / 2, exponent;
  switch (kind) {
  case Ordinary:
  case Cancelling:
    exponent = one - std::min<uint64_t>(one, engine() % 4) + engine() % 3;
    break;
  case Tiny:
    exponent = engine() % 3;
    break;
  case Ties:
    exponent = k ? std::max<uint64_t>(one, 10) - 6 - engine() % 4 : one + engine() % 3;
    fraction = k ? fraction : 0;
    break;
  case NearSubnormal:
    exponent = f.exponentBits == 8 ? 63 + engine() % 4 : engine() % 3;
    break;
  case Zeros:
    if (engine() % 3)
      return sign && !f.small ? sign : 0;
    [[fallthrough]];
  case Wide:
    exponent = engine() % (most + f.small);
    break;
  case Edges: {
    const uint64_t exponents[] = {0, 0, 1, one, most - 1, most, one / 2, one + one / 2};
    exponent = exponents[engine() % 8];
    if (engine() % 2)
      fraction = engine() % 2 ? 0 : (uint64_t(1) << f.fractionBits) - 1;
    if (!f.small && exponent == most && engine() % 8)
      exponent = most - 1;
    break;
  }
  default:
    return engine() & ((uint64_t(2) << (f.exponentBits + f.fractionBits)) - 1);
  }
  uint64_t code = sign | exponent << f.fractionBits | fraction;
  return f.small && code == 0x80 && kind != Edges ? 0 : code;
}

uint32_t randomAddend(int kind, double sum, std::mt19937_64 &engine) {
  switch (engine() % 6) {
  case 0:
    return 0;
  case 1: // nearly cancels the products
    return uint32_t(bits(float(-sum))) + uint32_t(engine() % 5) - 2;
  case 2:
    return uint32_t(bits(float(sum * std::ldexp(1.0, int(engine() % 60) - 30))));
  case 3:
    return uint32_t(randomElement(Element::f32, Ordinary, engine));
  case 4:
    return uint32_t(randomElement(Element::f32, kind == Everything ? Edges : Wide, engine));
  default:
    return uint32_t(randomElement(Element::f32, kind, engine));
  }
}

void checkForm(const std::string &target, const MatrixForm &form, int kind, std::mt19937_64 &engine, unsigned checked,
               char fileAB, char fileCD) {
  SCOPED_TRACE(target + " " + form.name(target) + " kind " + std::to_string(kind));
  Snippet s = snippetOf(target, form, MatrixMode::Exact, fileAB, fileCD);
  ASSERT_EQ(s.program->trapCount(), 0u);
  s.wave().setExec(0x5555); // must not matter
  unsigned a = rowA + (fileAB == 'a' ? agprRow : 0), b = rowB + (fileAB == 'a' ? agprRow : 0);
  unsigned c = rowC + (fileCD == 'a' ? agprRow : 0), d = rowD + (fileCD == 'a' ? agprRow : 0);
  auto places = [&](auto function) {
    for (unsigned block = 0; block < form.blocks; ++block)
      for (unsigned i = 0; i < form.rows; ++i)
        function(block, i);
  };
  places([&](unsigned block, unsigned i) {
    uint64_t before[2] = {};
    for (unsigned k = 0; k < form.depth; ++k) {
      uint64_t values[2] = {randomElement(form.a, kind, engine, k), randomElement(form.b, kind, engine, k)};
      if ((kind == Cancelling || kind == NearSubnormal) && k % 2 && engine() % 4) {
        values[0] = before[0] ^ uint64_t(1) << (getBits(form.a) - 1);
        values[1] = before[1] ^ (kind == NearSubnormal ? engine() % 4 : 0);
      }
      setElement(s, a, placeOfInput(form, block, i, k), getBits(form.a), values[0]);
      setElement(s, b, placeOfInput(form, block, i, k), getBits(form.b), values[1]);
      std::copy(values, values + 2, before);
    }
  });
  auto inputs = [&](unsigned block, unsigned i, unsigned j) {
    std::pair<std::vector<uint64_t>, std::vector<uint64_t>> result;
    for (unsigned k = 0; k < form.depth; ++k) {
      result.first.push_back(getElement(s, a, placeOfInput(form, block, i, k), getBits(form.a)));
      result.second.push_back(getElement(s, b, placeOfInput(form, block, j, k), getBits(form.b)));
    }
    return result;
  };
  places([&](unsigned block, unsigned i) {
    for (unsigned j = 0; j < form.columns; ++j) {
      auto [x, y] = inputs(block, i, j);
      double sum = 0;
      for (unsigned k = 0; k < form.depth; ++k)
        sum += getValue(form.a, x[k]) * getValue(form.b, y[k]);
      uint32_t addend = randomAddend(kind, sum, engine);
      if (kind == Ties) {
        uint64_t fraction = engine() % 4 ? engine() & 0x7fffff : 0;
        int exponent = std::ilogb(getValue(form.a, x[0]) * getValue(form.b, y[0])) + 24;
        addend = uint32_t(engine() % 2 << 31 | uint64_t(exponent + 127) << 23 | fraction);
      } else if (kind == NearSubnormal) {
        addend = uint32_t(engine() % 2 << 31 | engine() % 4 << 23 | (engine() & 0x7fffff));
      }
      setElement(s, c, placeOfOutput(form, block, i, j), 32, addend);
    }
  });
  s.run();
  for (unsigned n = 0; n < checked; ++n) {
    unsigned block = unsigned(engine() % form.blocks), i = unsigned(engine() % form.rows),
             j = unsigned(engine() % form.columns);
    auto [x, y] = inputs(block, i, j);
    uint32_t addend = uint32_t(getElement(s, c, placeOfOutput(form, block, i, j), 32));
    uint32_t expected = exactElement(target, form.a, form.b, isOldBf16(form), x, y, addend);
    uint32_t got = uint32_t(getElement(s, d, placeOfOutput(form, block, i, j), 32));
    if (!sameFloat(got, expected)) {
      std::ostringstream text;
      text << std::hex;
      for (unsigned k = 0; k < form.depth; ++k)
        text << x[k] << "*" << y[k] << " ";
      text << "+ " << addend;
      FAIL() << text.str() << ": expected " << std::hex << expected << " but got " << got;
    }
  }
}

TEST(ExactMatrix, EveryFormAgainstReference) {
  // NSTF_TEST_ROUNDS=1000 runs a long search.
  const char *text = std::getenv("NSTF_TEST_ROUNDS");
  unsigned rounds = text ? unsigned(std::stoul(text)) : 2;
  std::mt19937_64 engine(20251110);
  for (unsigned round = 0; round < rounds; ++round)
    for (const MatrixForm &form : matrixForms())
      for (const std::string target : {"gfx90a", "gfx942"})
        if (!form.sparse && form.name(target) && form.a != Element::f64 && form.a != Element::i8)
          for (int kind = 0; kind < kinds; ++kind) {
            checkForm(target, form, kind, engine, 48, "va"[engine() % 2], "va"[engine() % 2]);
            if (HasFatalFailure())
              return;
          }
}

} // namespace
