// bench-weights: the rates at which packing and loading process weights, in bytes of input (or of output if there is no
// input) per second of processor time of one core. Pieces have the size that packing and loading use, and the data
// exceeds the cache.
#include "compiler/checkpoint/StridedView.h"
#include "runtime/model/FillRandom.h"
#include "support/ConvertNumbers.h"
#include "support/SinCos.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

using namespace nstf;
using namespace nstf::checkpoint;

namespace {

constexpr double goal = 2e9; // bytes per second
constexpr size_t pieceElements = 1 << 18, pieces = 64;

/// Prints the best of five runs of `work` over all pieces; `work` takes the number of a piece.
template <typename Work> void measure(const char *what, size_t bytesOfPiece, Work work) {
  double best = INFINITY;
  for (int run = 0; run < 5; ++run) {
    std::clock_t start = std::clock();
    for (size_t piece = 0; piece < pieces; ++piece)
      work(piece);
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  double rate = double(pieces * bytesOfPiece) / best;
  std::printf("  %-34s %6.1f GB/s a core   goal %.1f: %s\n", what, rate / 1e9, goal / 1e9,
              rate >= goal ? "met" : "MISSED");
}

} // namespace

int main() {
  // The values are small numbers in every format, so that values do not affect the rate of a conversion.
  std::vector<std::byte> input(pieces * pieceElements * 8), output(pieceElements * 8);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = std::byte(i * 37 % 61 | (i % 2 ? 0x30 : 0));
  constexpr const char *names[] = {"f64", "f32", "f16", "bf16"};
  constexpr size_t sizes[] = {8, 4, 2, 2};
  for (size_t from = 0; from < 4; ++from)
    for (size_t to = 0; to < 4; ++to)
      if (from != to)
        measure(
            (std::string(names[from]) + " to " + names[to]).c_str(), pieceElements * sizes[from], [&](size_t piece) {
              support::convertNumbers(input.data() + piece * pieceElements * sizes[from], support::FloatFormat(from),
                                      output.data(), support::FloatFormat(to), pieceElements);
            });
  StridedView transposed = StridedView::of({4096, 4096}).transpose();
  for (size_t size : {2, 4})
    measure(("4096x4096 of " + std::to_string(size) + " bytes, transposed").c_str(), pieceElements * size,
            [&](size_t piece) {
              transposed.gather(input.data(), size, piece * pieceElements, pieceElements, output.data());
            });
  std::vector<float> numbers(pieceElements);
  measure("random numbers, f32", pieceElements * 4, [&](size_t piece) {
    runtime::fillRandom(RandomWeights(1, "weight", nullptr, 0), piece * pieceElements, numbers);
  });
  constexpr size_t pairs = 64, rows = pieceElements / (2 * pairs);
  std::vector<double> frequencies(pairs);
  for (size_t i = 0; i < pairs; ++i)
    frequencies[i] = std::pow(10'000.0, -double(i) / pairs);
  measure("rope table of 64 pairs, f32", pieceElements * 4, [&](size_t piece) {
    for (size_t row = 0; row < rows; ++row) {
      std::span<float> values = std::span(numbers).subspan(row * 2 * pairs, 2 * pairs);
      support::fillSinCos(double(piece * rows + row), frequencies, 1, values.first(pairs), values.last(pairs));
    }
  });
}
