// Attention at random: head sizes, groups, windows, contexts and steps, in each type, of numbers and of codes, and
// order of caches, with all checks of the emulator. NSTF_TEST_SEED says which, NSTF_TEST_ROUNDS how many times more.
#include "test/compiler/driver/AttentionText.h"
#include "test/compiler/driver/KernelTest.h"

#include <cstdlib>

using namespace nstf;
using namespace nstf::test;

namespace {

int64_t fromEnvironment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

class Cases {
public:
  explicit Cases(int64_t seed) : random(unsigned(seed)) {}

  int64_t pick(const std::vector<int64_t> &of) { return of[random() % of.size()]; }
  int64_t upTo(int64_t last) { return 1 + random() % last; }

  AttentionCase attention(int64_t context) {
    int64_t kvHeads = pick({1, 1, 2, 3}), group = pick({1, 2, 3, 4, 7});
    int64_t window = random() % 3 ? 0 : upTo(context + 5);
    return {pick({8, 38, 64, 80, 90, 96, 112, 128, 256}), kvHeads * group, kvHeads, window};
  }

  /// Tokens of each step; where the context would end a new sequence begins.
  std::vector<VerifyStep> steps(int64_t context, int64_t maxTokens) {
    std::vector<VerifyStep> steps = {1, maxTokens, 16, 17, {1, context - 1}};
    while (steps.size() < 9)
      steps.emplace_back(upTo(maxTokens));
    return steps;
  }

private:
  std::mt19937 random;
};

TEST_F(KernelTest, AttentionAtRandom) {
  const int64_t seed = fromEnvironment("NSTF_TEST_SEED", 28), rounds = fromEnvironment("NSTF_TEST_ROUNDS", 1);
  Cases cases(seed);
  options.maxTokens = 40;
  const auto all = options.targets, gfx942 = decltype(all){"gfx942"};
  for (int64_t round = 0; round < rounds; ++round)
    for (auto [precision, codes] : {std::pair(Precision::F32, "none"),
                                    {Precision::F16, "none"},
                                    {Precision::BF16, "none"},
                                    {Precision::F16, "i8"},
                                    {Precision::BF16, "i8"},
                                    {Precision::BF16, "e4m3fnuz"}})
      for (const char *order : {"rows", "operands"}) {
        const int64_t context = cases.pick({63, 64, 65, 130, 333, 1000, 4097});
        SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round) + ", context " +
                     std::to_string(context) + ", codes " + codes + ", " + order);
        GraphText graph(context);
        for (int i = 0; i < 3; ++i)
          addCached(graph, cases.attention(context), context);
        options.precision = precision;
        options.kvCache = codes;
        options.targets = codes == std::string("e4m3fnuz") ? gfx942 : all;
        options.kvOrder = order;
        check(graph, {cases.steps(context, 40), {}});
      }
}

} // namespace
