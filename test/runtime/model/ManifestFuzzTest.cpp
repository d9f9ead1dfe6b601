// Deletes every member of a good manifest and replaces it by every odd value, one at a time. The reader must either
// refuse the manifest with a message that names file and place, or return one that is safe to run: an independent check
// of the bounds passes, and JSON Schema accepts the manifest too.
#include "nstf/Manifest.h"
#include "test/runtime/model/GoodManifest.h"
#include "test/runtime/model/ManifestEdits.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace nstf;
using nlohmann::json;

namespace {

/// The size of a tensor in 128 bits, in which no product overflows.
unsigned __int128 getBytes(const manifest::Shape &shape, manifest::ElementType type, int64_t tokens) {
  unsigned __int128 bytes = manifest::sizeOf(type);
  for (int64_t dimension : shape.dimensions)
    bytes *= static_cast<unsigned __int128>(dimension == manifest::Shape::tokensDimension ? tokens : dimension);
  return bytes;
}

/// An independent check of everything a runner relies on.
void expectSafe(const manifest::Manifest &m, const std::string &edit) {
  auto inside = [&](std::size_t buffer, unsigned __int128 offset, unsigned __int128 size) {
    return buffer < m.buffers.size() && offset + size <= m.buffers[buffer].size;
  };
  EXPECT_TRUE(inside(m.control.buffer, m.control.tokens, 4)) << edit;
  EXPECT_TRUE(inside(m.control.buffer, m.control.position, 4)) << edit;
  EXPECT_NE(m.control.tokens, m.control.position) << edit;
  for (const manifest::Weight &weight : m.weights.tensors) {
    ASSERT_TRUE(m.weights.buffer) << edit;
    EXPECT_TRUE(inside(*m.weights.buffer, weight.offset, weight.size)) << edit;
    EXPECT_TRUE(getBytes(weight.shape, weight.type, 1) == weight.size) << edit;
    EXPECT_TRUE(weight.source || m.weights.mode == manifest::WeightsMode::Random ||
                m.weights.mode == manifest::WeightsMode::None)
        << edit;
  }
  ASSERT_FALSE(m.targets.empty()) << edit;
  for (const manifest::Target &target : m.targets)
    for (const manifest::Bucket &bucket : target.buckets) {
      EXPECT_LE(bucket.minTokens, bucket.maxTokens) << edit;
      for (const auto *ports : {&m.inputs, &m.outputs})
        for (const manifest::Port &port : *ports)
          EXPECT_TRUE(inside(port.buffer, 0, getBytes(port.shape, port.type, bucket.maxTokens))) << edit;
      for (const manifest::Step &step : bucket.steps) {
        ASSERT_LT(step.kernel, target.kernels.size()) << edit;
        const manifest::Kernel &kernel = target.kernels[step.kernel];
        ASSERT_EQ(step.arguments.size(), kernel.arguments.size()) << edit;
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
          const manifest::KernelArgument &argument = kernel.arguments[i];
          EXPECT_LE(argument.offset + 8u, kernel.kernargSize) << edit;
          EXPECT_TRUE(inside(step.arguments[i].buffer, step.arguments[i].offset,
                             getBytes(argument.shape, argument.type, bucket.maxTokens)))
              << edit;
        }
      }
    }
  for (const manifest::Buffer &buffer : m.buffers)
    if (buffer.kind == manifest::BufferKind::State) {
      ASSERT_TRUE(m.model.context) << edit;
      EXPECT_GE(buffer.shape->dimensions.at(0), *m.model.context) << edit;
    }
}

TEST(ManifestFuzz, EveryFieldDeletedAndAltered) {
  int refused = 0;
  std::vector<std::string> accepted;
  test::forEachEdit(test::goodManifest(), [&](const json &document, const std::string &edit) {
    std::string text = test::sealed(document).dump();
    try {
      manifest::Manifest manifest = manifest::parseManifest(text, "m.json");
      expectSafe(manifest, edit);
      accepted.push_back(std::move(text));
    } catch (const std::runtime_error &error) {
      ++refused;
      std::string message = error.what();
      EXPECT_EQ(message.rfind("m.json: $", 0), 0u) << edit << ": " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << edit << ": " << message;
      EXPECT_LT(message.size(), 500u) << edit << ": " << message;
    }
  });
  std::cerr << refused << " edits refused, " << accepted.size() << " harmless\n";
  EXPECT_GT(refused, 5000);
  ASSERT_GT(accepted.size(), 100u);
  // The schema may be more lenient than the reader but never stricter.
  if (std::system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
    GTEST_SKIP() << "the Python package jsonschema is missing: the schema is not compared with the reader";
  std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "nstf-manifests.jsonl";
  std::ofstream stream(file);
  for (const std::string &text : accepted)
    stream << text << '\n';
  stream.close();
  std::string command = "python3 " NSTF_SOURCE_DIR "/tools/scripts/validate-manifest " + file.string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(file);
}

// Flipped bytes never crash the reader, whether the text is still JSON or not. Every second text that is JSON gets a
// valid digest.
TEST(ManifestFuzz, FlippedBytes) {
  std::string good = test::sealed(test::goodManifest()).dump();
  uint64_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int flips = 0; flips < 3; ++flips) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text[(state >> 33) % text.size()] = static_cast<char>(state >> 56);
    }
    json document = i % 2 ? json::parse(text, nullptr, /*allow_exceptions=*/false) : json();
    if (document.is_object())
      text = test::sealed(document).dump(-1, ' ', false, json::error_handler_t::replace);
    try {
      expectSafe(manifest::parseManifest(text, "m.json"), text);
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(std::string(error.what()).rfind("m.json:", 0), 0u) << error.what();
    }
  }
}

TEST(ManifestFuzz, CutOff) {
  std::string good = test::goodManifest().dump();
  for (std::size_t length = 0; length < good.size(); length += 7)
    EXPECT_THROW(manifest::parseManifest(good.substr(0, length), "m.json"), std::runtime_error);
}

} // namespace
