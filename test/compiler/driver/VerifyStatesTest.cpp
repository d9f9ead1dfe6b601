// --verify of models whose products read codes: rounding to an adjacent code is not an error in any layer, and real
// errors are found, in the kernel that made them or in the state.
#include "test/compiler/driver/KernelTest.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <span>

using namespace nstf;
using namespace nstf::test;
using ::testing::ContainsRegex;
using ::testing::Not;

namespace {

const std::filesystem::path source(NSTF_SOURCE_DIR), stories = source / "../shared/models/stories260K/hf";

/// One row of a cache: codes, and a scale for each head.
struct Row {
  std::span<std::byte> codes;
  std::span<float> scales;
};

/// Damages a cache whose rows up to `count` are filled.
using Fault = void (*)(std::vector<Row> &rows, int64_t count);

/// Changes the smallest scale, whose error is the hardest to find.
void changeScale(std::vector<Row> &rows, int64_t count) {
  float *least = nullptr;
  for (const Row &row : std::span(rows).first(count))
    for (float &scale : row.scales)
      least = !least || scale < *least ? &scale : least;
  *least *= 1.02;
}

void exchangeCodes(std::vector<Row> &rows, int64_t) { std::ranges::swap_ranges(rows[2].codes, rows[3].codes); }

void appendLate(std::vector<Row> &rows, int64_t count) {
  for (int64_t i = count; i > 0; --i) {
    std::ranges::copy(rows[i - 1].codes, rows[i].codes.begin());
    std::ranges::copy(rows[i - 1].scales, rows[i].scales.begin());
  }
  std::ranges::fill(rows[0].codes, std::byte());
  std::ranges::fill(rows[0].scales, 0);
}

void writePast(std::vector<Row> &rows, int64_t count) { rows[count + 1].codes[3] = std::byte(1); }

struct Caches {
  const char *target, *type;
};

class VerifyStatesTest : public KernelTest, public ::testing::WithParamInterface<Caches> {
protected:
  VerifyStatesTest() {
    options.targets = {GetParam().target};
    options.kvCache = GetParam().type;
    options.quantize = "int8";
    options.activations = "i8";
    options.precision.reset();
    options.maxTokens = 16;
    options.weights = manifest::WeightsMode::Pack;
    options.input = (std::filesystem::exists(stories) ? stories : source / "examples/01-tiny-llama").string();
  }

  void SetUp() override {
    compilation = std::make_unique<Compilation>(*context, options, root);
    ASSERT_TRUE(succeeded(compilation->run(Stage::Package)));
    compilation->writePackage(package());
  }

  using Faults = std::map<std::string, Fault>; // by cache

  /// The report of a run whose caches are damaged: as soon as their rows are written, or after all launches.
  std::string verifyWith(const Faults &faults, bool atOnce) {
    auto change = [&](runtime::Session &session, const runtime::LaunchView &launch) {
      const std::vector<manifest::Step> &steps = session.target().bucketFor(launch.tokens())->steps;
      for (const auto &[cache, fault] : faults)
        if (atOnce ? writes(launch, cache) : launch.index() + 1 == steps.size())
          plant(fault, session, cache, launch.tokens());
    };
    std::ostringstream report;
    EXPECT_EQ(verify(*compilation, package(), {.steps = {4}, .changeMemory = change}, report), 1);
    return report.str();
  }

  int64_t countLayers() const {
    return llvm::count_if(compilation->getModel().getOps<StateOp>(),
                          [](StateOp state) { return state.getSymName().ends_with("v_cache"); });
  }

  static bool writes(const runtime::LaunchView &launch, const std::string &buffer) {
    const auto &buffers = launch.session().manifest().buffers;
    for (auto [place, argument] : llvm::zip_equal(launch.step().arguments, launch.kernel().arguments))
      if (buffers[place.buffer].name == buffer && argument.access != manifest::Access::Read)
        return true;
    return false;
  }

  static void plant(Fault fault, runtime::Session &session, const std::string &cache, int64_t count) {
    runtime::HostTensor codes = session.getState(cache), scales = session.getState(cache + ".scales");
    int64_t features = codes.shape[1], heads = scales.shape[1];
    std::vector<Row> rows;
    for (int64_t i = 0; i < codes.shape[0]; ++i)
      rows.push_back({{codes.data.data() + i * features, size_t(features)},
                      {reinterpret_cast<float *>(scales.data.data()) + i * heads, size_t(heads)}});
    fault(rows, count);
    session.setState(cache, codes);
    session.setState(cache + ".scales", scales);
  }
};

TEST_P(VerifyStatesTest, FindsFaults) {
  std::ostringstream sound;
  EXPECT_EQ(verify(*compilation, package(), {.steps = {16, 1}}, sound), 0) << sound.str();
  std::string last = "layers." + std::to_string(countLayers() - 1) + ".", other = "layers.1.";
  Faults faults = {{last + "v_cache", changeScale}, {last + "k_cache", exchangeCodes}, {other + "v_cache", appendLate}};
  for (const auto &fault : faults)
    EXPECT_THAT(verifyWith({fault}, /*atOnce=*/true),
                ContainsRegex("kernel [a-z0-9_]*quantize_kv_append[^\n]*PAST TOLERANCE"))
        << fault.first;
  faults[other + "k_cache"] = writePast; // a kernel's comparison covers only the rows that it appends
  std::string report = verifyWith(faults, /*atOnce=*/false);
  EXPECT_THAT(report, Not(ContainsRegex("kernel [^\n]*PAST TOLERANCE")));
  for (std::string state : {last + "v_cache.scales", last + "k_cache", other + "v_cache", other + "k_cache"})
    EXPECT_THAT(report, ContainsRegex("state " + state + ": [^\n]*PAST TOLERANCE"));
  EXPECT_THAT(report, Not(ContainsRegex("state layers.0[^\n]*PAST TOLERANCE")));
}

INSTANTIATE_TEST_SUITE_P(Caches, VerifyStatesTest,
                         ::testing::Values(Caches{"gfx942", "i8"}, Caches{"gfx90a", "i8"},
                                           Caches{"gfx942", "e4m3fnuz"}),
                         [](const auto &info) { return std::string(info.param.target) + "_" + info.param.type; });

} // namespace
