// Random attention: head sizes, groups, windows, contexts and steps, for each type, floats and codes, and order of
// caches, with all checks of the emulator. NSTF_TEST_SEED selects the cases, NSTF_TEST_ROUNDS adds rounds.
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

  /// The tokens of each step; a new sequence begins where the context would end.
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

/// Steps of more than 16 rows, with so many keys that workgroups divide them, and with so few that only some workgroups
/// take part. Cache rows that no step wrote are read as they are, with codes up to 127 and scales up to 1; the scale of
/// the scores keeps a single key from outweighing all others.
TEST_F(KernelTest, ManyRowsBehindManyKeys) {
  struct Kind {
    Precision precision;
    const char *codes, *order;
    int64_t context, maxTokens;
    std::vector<AttentionCase> attentions;
    std::vector<std::string> targets;
  };
  for (const Kind &kind : {Kind{Precision::F16, "none", "operands", 8192, 130, {{128, 8, 2}, {16, 7, 1}}, {"gfx942"}},
                           {Precision::BF16, "none", "rows", 1200, 64, {{64, 2, 2}, {256, 2, 1}}, {"gfx90a"}},
                           {Precision::BF16, "none", "operands", 1200, 40, {{96, 3, 1, 700}}, {"gfx942", "gfx90a"}},
                           {Precision::BF16, "i8", "operands", 8192, 70, {{128, 4, 1}}, {"gfx90a"}},
                           {Precision::F16, "i8", "rows", 1200, 64, {{128, 8, 2}, {256, 2, 1}}, {"gfx942"}},
                           {Precision::BF16, "e4m3fnuz", "operands", 1200, 40, {{128, 8, 2}}, {"gfx942"}}}) {
    SCOPED_TRACE("context " + std::to_string(kind.context) + ", codes " + kind.codes + ", " + kind.order);
    GraphText graph(kind.context);
    for (const AttentionCase &attention : kind.attentions)
      addCached(graph, attention, kind.context, kind.codes == std::string("none") ? 4 : 4.0 / 127);
    options.precision = kind.precision;
    options.kvCache = kind.codes;
    options.targets = kind.targets;
    options.kvOrder = kind.order;
    options.maxTokens = kind.maxTokens;
    check(graph, {{{kind.maxTokens, kind.context - kind.maxTokens}, {kind.maxTokens, 0}, {17, 300}, 1, 16}, {}});
  }
}

} // namespace
