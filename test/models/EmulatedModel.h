// A model compiled for one chip and run on the emulator. A process emulates a single chip, which NSTF_TEST_TARGET
// selects (CMakeLists.txt runs both).
#pragma once

#include "nstf/Session.h"
#include "test/compiler/driver/KernelTest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace nstf::test {

class EmulatedModel : public KernelTest {
protected:
  EmulatedModel() {
    const char *target = std::getenv("NSTF_TEST_TARGET");
    options.targets = {target ? target : "gfx942"};
    options.weights = manifest::WeightsMode::Pack;
    options.precision = Precision::F32;
  }

  void compileModel(const std::filesystem::path &input) {
    options.input = input.string();
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
    std::vector<std::byte> bytes(ids.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), ids.data(), bytes.size());
    session->setInput(name, {manifest::ElementType::I32, {int64_t(ids.size())}, std::move(bytes)});
  }

  /// The max difference of an output, of every `step`th element; infinite if one is NaN.
  double distance(const std::string &name, const std::vector<double> &wanted, size_t step = 1) {
    runtime::HostTensor output = session->output(name);
    size_t compared = (output.elements() + step - 1) / step;
    EXPECT_EQ(compared, wanted.size()) << name;
    double largest = compared == wanted.size() ? 0 : INFINITY;
    for (size_t i = 0; i < wanted.size() && largest < INFINITY; ++i) {
      double difference = std::abs(output.as<float>()[i * step] - wanted[i]);
      largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    }
    return largest;
  }

  std::optional<runtime::Session> session;
};

} // namespace nstf::test
