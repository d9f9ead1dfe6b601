// Products as machine code of either chip on the emulator: types × variants (tiles, waves, schedules) × random shapes,
// compared with float64, in both matrix modes, under all checks and repeatedly.
//
// Variants are rows of tuning files: those of Inputs/matmul, which suit no chip, and all shipped ones. A kernel is
// compiled for some columns and depth, and launched with several numbers of rows. NSTF_TEST_SEED selects another set of
// shapes and numbers.
#include "compiler/catalog/TuningOverrides.h"
#include "compiler/catalog/TuningTable.h"
#include "nstf/FloatTypes.h"
#include "support/MappedFile.h"
#include "test/templates/TemplateTest.h"

#include <filesystem>

namespace nstf {
namespace {

using namespace test;
using Random = std::mt19937;

/// An operand type: random numbers that every matrix mode multiplies exactly, and the meaning of their bits.
struct OperandType {
  std::string name, tuning; ///< the name that MLIR prints; the file with its variants
  unsigned bytes;
  uint32_t (*make)(Random &);
  double (*read)(uint32_t bits);
};

double readE4M3(uint32_t bits) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  double value = exponent ? std::ldexp(8 + mantissa, exponent - 11) : std::ldexp(mantissa, -10);
  return bits & 0x80 ? -value : value;
}

const OperandType operandTypes[] = {
    {"f32", "f32", 4,
     [](Random &random) { return std::bit_cast<uint32_t>(float(int32_t(random())) / float(1u << 31)); },
     [](uint32_t bits) { return double(std::bit_cast<float>(bits)); }},
    // No subnormals, which gfx90a treats as 0.
    {"f16", "f16", 2, [](Random &random) -> uint32_t { return roundToF16((int(random() % 2048) - 1024) / 1024.0); },
     [](uint32_t bits) { return double(widenF16(bits)); }},
    {"bf16", "f16", 2, [](Random &random) -> uint32_t { return roundToBF16((int(random() % 256) - 128) / 128.0); },
     [](uint32_t bits) { return double(widenBF16(bits)); }},
    {"i8", "i8", 1, [](Random &random) -> uint32_t { return random() & 0xff; },
     [](uint32_t bits) { return double(int8_t(bits)); }},
    {"f8E4M3FNUZ", "i8", 1,
     [](Random &random) -> uint32_t { return random() % 255 < 128 ? random() & 0x7f : 0x81 + random() % 0x7f; },
     readE4M3},
};

bool runsOn(const OperandType &type, const std::string &target) {
  return type.name != "f8E4M3FNUZ" || findTarget(target).fp8 == "fnuz";
}

/// Numbers as stored in memory and as doubles.
struct Matrix {
  std::vector<uint8_t> bytes;
  std::vector<double> values;

  Matrix(const OperandType &type, int64_t count, Random &random) : bytes(count * type.bytes), values(count) {
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits = type.make(random);
      std::memcpy(&bytes[i * type.bytes], &bits, type.bytes);
      values[i] = type.read(bits);
    }
  }
};

std::vector<TuningRow> readRows(std::string_view text, const std::string &file) { return parseTuning(text, file).rows; }

/// The values that a tuning row sets.
struct Variant {
  std::map<std::string, int64_t> parameters;
  support::Schedule schedule;
  bool operator==(const Variant &other) const = default;
};

/// All variants for a type, each once.
std::vector<Variant> listVariants(const OperandType &type) {
  std::vector<Variant> variants;
  auto add = [&](std::string_view text, const std::string &file) {
    for (const TuningRow &row : readRows(text, file))
      if (Variant variant{row.parameters, row.schedule}; std::ranges::find(variants, variant) == variants.end())
        variants.push_back(variant);
  };
  std::string own = std::string(NSTF_TEST_INPUTS "/matmul/") + type.tuning + ".yaml";
  add(support::readTextFile(own), own);
  for (std::string_view name : templateNames("tuning/"))
    if (std::filesystem::path path(name);
        path.filename() == type.tuning + ".yaml" && path.parent_path().filename() == "matmul")
      add(*templateText(std::string(name)), std::string(name));
  return variants;
}

/// A kernel for some columns and depth, and the numbers of rows with which it is launched.
struct Case {
  const OperandType *type;
  std::string text; ///< for messages
  int64_t n, k, maxRows;
  std::string resultType;
  std::vector<int64_t> rows;
  CompiledTemplate kernel;
};

