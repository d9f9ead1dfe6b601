// Every architecture, compiled and run on the emulator, gives the numbers of Hugging Face's transformers, and the same
// ones for a prompt in one step, in chunks and token by token.
#include "test/models/EmulatedModel.h"
#include "test/models/Fixture.h"

#include <cstdio>

using namespace nstf;
using namespace nstf::test;
using nlohmann::json;

namespace {

class ArchitectureTest : public EmulatedModel, public ::testing::WithParamInterface<std::string> {
protected:
  void expectOutput(const std::string &name, const json &wanted, const std::string &what, size_t step = 1) {
    std::vector<double> numbers = Fixture::flatten(wanted);
    double error = distance(name, numbers, step), allowed = fixtureTolerance;
    if (options.precision == Precision::F16) // a few units in the last place of the max
      for (double number : numbers)
        allowed = std::max(allowed, std::abs(number) * 0x1p-8);
    EXPECT_LE(error, allowed) << name << ", " << what;
    worst = std::max(worst, error);
  }

  void checkEncoder(const json &run) {
    std::vector<int32_t> ids = run["ids"];
    session->reset();
    setIds("ids", ids);
    setIds("token_types", run["token_types"]);
    session->run(ids.size());
    for (const char *name : {"hidden", "embedding", "pooled"})
      if (run.contains(name))
        expectOutput(name, run[name], std::to_string(ids.size()) + " tokens");
  }

  /// The logits of every step are those of its last position, however the prompt is divided.
  void checkDecoder(const json &run, size_t columns) {
    std::vector<int32_t> ids = run["ids"];
    for (size_t chunk : {ids.size(), size_t(1), size_t(5), size_t(17)}) {
      session->reset();
      for (size_t start = 0; start < ids.size(); start += chunk) {
        size_t end = std::min(start + chunk, ids.size());
        setIds("ids", {ids.begin() + start, ids.begin() + end});
        session->run(end - start);
        expectOutput("logits", run["logits"][end - 1],
                     "position " + std::to_string(end - 1) + " in steps of " + std::to_string(chunk), columns);
      }
    }
  }

  void checkFixture();

  double worst = 0;
};

void ArchitectureTest::checkFixture() {
  Fixture fixture(GetParam());
  fixture.write(folder / "model");
  options.architectures = fixture.architectures();
  if (fixture.context())
    options.context = fixture.context();
  compileModel(folder / "model");
  if (HasFatalFailure())
    return;
  for (const json &run : fixture.expected["runs"])
    fixture.isEncoder() ? checkEncoder(run) : checkDecoder(run, fixture.columns());
  std::printf("%s on %s in %s: largest error %.3g\n", GetParam().c_str(), options.targets.front().c_str(),
              getName(*options.precision).data(), worst);
}

TEST_P(ArchitectureTest, Numbers) { checkFixture(); }

TEST_P(ArchitectureTest, NumbersWithOperandsInF16) {
  options.precision = Precision::F16;
  checkFixture();
}

INSTANTIATE_TEST_SUITE_P(Models, ArchitectureTest, ::testing::ValuesIn(fixtureNames()), fixtureTestName);

} // namespace
