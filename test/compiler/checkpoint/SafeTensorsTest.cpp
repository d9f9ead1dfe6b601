// The safetensors reader trusts nothing: for each rule of the format there is a file that breaks it.
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/ReadFloats.h"

#include "test/compiler/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::test;
using testing::HasSubstr;

namespace {

class SafeTensorsTest : public TestFiles {
protected:
  std::string errorOfHeader(const std::string &header, size_t dataSize) {
    std::string file = writeSafeTensors("x.safetensors", header, dataSize);
    return getError([&] { support::SafeTensorsFile opened(file); });
  }
};

TEST_F(SafeTensorsTest, ReadsNamesTypesShapesAndBytes) {
  std::string header = R"({"__metadata__":{"format":"pt"},
    "b":{"dtype":"BF16","shape":[2],"data_offsets":[24,28]},
    "a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, "s":{"dtype":"F64","shape":[],"data_offsets":[28,36]}})";
  std::string data(36, '\0');
  float six = 6;
  std::memcpy(data.data() + 20, &six, 4);
  uint16_t half = 0x3f00; // 0.5 in bfloat16
  std::memcpy(data.data() + 26, &half, 2);
  uint64_t size = header.size();
  std::string file = write("x.safetensors", std::string(reinterpret_cast<char *>(&size), 8) + header + data);

  support::SafeTensorsFile opened(file);
  ASSERT_EQ(opened.tensors().size(), 3u);
  EXPECT_EQ(opened.tensors()[0].name, "a");
  const support::StoredTensor *a = opened.find("a"), *b = opened.find("b"), *s = opened.find("s");
  ASSERT_TRUE(a && b && s);
  EXPECT_EQ(a->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(a->type, support::ElementType::F32);
  EXPECT_EQ(a->offset, 8 + header.size());
  EXPECT_EQ(s->size, 8u);
  EXPECT_EQ(opened.find("c"), nullptr);
  float values[6];
  readFloats(a->type, opened.bytes(*a).data(), 6, values);
  EXPECT_EQ(values[5], 6.0f);
  double wide[2];
  readFloats(b->type, opened.bytes(*b).data(), 2, wide);
  EXPECT_EQ(wide[1], 0.5);
}

TEST_F(SafeTensorsTest, CutOffFile) {
  EXPECT_THAT(getError([&] { support::SafeTensorsFile(write("x", "abc")); }),
              HasSubstr("8 bytes of a safetensors header length"));
  EXPECT_THAT(getError([&] { support::SafeTensorsFile(write("x", "")); }), HasSubstr("the file has 0"));
  EXPECT_THAT(
      errorOfHeader(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", 15),
      HasSubstr("tensor 'a': data_offsets [0,16] reach past the 15 bytes of data in the file (is it cut off?)"));
}

TEST_F(SafeTensorsTest, HeaderLongerThanFile) {
  std::string length = std::string("\0\x10\0\0\0\0\0\0", 8);
  EXPECT_THAT(getError([&] { support::SafeTensorsFile(write("x", length + "{}")); }),
              HasSubstr("the header is said to be 4096 bytes long but only 2 follow"));
  EXPECT_THAT(getError([&] { support::SafeTensorsFile(write("x", std::string(8, '\xff') + "{}")); }),
              HasSubstr("said to be 18446744073709551615 bytes long but only 2 follow"));
}

TEST_F(SafeTensorsTest, HeaderNotJson) {
  EXPECT_THAT(errorOfHeader(R"({"a":)", 0), HasSubstr("x.safetensors:1:6: expected JSON but got this: "));
  EXPECT_THAT(errorOfHeader("[1]", 0), HasSubstr("expected the header to be an object but got [1]"));
  EXPECT_THAT(errorOfHeader("{\"\xff\":1}", 0), HasSubstr("expected JSON but got this: "));
  EXPECT_THAT(errorOfHeader(R"({"a":7})", 0), HasSubstr("tensor 'a': expected an object with dtype"));
}

TEST_F(SafeTensorsTest, Offsets) {
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 8),
              HasSubstr("expected the begin of data_offsets to be a whole number of at least 0 but got -4"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 8),
              HasSubstr("expected data_offsets to ascend but got [4,0]"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}})", 8),
              HasSubstr("the end of data_offsets"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4.5]}})", 8), HasSubstr("4.5"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,1,2]}})", 8),
              HasSubstr("to be [begin, end] but got [0,1,2]"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8),
              HasSubstr("expected 12 bytes for f32 of shape [3] but data_offsets hold 8"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                                "b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                            8),
              HasSubstr("tensors 'a' and 'b' overlap"));
  // A tensor without elements has no bytes that could overlap.
  EXPECT_EQ(errorOfHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                              "b":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
                          8),
            "no error");
}