/// 1, primes, less than a tile, a tile and its neighbours, several tiles, or any number.
int64_t makeExtent(Random &random, int64_t tile) {
  static constexpr int64_t primes[] = {2, 3, 7, 31, 67, 127, 257, 509};
  switch (random() % 6) {
  case 0:
    return random() % 3 ? primes[random() % std::size(primes)] : 1;
  case 1:
    return 1 + random() % tile;
  case 2:
    return tile - 1 + random() % 3;
  case 3:
    return tile * (1 + random() % 3);
  default:
    return 1 + random() % 600;
  }
}

/// "BM=96,BN=48,waves=3x1"
std::string describe(const Variant &variant) {
  return llvm::join(TuningOverrides{variant.parameters, variant.schedule}.getTexts(), ",");
}

class MatmulTest : public testing::Test {
protected:
  void compileCases() {
    TemplateCompiler compiler(target);
    for (const OperandType &type : operandTypes)
      if (runsOn(type, target))
        for (const Variant &variant : listVariants(type))
          compileCase(compiler, type, variant);
  }

  void compileCase(TemplateCompiler &compiler, const OperandType &type, const Variant &variant) {
    const std::map<std::string, int64_t> &tiles = variant.parameters;
    Case made{&type, "", makeExtent(random, tiles.at("BN")), makeExtent(random, tiles.at("BK")), 0, "", {}, {}};
    // Sometimes one side exceeds 4096, and the others are short.
    int64_t longSide = cases.size() % 8 == 1 ? 4097 + random() % 100 : 0;
    if (longSide) {
      made.n = random() % 2 ? longSide : 1 + random() % 40;
      made.k = made.n == longSide ? 1 + random() % 40 : random() % 2 ? longSide : 1 + random() % 40;
    }
    bool longRows = longSide && made.n != longSide && made.k != longSide;
    made.maxRows = longRows ? longSide : longSide ? 40 : 300;
    made.rows = {made.maxRows, 1};
    while (made.rows.size() < rowsOfCase)
      if (int64_t rows = makeExtent(random, tiles.at("BM"));
          rows <= made.maxRows && !llvm::is_contained(made.rows, rows))
        made.rows.push_back(rows);
    bool isWhole = type.name == "i8";
    made.resultType = isWhole ? "i32" : type.bytes == 2 && random() % 2 ? type.name : "f32";
    std::string product = isWhole ? "i32" : "f32", convert;
    if (made.resultType != product)
      convert = llvm::formatv("%z = nstf.convert %y {{type = {0}} : (tensor<?x{1}xf32>) -> tensor<?x{1}x{0}> ",
                              made.resultType, made.n);
    std::string kernel =
        llvm::formatv("nstf.kernel @k(%x: tensor<?x{1}x{2}>, %w: tensor<{0}x{1}x{2}>) -> tensor<?x{0}x{4}> attributes "
                      "{{{5}} {{ %y = nstf.linear %x, %w : (tensor<?x{1}x{2}>, tensor<{0}x{1}x{2}>) -> "
                      "tensor<?x{0}x{3}> {6} nstf.return {7} : tensor<?x{0}x{4}> }",
                      made.n, made.k, type.name, product, made.resultType, tuningAttributes(describe(variant)), convert,
                      convert.empty() ? "%y" : "%z");
    made.text = llvm::formatv("{0}, n = {1}, k = {2}, {3}", type.name, made.n, made.k, describe(variant));
    SCOPED_TRACE(made.text);
    std::optional<CompiledTemplate> compiled = compiler.compileKernel("matmul", kernel, made.maxRows);
    ASSERT_TRUE(compiled);
    made.kernel = std::move(*compiled);
    cases.push_back(std::move(made));
  }

  /// The product of the first `rows` rows, and the allowed errors of its elements.
  struct Expected {
    std::vector<double> values, tolerances;
  };

