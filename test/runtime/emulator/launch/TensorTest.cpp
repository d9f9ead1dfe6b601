// Data files and generated numbers.
#include "runtime/emulator/launch/Tensor.h"
#include "nstf/NpyHeader.h"
#include "support/WriteFile.h"
#include "test/runtime/emulator/launch/TestFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <random>

using namespace nstf::emulator;
using nstf::emulator::test::TestFolder;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace {

std::string getBytes(const auto &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(values[0])};
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

/// The contents that an `init` generates for a buffer.
Tensor getContents(const std::string &type, const std::string &shape, const std::string &init,
                   const std::filesystem::path &folder = ".") {
  LaunchFile file = LaunchFile::readText("buffers:\n  b: {type: " + type + ", shape: " + shape + ", init: " + init +
                                             "}\nlaunches: []\n",
                                         folder / "launch.yaml");
  return makeContents(file, file.buffers[0].init, file.buffers[0], false);
}

TEST(Tensor, NpyOfEveryType) {
  TestFolder folder;
  for (ElementType type : launchTypes)
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {5}, {2, 3}, {0, 4}}) {
      uint64_t elements = 1;
      for (int64_t size : shape)
        elements *= uint64_t(size);
      std::vector<std::byte> data(elements * sizeOf(type));
      for (size_t i = 0; i < data.size(); ++i)
        data[i] = std::byte(i * 37);
      std::filesystem::path path = folder.path / "t.npy";
      nstf::support::writeFile(path, getFile(path, type, shape, data));
      Tensor back = readNpy(path, type);
      EXPECT_EQ(back.type, type);
      EXPECT_EQ(back.shape, shape);
      EXPECT_EQ(back.data, data);
    }
}

