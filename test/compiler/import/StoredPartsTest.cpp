// Weights that are parts of stored tensors, or stored in another shape: the places of their bytes, and the error line
// of every invalid part.
#include "compiler/import/YamlGraph.h"

#include "compiler/description/StoredPart.h"
#include "test/compiler/import/ImportTest.h"

using namespace nstf;
using namespace nstf::description;
using namespace nstf::import;
using namespace nstf::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class StoredPartsTest : public ImportTest {
protected:
  /// A graph with this weight `w` of rows of 4 (on line 6), from a file with t [12, 4], flipped [4, 3] and vector [12].
  std::string withWeight(const std::string &weight, const std::string &extra = "") {
    writeTensors("c.safetensors", {{"t", {12, 4}}, {"flipped", {4, 3}}, {"vector", {12}}});
    std::string file = write("graph.yaml", "name: g\ncontext: 8\ncheckpoint: c.safetensors\ninputs: {x: [tokens, 4]}\n"
                                           "weights:\n  w: " +
                                               weight + "\n" + extra +
                                               "nodes: {y: {op: linear, operands: [x, w]}}\noutputs: {y: y}\n");
    return printed([&](mlir::MLIRContext *context) { return importYamlGraph(file, context); });
  }
};

TEST_F(StoredPartsTest, Places) {
  // Tensors are in the order of their names: flipped (48 bytes), t (192), vector.
  std::string whole = withWeight("{shape: [12, 4], tensor: t}");
  size_t start = std::stoul(whole.substr(whole.find("offset = ") + 9));
  auto at = [&](size_t offset) { return "offset = " + std::to_string(start + offset) + ", type = f32"; };
  EXPECT_THAT(whole, HasSubstr(at(0) + ">"));
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: t, stored: [12, 4], slice: {axis: 0, from: 6, count: 3}}"),
              HasSubstr("tensor<3x4xf32> from <\"c.safetensors\", " + at(96) + ">"));
  EXPECT_THAT(
      withWeight("{shape: [6, 4], tensor: t, stored: [2, 2, 3, 4], slice: {axis: 1, from: 1, count: 1}}"),
      HasSubstr("tensor<6x4xf32> from <\"c.safetensors\", " + at(48) + ", sizes = [2, 12], strides = [24, 1]>"));
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: flipped, transposed: true}"),
              HasSubstr("tensor<3x4xf32> from <\"c.safetensors\", offset = " + std::to_string(start - 48) +
                        ", type = f32, sizes = [3, 4], strides = [1, 3]>"));
  EXPECT_THAT(withWeight("{shape: [2, 4], tensor: flipped, stored: [4, 3], slice: {axis: 1, from: 1, count: 2}, "
                         "transposed: true}"),
              HasSubstr("offset = " + std::to_string(start - 44) + ", type = f32, sizes = [2, 4], strides = [1, 3]>"));
}

TEST_F(StoredPartsTest, SeveralNamesAndAPrefixThatMayLack) {
  EXPECT_THAT(withWeight("{shape: [12, 4], tensor: [new, t]}"), HasSubstr("tensor<12x4xf32> from <\"c.safetensors\""));
  EXPECT_THAT(withWeight("{shape: [12, 4], tensor: [new, newer]}"), HasSubstr("tensor 'new' is missing ("));
  EXPECT_THAT(withWeight("{shape: [12, 4], tensor: model.t}", "optional_prefix: \"model.\"\n"),
              HasSubstr("tensor<12x4xf32> from <\"c.safetensors\""));
  EXPECT_THAT(withWeight("{shape: [12, 4], tensor: other.t}", "optional_prefix: \"model.\"\n"),
              HasSubstr("tensor 'other.t' is missing ("));
}

TEST_F(StoredPartsTest, WhatIsStoredMustBeThere) {
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: t, stored: [9, 4], slice: {axis: 0, from: 6, count: 3}}"),
              HasSubstr("tensor 't': expected shape [9, 4] ('" + path("graph.yaml") + "') but got [12, 4]"));
  EXPECT_THAT(withWeight("{shape: [6, 4], tensor: t, stored: [2, 2, 4, 3], slice: {axis: 1, from: 1, count: 1}}"),
              HasSubstr("'w': expected a stored part of shape [6, 4] but got [2, 1, 4, 3]"));
  // Without `stored`, the tensor must have the weight's shape.
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: vector}"), HasSubstr("expected shape [3, 4] ("));
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: vector, stored: [3, 4]}"), HasSubstr("tensor<3x4xf32> from"));
}

TEST_F(StoredPartsTest, Faults) {
  auto slice = [&](const std::string &text) {
    return withWeight("{shape: [3, 4], tensor: t, stored: [12, 4], slice: " + text + "}");
  };
  EXPECT_THAT(slice("{axis: 2, from: 0, count: 3}"),
              StartsWith("graph.yaml:6:57: 'w': expected the axis of a slice to be less than 2 but got 2"));
  EXPECT_THAT(slice("{axis: 0, from: 10, count: 3}"),
              StartsWith("graph.yaml:6:57: 'w': expected a slice of the 12 indices of axis 0 but got 3 from 10 on"));
  EXPECT_THAT(slice("{axis: 0, from: 9223372036854775807, count: 3}"),
              HasSubstr("but got 3 from 9223372036854775807 on"));
  EXPECT_THAT(slice("{axis: 0, from: -1, count: 3}"),
              HasSubstr("expected the start of the slice of 'w' to be a whole number of at least 0 but got -1"));
  EXPECT_THAT(slice("{axis: 0, from: 0, count: 0}"),
              HasSubstr("expected the count of the slice of 'w' to be a whole number of at least 1 but got 0"));
  EXPECT_THAT(slice("{axis: 0, from: 0, count: 4}"),
              StartsWith("graph.yaml:6:3: 'w': expected a stored part of shape [3, 4] but got [4, 4]"));
  EXPECT_THAT(slice("{axis: 0, from: 0}"), HasSubstr("expected the key 'count' with a number but got none"));
  EXPECT_THAT(slice("{axis: 0, from: 0, to: 3}"), HasSubstr("expected one of the keys axis, from, count but got 'to'"));
  EXPECT_THAT(withWeight("{shape: [3, 4], slice: {axis: 0, from: 0, count: 3}}"),
              HasSubstr("expected a slice beside a stored shape only"));
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: t, stored: [3, 2, 2], transposed: true}"),
              HasSubstr("expected two extents of what is transposed but got [3, 2, 2]"));
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: t, transposed: perhaps}"),
              HasSubstr("expected transposed of weight 'w', true or false, but got 'perhaps'"));
  EXPECT_THAT(withWeight("{shape: [3, 4], tensor: t, stored: [4294967296, 4294967296]}"),
              HasSubstr("has more elements than can be counted"));
}

TEST_F(StoredPartsTest, NeighboursGroup) {
  EXPECT_TRUE(groupsInto({4, 3, 5}, {12, 5}));
  EXPECT_TRUE(groupsInto({4, 1, 3, 5}, {4, 15}));
  EXPECT_TRUE(groupsInto({6, 1}, {6}));
  EXPECT_FALSE(groupsInto({4, 3, 5}, {3, 20}));
  EXPECT_FALSE(groupsInto({4, 3}, {12, 2}));
  EXPECT_FALSE(groupsInto({4, 3, 2}, {12}));
}

} // namespace
