// What makes a package an encoder, and pooling on the host. Encoders run in test/tools/nstf-run/encoder.test and
// test/models/MinilmTest.cpp.
#include "nstf/Encoder.h"
#include "test/runtime/model/GoodManifest.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

using namespace nstf;
using namespace nstf::runtime;
using manifest::ElementType;
using testing::HasSubstr;

namespace {

HostTensor matrix(int64_t rows, int64_t columns, std::vector<float> values) {
  HostTensor tensor{ElementType::F32, {rows, columns}, {}};
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

std::vector<float> numbers(const HostTensor &tensor) {
  return {tensor.as<float>(), tensor.as<float>() + tensor.elements()};
}

TEST(Encoder, PoolsRows) {
  HostTensor pooled = poolRows(matrix(2, 2, {6, 0, 0, 8}));
  EXPECT_EQ(pooled.shape, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(numbers(pooled), (std::vector<float>{0.6f, 0.8f}));
  EXPECT_EQ(numbers(poolRows(matrix(1, 3, {0, -5, 0}))), (std::vector<float>{0, -1, 0}));
  EXPECT_EQ(numbers(poolRows(matrix(2, 2, {1, 2, -1, -2}))), (std::vector<float>{0, 0})); // no division by zero
  // The sums are in float64, so that small numbers beside large ones are not lost.
  EXPECT_EQ(numbers(poolRows(matrix(3, 2, {1e8f, 0, 1, 3, -1e8f, 0}))), numbers(poolRows(matrix(1, 2, {1, 3}))));
}

TEST(Encoder, AnEmbeddingIsFinite) {
  checkFinite(matrix(1, 2, {-1e38f, 0}), "an embedding");
  EXPECT_THAT(
      [] { checkFinite(matrix(1, 3, {0, NAN, INFINITY}), "an embedding"); },
      testing::ThrowsMessage<std::runtime_error>("expected an embedding of finite numbers but number 1 is NaN"));
  EXPECT_THAT([] { checkFinite(matrix(1, 2, {0, -INFINITY}), "it"); },
              testing::ThrowsMessage<std::runtime_error>("expected it of finite numbers but number 1 is infinite"));
}

TEST(Encoder, KnowsOneWhenItSeesOne) {
  manifest::Manifest text = manifest::parseManifest(test::sealed(test::goodManifest()).dump(), "m.json");
  EXPECT_THAT(Encoder::reasonAgainst(text), HasSubstr("keeps a state (\"cache\")"));
  manifest::Manifest encoder = text;
  std::erase_if(encoder.buffers, [](const manifest::Buffer &b) { return b.kind == manifest::BufferKind::State; });
  EXPECT_THAT(Encoder::reasonAgainst(encoder), HasSubstr("neither an output \"hidden\""));
  encoder.outputs[0].name = "hidden";
  EXPECT_THAT(Encoder::reasonAgainst(encoder), HasSubstr("neither an output \"hidden\"")); // it has only one row
  encoder.outputs[0].shape.dimensions = {manifest::Shape::tokensDimension, 32};
  EXPECT_EQ(Encoder::reasonAgainst(encoder), "");
  EXPECT_TRUE(Encoder::accepts(encoder));
  encoder.outputs[0].name = "embedding";
  EXPECT_THAT(Encoder::reasonAgainst(encoder), HasSubstr("\"embedding\", f32 [1, n]"));
  encoder.outputs[0].shape.dimensions = {1, 32};
  EXPECT_EQ(Encoder::reasonAgainst(encoder), "");
  encoder.inputs.push_back(encoder.inputs.front());
  encoder.inputs.back().name = "token_types";
  EXPECT_EQ(Encoder::reasonAgainst(encoder), "");
  encoder.inputs.back().name = "mask";
  EXPECT_THAT(Encoder::reasonAgainst(encoder), HasSubstr("an input \"mask\", which is neither ids nor token_types"));
  encoder.inputs.pop_back();
  encoder.inputs[0].type = ElementType::F32;
  EXPECT_THAT(Encoder::reasonAgainst(encoder), HasSubstr("no input \"ids\", i32 [tokens]"));
}

} // namespace