TEST(Tensor, NpyFortranOrder) {
  TestFolder folder;
  // [[0, 1, 2], [3, 4, 5]] in column-major order
  std::string header = nstf::makeNpyHeader("<i4", {2, 3});
  header.replace(header.find("False,"), 6, "True, ");
  auto path = folder.write("f.npy", header + getBytes(std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(valuesOf<int32_t>(readNpy(path)), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Tensor, NpyOfMlDtypes) {
  TestFolder folder;
  for (const char *descr : {"<V2", "|V2"}) {
    auto path = folder.write("b.npy", nstf::makeNpyHeader(descr, {1}) + std::string("\x80\x3f", 2));
    EXPECT_EQ(readNpy(path, ElementType::BF16).type, ElementType::BF16);
    EXPECT_THROW(readNpy(path, ElementType::F32), std::runtime_error);
  }
}

TEST(Tensor, DamagedNpyIsAnError) {
  const std::filesystem::path path = "t.npy";
  std::vector<std::byte> data(48);
  std::string good = getFile(path, ElementType::F32, {3, 4}, data);
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    for (unsigned n = 1 + random() % 4; n--;) {
      unsigned kind = random() % 3;
      if (kind == 0 && !bad.empty())
        bad[random() % bad.size()] = char(random());
      else if (kind == 1)
        bad.resize(random() % (bad.size() + 1));
      else
        bad.insert(random() % (bad.size() + 1), 1, "0123456789(),{}':"[random() % 17]);
    }
    try {
      Tensor tensor = parseNpy(std::as_bytes(std::span(bad)), path);
      EXPECT_EQ(tensor.data.size() % sizeOf(tensor.type), 0u);
    } catch (const std::runtime_error &error) {
      EXPECT_THAT(error.what(), HasSubstr("t.npy: "));
    }
  }
}

TEST(Tensor, GeneratedNumbers) {
  EXPECT_EQ(valuesOf<float>(getContents("f32", "[3]", "{value: -0.0}")), (std::vector<float>{-0.0f, -0.0f, -0.0f}));
  EXPECT_EQ(valuesOf<int16_t>(getContents("i16", "[2, 2]", "{iota: {start: -1, step: 2}}")),
            (std::vector<int16_t>{-1, 1, 3, 5}));
  EXPECT_EQ(valuesOf<double>(getContents("f64", "[3]", "{iota: {start: 0.5, step: 0.25}}")),
            (std::vector<double>{0.5, 0.75, 1}));
  EXPECT_EQ(valuesOf<uint64_t>(getContents("u64", "[2]", "{iota: {start: 0xfffffffffffffffe, step: 1}}")),
            (std::vector<uint64_t>{UINT64_MAX - 1, UINT64_MAX}));
  EXPECT_EQ(valuesOf<uint8_t>(getContents("u8", "[3]", "{values: [1, 0x10, 255]}")),
            (std::vector<uint8_t>{1, 16, 255}));
  EXPECT_EQ(valuesOf<float>(getContents("f32", "[2]", "zeros")), (std::vector<float>{0, 0}));
  EXPECT_EQ(getContents("f32", "[0, 7]", "{value: 1}").data.size(), 0u);
  EXPECT_THAT([] { getContents("i8", "[200]", "{iota: {start: 0}}"); },
              ThrowsMessage<InputError>(HasSubstr("expected a whole number from -128 to 127 for element 128")));
}

TEST(Tensor, RandomNumbers) {
  // As documented in docs/nstf-emu.md.
  std::vector<float> values = valuesOf<float>(getContents("f32", "[1000]", "{random: {seed: 7, low: 2, high: 3}}"));
  uint64_t z = 7 + 5 * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  EXPECT_EQ(values[4], float(2 + double(z >> 11) * 0x1p-53));
  double sum = 0;
  for (float value : values) {
    EXPECT_GE(value, 2);
    EXPECT_LE(value, 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 2.5, 0.05);
  std::set<int> seen;
  for (int8_t value : valuesOf<int8_t>(getContents("i8", "[1000]", "{random: {low: -2, high: 2}}")))
    seen.insert(value);
  EXPECT_EQ(seen, (std::set<int>{-2, -1, 0, 1, 2}));
  std::vector<uint64_t> wide =
      valuesOf<uint64_t>(getContents("u64", "[100]", "{random: {low: 0, high: 0xffffffffffffffff}}"));
  EXPECT_TRUE(std::any_of(wide.begin(), wide.end(), [](uint64_t v) { return v >> 63; }));
}

TEST(Tensor, Files) {
  TestFolder folder;
  folder.write("a.npy", nstf::makeNpyHeader("<f4", {2}) + getBytes(std::vector<float>{1, 2.5f}));
  folder.write("a.bin", "abcd");
  EXPECT_EQ(valuesOf<float>(getContents("f32", "[2]", "{file: a.npy}", folder.path)), (std::vector<float>{1, 2.5f}));
  EXPECT_EQ(valuesOf<double>(getContents("f64", "[2]", "{file: a.npy, convert: true}", folder.path)),
            (std::vector<double>{1, 2.5}));
  EXPECT_EQ(getContents("u8", "[4]", "{bytes: a.bin}", folder.path).data[3], std::byte('d'));
  auto message = [&](const char *type, const char *shape, const char *init) -> std::string {
    try {
      getContents(type, shape, init, folder.path);
    } catch (const InputError &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("f64", "[2]", "{file: a.npy}"), HasSubstr("launch.yaml:2:43: "));
  EXPECT_THAT(message("f64", "[2]", "{file: a.npy}"),
              HasSubstr("a.npy: expected f64 [2] but got f32 [2] ('convert: true' converts numbers)"));
  EXPECT_THAT(message("f32", "[2, 1]", "{file: a.npy}"), HasSubstr("expected f32 [2, 1] but got f32 [2]"));
  EXPECT_THAT(
      message("i32", "[2]", "{file: a.npy, convert: true}"),
      HasSubstr("expected a whole number from -2147483648 to 2147483647 for element 1 but got one that does not"));
  EXPECT_THAT(message("u8", "[5]", "{bytes: a.bin}"), HasSubstr("a.bin: expected 5 bytes for u8 [5] but got 4"));
  EXPECT_THAT(message("u8", "[4]", "{bytes: none.bin}"), HasSubstr("none.bin: No such file or directory"));
  EXPECT_THAT(message("u8", "[4]", "{bytes: .}"), HasSubstr("expected a file but got a folder"));
}

} // namespace
