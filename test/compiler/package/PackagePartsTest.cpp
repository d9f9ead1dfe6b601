// Weights that are parts of stored tensors: contiguous in the package in every mode, or refused.
#include "test/compiler/package/PackageTest.h"

#include "nstf/FloatTypes.h"
#include "support/Sha256.h"

using namespace nstf;
using namespace nstf::test;
using testing::HasSubstr;

namespace {

TEST_F(PackageTest, PartsOfTensorsLieSideBySideInThePackage) {
  const int64_t rows = 700, columns = 401; // more than a piece holds
  std::string bytes;
  for (int64_t i = 0; i < rows * columns; ++i) {
    float value = static_cast<float>(i % 2000);
    bytes.append(reinterpret_cast<const char *>(&value), 4);
  }
  writeFile(source, bytes);
  for (WeightsMode mode : {WeightsMode::Pack, WeightsMode::Reference}) {
    fs::remove_all(package);
    PackageInputs in = inputs(mode);
    in.manifest.weights.tensors = {weight("flipped", {columns, rows}), weight("half", {rows, 200}, ElementType::F16)};
    in.weightOrigins = {WeightInFile{source.string(), 0, ElementType::F32, {0, {columns, rows}, {1, columns}}},
                        WeightInFile{source.string(), 804, ElementType::F32, {0, {rows, 200}, {columns, 1}}}};
    in.manifest.buffers[0].size = layoutWeights(in.manifest.weights);
    writePackage(package, std::move(in));
    support::SafeTensorsFile file((package / "weights.safetensors").string());
    std::vector<float> flipped = tensorIn<float>(file, "flipped");
    std::vector<uint16_t> half = tensorIn<uint16_t>(file, "half");
    ASSERT_EQ(flipped.size(), size_t(rows * columns));
    ASSERT_EQ(half.size(), size_t(rows * 200));
    for (int64_t i = 0; i < rows * columns; ++i)
      ASSERT_EQ(flipped[i], static_cast<float>((i % rows * columns + i / rows) % 2000)) << i;
    for (int64_t i = 0; i < rows * 200; ++i)
      ASSERT_EQ(half[i], roundToF16((i / 200 * columns + 201 + i % 200) % 2000)) << i;
  }
}

TEST_F(PackageTest, TensorsOfManyPieces) {
  const int64_t count = 2'000'003, rows = 400'001;
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(i % 3001) / 7;
    bytes.append(reinterpret_cast<const char *>(&value), 4);
  }
  writeFile(source, bytes);
  PackageInputs in = inputs(WeightsMode::Pack);
  in.manifest.weights.tensors = {weight("table", {rows, 3}), weight("short", {count}, ElementType::BF16)};
  in.weightOrigins = {ComputedWeight{[](int64_t row, std::span<std::byte> bytes) {
                        ASSERT_EQ(bytes.size(), 3 * sizeof(float));
                        for (int i = 0; i < 3; ++i)
                          reinterpret_cast<float *>(bytes.data())[i] = static_cast<float>(3 * row + i);
                      }},
                      WeightInFile{source.string(), 0, ElementType::F32}};
  in.manifest.buffers[0].size = layoutWeights(in.manifest.weights);
  writePackage(package, std::move(in));
  support::SafeTensorsFile file((package / "weights.safetensors").string());
  std::vector<uint16_t> rounded = tensorIn<uint16_t>(file, "short");
  std::vector<float> table = tensorIn<float>(file, "table");
  ASSERT_EQ(rounded.size(), size_t(count));
  ASSERT_EQ(table.size(), size_t(3 * rows));
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(rounded[i], roundToBF16(static_cast<float>(i % 3001) / 7)) << i;
  for (int64_t i = 0; i < 3 * rows; ++i)
    ASSERT_EQ(table[i], static_cast<float>(i)) << i;
  // Hashed in order, whichever piece is ready first.
  manifest::Manifest written = manifest::readManifest(package / "manifest.json");
  auto hashOf = [](const auto &numbers) {
    return support::sha256Hex({reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(numbers[0])});
  };
  EXPECT_EQ(written.weights.tensors[0].source->sha256, hashOf(table));
  EXPECT_EQ(written.weights.tensors[1].source->sha256, hashOf(rounded));
}

TEST_F(PackageTest, PartsThatDoNotFit) {
  auto refused = [&](checkpoint::StridedView view, uint64_t offset = 0) {
    PackageInputs in = inputs(WeightsMode::Pack);
    in.weightOrigins[0] = WeightInFile{source.string(), offset, ElementType::F32, std::move(view)};
    return failure(in);
  };
  const char *fault = "expected a view of the elements of 'w32', [2, 3], within 2^48 bytes";
  EXPECT_THAT(refused({0, {3, 3}, {3, 1}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {0, 1}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {1}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {int64_t(1) << 62, int64_t(1) << 62}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {1, 9}}), HasSubstr("expected 48 bytes of 'w32' at offset 0 but the file has 46"));
  EXPECT_THAT(refused({0, {3, 2}, {1, 3}}, 23),
              HasSubstr("expected 24 bytes of 'w32' at offset 23 but the file has 46"));
  EXPECT_EQ(names(), only());
}

} // namespace
