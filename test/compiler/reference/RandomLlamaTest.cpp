// A Llama with all features that real checkpoints leave untested, compared with another implementation
// (Inputs/llama_expected.py).
#include "compiler/import/Import.h"
#include "test/compiler/reference/ReferenceTest.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace nstf;
using namespace nstf::import;
using namespace nstf::reference;
using namespace nstf::test;
using nlohmann::json;

namespace {

class RandomLlamaTest : public ReferenceTest {
protected:
  RandomLlamaTest() {
    expected = json::parse(std::ifstream(NSTF_SOURCE_DIR "/test/compiler/reference/Inputs/llama_expected.json"));
    folder = std::filesystem::temp_directory_path() / ("nstf-llama-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "config.json") << expected["config"].dump();
    ImportOptions options;
    options.needWeights = false;
    module = importModel(folder.string(), &context, options);
  }
  ~RandomLlamaTest() override { std::filesystem::remove_all(folder); }

  json expected;
  std::filesystem::path folder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(RandomLlamaTest, LogitsOfEveryPosition) {
  ASSERT_TRUE(module);
  ReferenceOptions options;
  options.randomSeed = expected["seed"].get<uint64_t>();
  ReferenceModel single(*module, options), whole(*module, options);
  std::vector<int32_t> ids = expected["ids"];
  for (size_t position = 0; position < ids.size(); ++position) {
    std::vector<double> want = expected["logits"][position];
    std::vector<double> got = single.runIds({ids[position]}, position);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], want[i], 1e-12) << "position " << position << ", logit " << i;
  }
  std::vector<double> last = expected["logits"].back(), got = whole.runIds(ids, 0);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], last[i], 1e-12) << "prefill, logit " << i;
}

} // namespace
