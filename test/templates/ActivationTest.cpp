// tanh, gelu and relu as the slot computes them, over the whole range of f32: accuracy against float64, and special
// values: signed zeros, infinities, NaN.
#include "test/templates/TemplateTest.h"

#include <numbers>

namespace nstf {
namespace {

using namespace test;

class ActivationTest : public TemplateTest {
protected:
  /// Applies one elementwise operation to rows of 1024 numbers.
  Floats apply(const std::string &op, const Floats &x) {
    std::string type = llvm::formatv("tensor<{0}x1024xf32>", x.size() / 1024);
    std::string kernel =
        llvm::formatv("nstf.kernel @k(%x: {0}) -> {0} {{ %y = nstf.{1} : {0} nstf.return %y : {0} }", type, op);
    Memory memory = {{"x", words(x)}, {"y", words(Floats(x.size(), untouched))}};
    runKernel("elementwise", kernel, 1, memory, 1);
    return floats(memory["y"]);
  }

  /// Numbers of every exponent and sign, with more of those between -16 and 16, padded to whole rows.
  static Floats everywhere() {
    Floats x;
    for (uint64_t bits = 0; bits < (1ull << 32); bits += 262147)
      x.push_back(floats({uint32_t(bits)})[0]);
    for (size_t count = (1 << 15) - x.size(), i = 0; i < count; ++i)
      x.push_back(32 * (float(i) / float(count) - 0.5f));
    return x;
  }

  /// Checks the max of |got - want|, relative to results above 1; two infinities or two NaNs count as equal.
  static void expectClose(const Floats &x, const Floats &got, const std::function<double(double)> &want, double most) {
    ASSERT_EQ(x.size(), got.size());
    for (size_t i = 0; i < x.size(); ++i) {
      double y = want(x[i]);
      if (std::isnan(y) || std::isinf(float(y)))
        ASSERT_TRUE(std::isnan(y) ? std::isnan(got[i]) : got[i] == float(y)) << x[i] << " gives " << got[i];
      else
        ASSERT_LE(std::abs(got[i] - y), most * std::max(1.0, std::abs(y))) << x[i] << " gives " << got[i];
    }
  }

  /// Checks exact results, including the sign of zeros.
  void expectExactly(const std::string &op, const std::vector<std::pair<float, float>> &pairs) {
    Floats x(1024, 0);
    for (size_t i = 0; i < pairs.size(); ++i)
      x[i] = pairs[i].first;
    Floats y = apply(op, x);
    for (size_t i = 0; i < pairs.size(); ++i)
      EXPECT_TRUE(std::isnan(pairs[i].second) ? std::isnan(y[i])
                                              : words<float>({y[i]}) == words<float>({pairs[i].second}))
          << op << " of " << pairs[i].first << " gives " << y[i];
  }

  const float infinity = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
};

double limitAt(double x, double y) { return std::isinf(x) ? std::max(x, 0.0) : y; }

TEST_F(ActivationTest, Everywhere) {
  Floats x = everywhere();
  expectClose(x, apply("tanh %x", x), [](double v) { return std::tanh(v); }, 1e-7);
  expectClose(x, apply("relu %x", x), [](double v) { return v < 0 ? 0 : v; }, 0);
  expectClose(
      x, apply("gelu %x", x), [](double v) { return limitAt(v, v / 2 * std::erfc(-v / std::numbers::sqrt2)); }, 2e-7);
  expectClose(
      x, apply("gelu %x {tanh}", x),
      [](double v) {
        double t = std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v);
        return limitAt(v, v / (1 + std::exp(-2 * t)));
      },
      2e-7);
}

TEST_F(ActivationTest, Exactly) {
  float tiny = 1e-40f, huge = 3e38f;
  expectExactly("tanh %x", {{0.f, 0.f},
                            {-0.f, -0.f},
                            {tiny, tiny},
                            {-tiny, -tiny},
                            {infinity, 1},
                            {-infinity, -1},
                            {huge, 1},
                            {-huge, -1},
                            {20, 1},
                            {none, none}});
  expectExactly("relu %x",
                {{0.f, 0.f}, {-0.f, -0.f}, {-tiny, 0.f}, {infinity, infinity}, {-infinity, 0.f}, {none, none}});
  for (const char *op : {"gelu %x", "gelu %x {tanh}"})
    expectExactly(op, {{0.f, 0.f},
                       {-0.f, -0.f},
                       {infinity, infinity},
                       {-infinity, -0.f},
                       {huge, huge},
                       {-huge, -0.f},
                       {20, 20},
                       {none, none}});
}

} // namespace
} // namespace nstf
