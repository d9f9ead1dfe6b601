// Packages on the emulator: single steps, states, weights of every origin, the observer, and what is refused. Clang
// makes the code object; only the expected numbers depend on what the kernels compute.
#include "test/runtime/model/SessionTest.h"
#include "nstf/RandomWeights.h"
#include "support/Sha256.h"
#include "test/runtime/model/ManifestEdits.h"

using namespace nstf;
using namespace nstf::test;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace {

HostTensor idsTensor(const Ids &ids) {
  HostTensor tensor{manifest::ElementType::I32, {int64_t(ids.size())}, {}};
  auto bytes = std::as_bytes(std::span(ids));
  tensor.data.assign(bytes.begin(), bytes.end());
  return tensor;
}

TEST_F(SessionTest, ResetZeroesTheState) {
  Session session = open();
  std::vector<int32_t> cache(16, -1);
  auto read = [&] { session.readBuffer("cache", 0, std::as_writable_bytes(std::span(cache))); };
  read();
  EXPECT_EQ(cache, Ids(16, 0)); // also at the start
  session.setInput("ids", idsTensor({3, 4}));
  session.run(2);
  read();
  EXPECT_EQ(cache[1], test::tableValue(4));
  session.reset();
  read();
  EXPECT_EQ(cache, Ids(16, 0));
  EXPECT_EQ(session.position(), 0);
}

TEST_F(SessionTest, GoesOnBehindAGivenState) {
  // Puts the state after a run of three tokens into another session.
  Ids cache(16, 0);
  for (int i = 0; i < 3; ++i)
    cache[i] = test::tableValue(i + 3);
  auto bytes = std::as_bytes(std::span(cache));
  HostTensor value{manifest::ElementType::I32, {16, 1}, {bytes.begin(), bytes.end()}};
  Session session = open();
  session.setState("cache", value);
  session.seek(3);
  EXPECT_EQ(session.position(), 3);
  session.setInput("ids", idsTensor({6}));
  session.run(1);
  EXPECT_EQ(session.position(), 4);
  EXPECT_EQ(*session.output("next").as<int32_t>(), test::expectedTokens({3, 4, 5, 6}, 1).back());

  EXPECT_THAT([&] { session.seek(16); }, ThrowsMessage<std::runtime_error>(HasSubstr("from 0 to 15")));
  EXPECT_THAT([&] { session.seek(-1); }, ThrowsMessage<std::runtime_error>(HasSubstr("but got -1")));
  EXPECT_THAT([&] { session.setState("weights", value); },
              ThrowsMessage<std::runtime_error>(HasSubstr("the name of a state of the package but got \"weights\"")));
  value.shape = {8, 1};
  value.data.resize(32);
  EXPECT_THAT([&] { session.setState("cache", value); },
              ThrowsMessage<std::runtime_error>(HasSubstr("to be [16, 1] i32 but got [8, 1] i32")));
}

TEST_F(SessionTest, StepsByHand) {
  Session session = open();
  EXPECT_THAT([&] { session.output("logits"); }, ThrowsMessage<std::runtime_error>(HasSubstr("but there was none")));
  EXPECT_THAT([&] { session.run(1); }, ThrowsMessage<std::runtime_error>(HasSubstr("a value for input \"ids\"")));
  EXPECT_THAT([&] { session.setInput("x", {}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("inputs (ids [tokens] i32) but got \"x\"")));
  EXPECT_THAT([&] { session.setInput("ids", {manifest::ElementType::F32, {1}, std::vector<std::byte>(4)}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("to be [tokens] i32 but got [1] f32")));
  EXPECT_THAT([&] { session.setInput("ids", idsTensor({1, 2, 3, 4, 5})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("compiled for (1, 2-4) but got 5")));
  EXPECT_THAT([&] { session.setInput("ids", idsTensor({1, 99})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("but got 99")));
  session.setInput("ids", idsTensor({1, 2}));
  EXPECT_THAT([&] { session.run(3); }, ThrowsMessage<std::runtime_error>(HasSubstr("3 rows but got 2")));
  session.run(2);
  EXPECT_EQ(*session.output("next").as<int32_t>(), test::expectedTokens({1, 2}, 1).back());
  EXPECT_EQ(session.output("logits").shape, (std::vector<int64_t>{1, 32}));
  EXPECT_THAT([&] { session.output("y"); }, ThrowsMessage<std::runtime_error>(HasSubstr("logits [1, 32] f32, next")));
  for (int i = 0; i < 7; ++i)
    session.run(2);
  EXPECT_THAT([&] { session.run(2); },
              ThrowsMessage<std::runtime_error>(HasSubstr("at most 16 positions, the model's context, but 16 and 2")));
  std::byte byte;
  EXPECT_THROW(session.readBuffer("weights", 256, {&byte, 1}), std::runtime_error);
  EXPECT_THROW(session.readBuffer("nothing", 0, {&byte, 1}), std::runtime_error);
}

TEST_F(SessionTest, ObserverSeesEveryLaunch) {
  Session session = open();
  session.setInput("ids", idsTensor({6, 7}));
  std::vector<std::string> seen;
  int sum = test::tableValue(6) + test::tableValue(7);
  session.runSteps(2, [&](const LaunchView &view) {
    seen.push_back(view.step().name);
    EXPECT_EQ(view.tokens(), 2);
    EXPECT_EQ(view.position(), 0);
    EXPECT_EQ(view.index(), seen.size() - 1);
    if (view.step().name == "append") {
      EXPECT_EQ(view.read(1).shape, (std::vector<int64_t>{2})); // ids for two tokens
      EXPECT_EQ(view.read(3).as<int32_t>()[1], test::tableValue(7));
    } else {
      EXPECT_EQ(view.kernel().symbol, "score");
      EXPECT_EQ(view.read(2).as<int32_t>()[31], sum); // in the arena
      EXPECT_EQ(view.read(4).as<int32_t>()[0], sum & 31);
    }
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"append", "score"}));
  EXPECT_EQ(session.position(), 2);
  EXPECT_EQ(*session.output("next").as<int32_t>(), sum & 31);
}

TEST_F(SessionTest, PackedWeightsAreConverted) {
  std::vector<float> values = getWeights(open());
  for (int token = 0; token < 32; ++token)
    EXPECT_EQ(values[token], test::tableValue(token));
  EXPECT_EQ(std::vector<float>(values.begin() + 32, values.begin() + 40),
            (std::vector<float>{0, 0.5f, 1, 1.5f, 2, -1, 65504, 0x1p-24f}));
  EXPECT_EQ(values[40], 0.0f); // past the end of the last tensor
}

TEST_F(SessionTest, ReferencedWeightsAreCheckedByHash) {
  test::TemporaryFolder elsewhere;
  std::filesystem::path file = elsewhere.write("model.safetensors", test::toyWeights());
  json changed = manifest;
  changed["weights"]["mode"] = "reference";
  for (json &tensor : changed["weights"]["tensors"])
    tensor["source"]["file"] = file.string();
  EXPECT_EQ(getWeights(open(changed))[4], test::tableValue(4));
  std::string edited = test::toyWeights();
  edited[5] ^= 1;
  elsewhere.write("model.safetensors", edited);
  EXPECT_THAT(openError(changed), HasSubstr("expected \"table\" with SHA-256"));
  SessionOptions trusting;
  trusting.checkHashes = false;
  EXPECT_EQ(openError(changed, trusting), "no error");
  elsewhere.write("model.safetensors", edited.substr(0, 140));
  EXPECT_THAT(openError(changed), HasSubstr("expected 16 bytes of \"bias\" at offset 128 but the file has 140"));
  std::filesystem::remove(file);
  EXPECT_EQ(openError(changed), file.string() + ": No such file or directory");
}

TEST_F(SessionTest, RandomWeightsAreTheSeedsAlone) {
  json changed = manifest;
  changed["weights"]["mode"] = "random";
  changed["weights"]["seed"] = 7;
  changed["weights"]["tensors"][0].erase("source");
  std::vector<float> values = getWeights(open(changed));
  const int64_t shape[] = {32, 1};
  RandomWeights expected(7, "table", shape, 2);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(values[i], expected(i));
  EXPECT_EQ(values[34], 1.0f); // tensors with a source are read
  SessionOptions other;
  other.seed = 8;
  EXPECT_NE(getWeights(open(changed, other))[0], values[0]);
}

TEST_F(SessionTest, AbsentWeightsAreAskedFor) {
  json changed = manifest;
  changed["weights"]["mode"] = "none";
  for (json &tensor : changed["weights"]["tensors"])
    tensor.erase("source");
  EXPECT_THAT(openError(changed), HasSubstr("give them with --weights=FILE.safetensors"));
  std::string header = R"({"bias": {"dtype": "F16", "shape": [8], "data_offsets": [128, 144]},
                          "table": {"dtype": "F32", "shape": [32, 1], "data_offsets": [0, 128]}})";
  std::string bytes = test::getBytes(uint64_t(header.size())) + header + test::toyWeights();
  SessionOptions options;
  options.weights = {folder.write("w.safetensors", bytes)};
  EXPECT_EQ(getWeights(open(changed, options))[4], test::tableValue(4));
  std::string wrong = bytes;
  wrong.replace(wrong.find("[8]"), 3, "[4]").replace(wrong.find("144"), 3, "136");
  folder.write("w.safetensors", wrong);
  EXPECT_THAT(openError(changed, options), HasSubstr("expected \"bias\" to be [8] f32 but got [4] f16"));
  wrong = bytes;
  wrong.replace(wrong.find("bias"), 4, "bios");
  folder.write("w.safetensors", wrong);
  EXPECT_THAT(openError(changed, options), HasSubstr("expected a tensor \"bias\" of [8] but there is none"));
}

TEST_F(SessionTest, ManifestAgainstCodeObject) {
  json changed = manifest;
  changed["targets"][0]["kernels"][1]["symbol"] = "scores";
  for (json &bucket : changed["targets"][0]["buckets"])
    bucket["steps"][1]["kernel"] = "scores";
  EXPECT_THAT(openError(changed), HasSubstr("scores"));
  changed = manifest;
  changed["targets"][0]["sha256"] = std::string(64, '0');
  EXPECT_THAT(openError(changed), HasSubstr("expected the code object with SHA-256 0000"));
  folder.write("kernels.gfx942.hsaco", "no code object");
  changed["targets"][0]["sha256"] = support::sha256Hex("no code object");
  EXPECT_THAT(openError(changed), HasSubstr("kernels.gfx942.hsaco"));
  std::filesystem::remove(folder / "kernels.gfx942.hsaco");
  EXPECT_THAT(openError(changed), HasSubstr("kernels.gfx942.hsaco: No such file"));
}

TEST_F(SessionTest, HugeBuffersAreRefused) {
  json changed = manifest;
  changed["buffers"][1]["size"] = int64_t(1) << 48;
  EXPECT_THAT(openError(changed), HasSubstr("needs 281474976711188 bytes of device memory but"));
}

// A manifest that the reader accepts may still be wrong: then the device or the runtime refuses it, or the model
// computes something else. Nothing crashes and nothing accesses memory outside the package, which would be a fault in
// the emulator.
TEST_F(SessionTest, HarmlessEditsDoNoHarm) {
  int ran = 0, refused = 0, readerRefused = 0; // refused: after the reader
  test::forEachEdit(manifest, [&](const json &document, const std::string &edit) {
    // Skips sizes of billions of workgroups or of gigabytes, which are valid and only slow.
    if (edit.find("/grid/") != std::string::npos || (edit.find("/size") != std::string::npos && edit.size() > 24))
      return;
    try {
      manifest::parseManifest(test::sealed(document).dump(), "m.json");
    } catch (const std::runtime_error &) {
      ++readerRefused;
      return;
    }
    try {
      Session session = open(document);
      GenerateOptions options;
      options.tokens = 3;
      Generator(session).generate(Ids{1, 5, 9}, options);
      ++ran;
    } catch (const std::runtime_error &error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find("outside every allocation"), std::string::npos) << edit << error.what();
    }
  });
  std::cerr << readerRefused << " edits refused by the reader, " << refused << " later, " << ran << " ran\n";
  EXPECT_GT(ran, 100);
  EXPECT_GT(refused, 100);
}

TEST_F(SessionTest, OtherTargetThanThePackages) {
  SessionOptions options;
  options.target = "gfx90a";
  EXPECT_THAT(openError(manifest, options), HasSubstr("targets (gfx942) but got \"gfx90a\""));
}

} // namespace