  static Expected multiply(const Case &one, const Matrix &x, const Matrix &w, int64_t rows) {
    Expected expected{std::vector<double>(rows * one.n), std::vector<double>(rows * one.n)};
    // Products are exact except in f32. The chips round or cut a sum once for four to sixteen products, to 24 bits of
    // the largest term.
    double perTerm = one.resultType == "i32" ? 0 : double(one.k + 8) * 0x1p-25;
    double rounding = one.resultType == "f16" ? 0x1p-11 : one.resultType == "bf16" ? 0x1p-8 : 0;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < one.n; ++j) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < one.k; ++k) {
          double term = x.values[i * one.k + k] * w.values[j * one.k + k];
          sum += term;
          size += std::abs(term);
        }
        expected.values[i * one.n + j] = sum;
        expected.tolerances[i * one.n + j] = perTerm * size + rounding * std::abs(sum) + (rounding ? 0x1p-25 : 0);
      }
    return expected;
  }

  static std::vector<uint32_t> launch(const Backend &backend, const Case &one, const Matrix &x, const Matrix &w,
                                      int64_t rows) {
    size_t bytes = one.maxRows * one.n * (one.resultType == "f16" || one.resultType == "bf16" ? 2 : 4);
    Memory memory = {{"x", words(x.bytes)}, {"w", words(w.bytes)}, {"y", words(std::vector<uint8_t>(bytes, mark))}};
    one.kernel.launch(backend, memory, {.tokens = int32_t(rows), .position = 0});
    return memory["y"];
  }

  static void expectProduct(const Case &one, const std::vector<uint32_t> &got, const Expected &expected, int64_t rows) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(got.data());
    size_t size = one.resultType == "f16" || one.resultType == "bf16" ? 2 : 4;
    auto read = [&](size_t i) -> double {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes + i * size, size);
      return one.resultType == "i32"    ? int32_t(bits)
             : one.resultType == "f16"  ? widenF16(bits)
             : one.resultType == "bf16" ? widenBF16(bits)
                                        : std::bit_cast<float>(bits);
    };
    for (size_t i = 0; i < expected.values.size(); ++i)
      ASSERT_NEAR(read(i), expected.values[i], expected.tolerances[i])
          << "row " << i / one.n << ", column " << i % one.n;
    size_t written = rows * one.n * size, all = one.maxRows * one.n * size;
    ASSERT_EQ(std::count(bytes + written, bytes + all, mark), ptrdiff_t(all - written)) << "rows past the last";
    ASSERT_EQ(std::count(bytes + all, bytes + got.size() * 4, 0), ptrdiff_t(got.size() * 4 - all)) << "past the end";
  }

  /// Launches `count` cases with some of their numbers of rows.
  void launchCases(const Backend &backend, size_t count,
                   llvm::function_ref<void(const Case &, const Matrix &, const Matrix &, int64_t)> test) {
    for (const Case &one : cases)
      for (int64_t rows : llvm::ArrayRef(one.rows).take_back(count)) {
        SCOPED_TRACE(one.text + ", rows = " + std::to_string(rows) + " of " + std::to_string(one.maxRows));
        Random numbers(seed + rows);
        Matrix x(*one.type, one.maxRows * one.k, numbers), w(*one.type, one.n * one.k, numbers);
        test(one, x, w, rows);
        if (HasFatalFailure())
          return;
      }
  }

  /// In a process of its own. Its exit status says whether the checks found anything.
  [[noreturn]] void runChecked() {
    setenv("NSTF_EMU_CHECK", "all,hazard:strict", 1);
    setenv("NSTF_EMU_CHECK_EXIT", "1", 1);
    Backend backend = Backend::open(DeviceKind::Emulator, target);
    launchCases(backend, 1, [&](const Case &one, const Matrix &x, const Matrix &w, int64_t rows) {
      std::cerr << one.text << ", rows = " << rows << "\n";
      (void)launch(backend, one, x, w, rows);
    });
    std::exit(0);
  }

  static constexpr uint8_t mark = 0xa5;
  static constexpr size_t rowsOfCase = 12;
  const std::string target = getTestTarget();
  const unsigned seed = std::getenv("NSTF_TEST_SEED") ? std::strtoul(std::getenv("NSTF_TEST_SEED"), nullptr, 10) : 1;
  Random random{seed};
  std::vector<Case> cases;
};

TEST_F(MatmulTest, VariantsAndShapes) {
  std::cout << "NSTF_TEST_SEED=" << seed << "\n";
  compileCases();
  ASSERT_FALSE(HasFailure());
  EXPECT_EXIT(runChecked(), testing::ExitedWithCode(0), "");
  Backend backend = Backend::open(DeviceKind::Emulator, target);
  std::set<std::array<int64_t, 3>> shapes;
  launchCases(backend, rowsOfCase, [&](const Case &one, const Matrix &x, const Matrix &w, int64_t rows) {
    shapes.insert({rows, one.n, one.k});
    Expected expected = multiply(one, x, w, rows);
    setenv("NSTF_EMU_THREADS", "1", 1);
    std::vector<uint32_t> y = launch(backend, one, x, w, rows);
    expectProduct(one, y, expected, rows);
    setenv("NSTF_EMU_THREADS", "3", 1);
    EXPECT_EQ(launch(backend, one, x, w, rows), y) << "of another launch, on three threads";
    setenv("NSTF_EMU_MATRIX", "exact", 1);
    expectProduct(one, launch(backend, one, x, w, rows), expected, rows);
    unsetenv("NSTF_EMU_MATRIX");
  });
  EXPECT_GE(shapes.size(), 200u);
}

} // namespace
} // namespace nstf
