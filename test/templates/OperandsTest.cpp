// The ways of operands to the products, as machine code of both chips on the emulator: from memory in operand order,
// directly or through LDS, and past the registers; compared with the product in double precision.
#include "test/templates/TemplateTest.h"

#include "llvm/ADT/APFloat.h"

namespace nstf {
namespace {

using namespace test;

/// Packs two halves per word.
std::vector<uint32_t> halves(const std::vector<llvm::APFloat> &values) {
  std::vector<uint32_t> result(values.size() / 2);
  for (size_t i = 0; i < values.size(); ++i)
    result[i / 2] |= uint32_t(values[i].bitcastToAPInt().getZExtValue()) << 16 * (i % 2);
  return result;
}

struct Case {
  int M, N, K, rows;
  std::string type, tiles;
  int by = 0; ///< elements of each cell in a granule of a packed buffer; 0: the whole granule is of one cell
};

class Operands : public TemplateTest {
protected:
  /// Runs the template of matmul, whose buffers may be in blocks of 16 rows and 64 bytes, and compares the product.
  void check(const Case &one, bool isXPacked, bool isWPacked) {
    SCOPED_TRACE(one.tiles);
    std::string text(*templateText("kernels/matmul.mlir"));
    if (isXPacked)
      mark(text, "%X: !X", one.by);
    if (isWPacked)
      mark(text, "%W: !W", one.by);
    std::vector<double> x = random(one.M * one.K, 1), w = random(one.N * one.K, 2);
    Memory memory = {
        {"x", pack(x, one, isXPacked)}, {"w", pack(w, one, isWPacked)}, {"y", words(Floats(one.M * one.N, untouched))}};
    auto build = [&](mlir::OpPassManager &passes) {
      std::string params = llvm::formatv("M={0},N={1},K={2},OPERAND={3},{4}", one.M, one.N, one.K, one.type, one.tiles);
      ASSERT_TRUE(succeeded(mlir::parsePassPipeline(tilePipeline(params), passes)));
    };
    runText(text, "matmul", build, memory, one.rows);
    std::vector<double> y(one.M * one.N, untouched);
    for (int m = 0; m < one.rows; ++m)
      for (int n = 0; n < one.N; ++n) {
        double sum = 0;
        for (int k = 0; k < one.K; ++k)
          sum += x[m * one.K + k] * w[n * one.K + k];
        y[m * one.N + n] = sum;
      }
    expectNear(floats(memory["y"]), y, 1e-4);
  }

private:
  static void mark(std::string &text, const std::string &argument, int by) {
    ASSERT_NE(text.find(argument), std::string::npos);
    std::string runs = by ? ", by " + std::to_string(by) : "";
    text.insert(text.find(argument) + argument.size(),
                " {systolic.packed = #systolic.packed<16 x 64 bytes" + runs + ">}");
  }

  /// Numbers that f16 holds exactly.
  static std::vector<double> random(int count, unsigned seed) {
    std::mt19937 numbers(seed);
    std::vector<double> values(count);
    for (double &value : values)
      value = (int(numbers() % 4096) - 2048) / 2048.0;
    return values;
  }

