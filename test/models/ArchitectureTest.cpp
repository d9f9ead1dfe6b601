// Every architecture compiled and run on the emulator gives the numbers of Hugging Face's transformers; a prompt in one
// step, in pieces and token by token the same.
//
// The emulator is one chip for the life of a process: NSTF_TEST_TARGET says which (CMakeLists.txt runs both).
#include "nstf/Session.h"
#include "test/compiler/driver/KernelTest.h"
#include "test/models/Fixture.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace nstf;
using namespace nstf::test;
using nlohmann::json;

namespace {

class ArchitectureTest : public KernelTest, public ::testing::WithParamInterface<std::string> {
protected:
  ArchitectureTest() {
    const char *target = std::getenv("NSTF_TEST_TARGET");
    options.targets = {target ? target : "gfx942"};
  }

  void compileFixture(const Fixture &fixture) {
    fixture.write(folder / "model");
    options.input = (folder / "model").string();
    options.weights = manifest::WeightsMode::Pack;
    options.architectures = fixture.architectures();
    if (fixture.context())
      options.context = fixture.context();
    compilation = std::make_unique<Compilation>(*context, options, root);
    ASSERT_TRUE(succeeded(compilation->run(Stage::Package)));
    compilation->writePackage(package());
    expectNoSpills();
    runtime::SessionOptions session;
    session.device = DeviceKind::Emulator;
    session.target = options.targets.front();
    this->session.emplace(runtime::Session::open(package(), session));
  }

  void setIds(const std::string &name, const std::vector<int32_t> &ids) {
    runtime::HostTensor tensor{
        manifest::ElementType::I32, {int64_t(ids.size())}, std::vector<std::byte>(ids.size() * 4)};
    std::memcpy(tensor.data.data(), ids.data(), tensor.data.size());
    session->setInput(name, tensor);
  }

  /// The last row of `name` against one row, or all of it against several.
  void expectOutput(const std::string &name, const json &wanted, const std::string &what) {
    std::vector<double> numbers;
    for (const json &row : wanted)
      if (row.is_array())
        numbers.insert(numbers.end(), row.begin(), row.end());
      else
        numbers.push_back(row);
    runtime::HostTensor output = session->output(name);
    ASSERT_EQ(output.elements(), numbers.size()) << what;
    double error = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      double difference = std::abs(output.as<float>()[i] - numbers[i]);
      error = std::isnan(difference) ? INFINITY : std::max(error, difference);
    }
    EXPECT_LE(error, fixtureTolerance) << what;
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
        expectOutput(name, run[name], std::string(name) + " of " + std::to_string(ids.size()) + " tokens");
  }

  /// Every step's logits are those of its last position, however the prompt is cut.
  void checkDecoder(const json &run) {
    std::vector<int32_t> ids = run["ids"];
    for (size_t chunk : {ids.size(), size_t(1), size_t(5), size_t(17)}) {
      session->reset();
      for (size_t start = 0; start < ids.size(); start += chunk) {
        size_t end = std::min(start + chunk, ids.size());
        setIds("ids", {ids.begin() + start, ids.begin() + end});
        session->run(end - start);
        expectOutput("logits", run["logits"][end - 1],
                     "position " + std::to_string(end - 1) + " in steps of " + std::to_string(chunk));
      }
    }
  }

  std::optional<runtime::Session> session;
  double worst = 0;
};

TEST_P(ArchitectureTest, numbers) {
  Fixture fixture(GetParam());
  compileFixture(fixture);
  if (HasFatalFailure())
    return;
  for (const json &run : fixture.expected["runs"])
    fixture.isEncoder() ? checkEncoder(run) : checkDecoder(run);
  std::printf("%s on %s: largest error %.3g\n", GetParam().c_str(), options.targets.front().c_str(), worst);
}

INSTANTIATE_TEST_SUITE_P(Models, ArchitectureTest, ::testing::ValuesIn(fixtureNames()), [](const auto &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