TEST_F(SafeTensorsTest, ShapesAndTypes) {
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", 4),
              HasSubstr("tensor 'a': unknown type \"F99\" (known: F64, F32"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4), HasSubstr("expected a field 'dtype'"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 4),
              HasSubstr("shape [4294967296, 4294967296] has more bytes than can be counted"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}})", 4),
              HasSubstr("more bytes than can be counted"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
              HasSubstr("an extent of the shape to be a whole number of at least 0 but got -1"));
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":7,"data_offsets":[0,4]}})", 4),
              HasSubstr("expected shape to be a list but got 7"));
}

TEST_F(SafeTensorsTest, DuplicateNames) {
  EXPECT_THAT(errorOfHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                                "a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                            8),
              HasSubstr("expected each key once in an object but got 'a' again"));
}

TEST_F(SafeTensorsTest, SeveralFilesThroughAnIndex) {
  writeSafeTensors("one.safetensors", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4);
  writeSafeTensors("two.safetensors", R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  std::string index = "model.safetensors.index.json";
  write(index, R"({"metadata":{},"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  Checkpoint checkpoint = Checkpoint::open(folder.string());
  EXPECT_EQ(checkpoint.size(), 2u);
  ASSERT_TRUE(checkpoint.find("b"));
  EXPECT_EQ(checkpoint.find("b").file->path(), path("two.safetensors"));
  EXPECT_FALSE(checkpoint.find("c"));

  auto open = [&] { Checkpoint::open(folder.string()); };
  write(index, R"({"weight_map":{"a":"two.safetensors","b":"two.safetensors"}})");
  EXPECT_THAT(getError(open), HasSubstr("tensor 'a' is not in 'two.safetensors', where the index says it is"));
  write(index, R"({"weight_map":{"a":"../one.safetensors"}})");
  EXPECT_THAT(getError(open), HasSubstr("expected the name of a file in the same folder"));
  write(index, R"({"weight_map":{"a":"none.safetensors"}})");
  EXPECT_THAT(getError(open), HasSubstr("beside it but there is none"));
  write(index, R"({"weights":{}})");
  EXPECT_THAT(getError(open), HasSubstr("expected an object 'weight_map'"));
}

TEST_F(SafeTensorsTest, SeveralFilesWithoutAnIndex) {
  EXPECT_THAT(getError([&] { Checkpoint::open(folder.string()); }), HasSubstr("expected a file *.safetensors"));
  writeSafeTensors("one.safetensors", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4);
  writeSafeTensors("two.safetensors", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4);
  EXPECT_THAT(getError([&] { Checkpoint::open(folder.string()); }), HasSubstr("tensor 'a' is also in"));
  EXPECT_THAT(getError([&] { Checkpoint::open(path("none.safetensors")); }), HasSubstr("No such file"));
}

TEST(ReadFloats, HalvesAreExact) {
  uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x8001, 0x03ff, 0x7bff, 0x7c00, 0x8000};
  float values[8];
  readFloats(support::ElementType::F16, reinterpret_cast<std::byte *>(halves), 8, values);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(values[2], 0x1p-24f);
  EXPECT_EQ(values[3], -0x1p-24f);
  EXPECT_EQ(values[4], 0x1.ff8p-15f);
  EXPECT_EQ(values[5], 65504.0f);
  EXPECT_TRUE(std::isinf(values[6]));
  EXPECT_TRUE(std::signbit(values[7]) && values[7] == 0);
}

TEST(ElementType, NamesAreUnique) {
  for (const char *name : {"F64", "F32", "F16", "BF16", "I8", "BOOL", "F8_E4M3"}) {
    auto type = support::elementTypeFromSafeTensors(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(support::elementTypeFromName(nameOf(*type)), type);
  }
  EXPECT_FALSE(support::elementTypeFromSafeTensors("f32"));
}

} // namespace