  /// Row by row, or block by block: in each block the first granules of its rows, then the next.
  static std::vector<uint32_t> pack(const std::vector<double> &rows, const Case &one, bool isPacked) {
    const std::string &type = one.type;
    int columns = one.K, bytes = type == "f32" ? 4 : 2, granule = 16 / bytes, across = 64 / bytes;
    int run = one.by ? one.by : granule;
    std::vector<double> values;
    if (!isPacked)
      values = rows;
    else
      for (size_t row = 0; row < rows.size() / columns; row += 16)
        for (int column = 0; column < columns; column += across)
          for (int first = 0; first < 4 * run; first += run)
            for (int lane = 0; lane < 16; ++lane)
              for (int i = 0; i < granule; ++i)
                values.push_back(rows[(row + lane) * columns + column + first + i / run * 4 * run + i % run]);
    if (type == "f32")
      return words(Floats(values.begin(), values.end()));
    std::vector<llvm::APFloat> halfValues;
    for (double value : values) {
      bool losesInfo;
      halfValues.emplace_back(value);
      halfValues.back().convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    }
    return halves(halfValues);
  }
};

TEST_F(Operands, PackedWeightsWithoutLds) {
  check({.M = 16, .N = 96, .K = 128, .rows = 13, .type = "f16", .tiles = "BM=16,BN=64,BK=64,waves=1x4"}, false, true);
  check({.M = 32, .N = 64, .K = 96, .rows = 32, .type = "f16", .tiles = "BM=32,BN=64,BK=32,waves=1x2"}, false, true);
  check({.M = 16, .N = 48, .K = 80, .rows = 16, .type = "f32", .tiles = "BM=16,BN=32,BK=32,waves=1x2"}, false, true);
}

TEST_F(Operands, PackedThroughLdsWithoutASwizzle) {
  check({.M = 96, .N = 80, .K = 160, .rows = 90, .type = "f16", .tiles = "BM=64,BN=64,BK=64,waves=2x2"}, true, true);
  check({.M = 48, .N = 96, .K = 64, .rows = 48, .type = "f32", .tiles = "BM=32,BN=32,BK=32,waves=2x2"}, true, false);
}

/// A lane's 16 bytes belong to several cells.
TEST_F(Operands, PackedByCells) {
  check({.M = 16, .N = 96, .K = 128, .rows = 13, .type = "f16", .tiles = "BM=16,BN=64,BK=64,waves=1x4", .by = 4}, false,
        true);
  check({.M = 64, .N = 64, .K = 96, .rows = 64, .type = "f16", .tiles = "BM=64,BN=64,BK=32,waves=1x2", .by = 4}, false,
        true);
  check({.M = 16, .N = 48, .K = 80, .rows = 16, .type = "f32", .tiles = "BM=16,BN=32,BK=32,waves=1x2", .by = 2}, false,
        true);
  check({.M = 96, .N = 80, .K = 160, .rows = 90, .type = "f16", .tiles = "BM=64,BN=64,BK=64,waves=2x2", .by = 4}, true,
        true);
  check({.M = 64,
         .N = 96,
         .K = 160,
         .rows = 64,
         .type = "f16",
         .tiles = "BM=64,BN=64,BK=64,waves=2x2,through=lds",
         .by = 4},
        true, true);
}

TEST_F(Operands, PastTheRegisters) {
  check({.M = 70, .N = 130, .K = 200, .rows = 65, .type = "f16", .tiles = "BM=64,BN=64,BK=64,waves=2x2,through=lds"},
        false, false);
  check({.M = 64, .N = 64, .K = 90, .rows = 64, .type = "f16", .tiles = "BM=64,BN=32,BK=32,waves=2x1,through=lds"},
        false, false);
  check({.M = 33, .N = 40, .K = 37, .rows = 33, .type = "f32", .tiles = "BM=32,BN=32,BK=32,waves=2x2,through=lds"},
        false, false);
  check({.M = 64, .N = 96, .K = 160, .rows = 64, .type = "f16", .tiles = "BM=64,BN=64,BK=64,waves=2x2,through=lds"},
        true, true);
}

/// Eight waves, two per SIMD; an odd number of blocks, a half block at the end, and tiles past the rows.
TEST_F(Operands, HalvesOfTheWavesTakeTurns) {
  check({.M = 130, .N = 260, .K = 200, .rows = 120, .type = "f16", .tiles = "BM=64,BN=128,BK=32,waves=2x4,order=turns"},
        false, false);
  // One LDS buffer.
  check({.M = 256,
         .N = 250,
         .K = 200,
         .rows = 256,
         .type = "f16",
         .tiles = "BM=256,BN=256,BK=64,waves=2x4,sum=all,order=turns"},
        false, false);
  check({.M = 64, .N = 64, .K = 500, .rows = 64, .type = "f32", .tiles = "BM=32,BN=64,BK=32,waves=2x4,order=turns"},
        false, false);
}

} // namespace
} // namespace nstf
