// What a package holds, judged by the readers of the other side: the runtime's manifest reader and the importer's
// safetensors reader. And that nothing is left behind or destroyed when something is wrong.
#include "compiler/package/Package.h"

#include "compiler/import/SafeTensors.h"
#include "nstf/FloatTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace nstf;
using manifest::ElementType;
using manifest::WeightsMode;
using testing::HasSubstr;

namespace {

std::string hexHash(const void *bytes, size_t size) {
  return llvm::toHex(llvm::SHA256::hash({static_cast<const uint8_t *>(bytes), size}), /*LowerCase=*/true);
}

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void writeFile(const fs::path &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

template <typename T> std::vector<T> tensorIn(const SafeTensorsFile &file, const std::string &name) {
  const StoredTensor *tensor = file.find(name);
  EXPECT_NE(tensor, nullptr) << name;
  std::vector<T> values(tensor ? tensor->size / sizeof(T) : 0);
  if (tensor)
    std::memcpy(values.data(), file.bytes(*tensor), tensor->size);
  return values;
}

/// A folder of its own for each test, with a file of f32, f16 and bf16 numbers.
class PackageTest : public testing::Test {
protected:
  PackageTest() {
    const char *keep = std::getenv("NSTF_TEST_FOLDER"); // for the test of the schema, which looks at the package
    kept = keep != nullptr;
    std::string pattern = (fs::temp_directory_path() / "nstf-package-XXXXXX").string();
    root = keep ? fs::path(keep) : fs::path(mkdtemp(pattern.data()));
    fs::create_directories(root);
    package = root / "model.nstf";
    source = root / "source.bin";
    std::string bytes(10, '\xff'); // weights need not be aligned in their file
    for (float value : {1.0f, -2.5f, 3.0f, 4.0f, 5.0f, 6.0f})
      bytes.append(reinterpret_cast<const char *>(&value), 4);
    bytes.append("\x00\x3c\x00\xc0\x01\x00", 6); // f16: 1, -2, 2^-24
    bytes.append("\x80\x3f\x20\xc0\x40\x40", 6); // bf16: 1, -2.5, 3
    writeFile(source, bytes);
    writeFile(root / "tokenizer.model", "pieces");
  }
  ~PackageTest() override {
    if (!kept)
      fs::remove_all(root);
  }

  static manifest::Weight weight(const std::string &name, std::vector<std::int64_t> shape,
                                 ElementType type = ElementType::F32) {
    manifest::Weight result;
    result.name = name;
    result.type = type;
    result.shape.dimensions = std::move(shape);
    return result;
  }

  /// One kernel that reads a weight, one step, four weights: as it is stored, twice converted, computed.
  PackageInputs inputs(WeightsMode mode) {
    PackageInputs in;
    manifest::Manifest &m = in.manifest;
    m.compiler = "test";
    m.model.name = "small";
    m.model.context = 8;
    m.model.eos = {2};
    m.model.tokenizer.kind = "sentencepiece";
    in.tokenizerFile = (root / "tokenizer.model").string();
    m.weights.mode = mode;
    m.weights.seed = 7;
    m.weights.tensors = {weight("w32", {2, 3}), weight("w16", {3}), weight("wb16", {3}), weight("table", {8, 2})};
    std::uint64_t size = layoutWeights(m.weights);
    in.weightOrigins = {
        WeightInFile{source.string(), 10, ElementType::F32}, WeightInFile{source.string(), 34, ElementType::F16},
        WeightInFile{source.string(), 40, ElementType::BF16}, ComputedWeight{[](std::int64_t row, std::span<double> v) {
          v[0] = std::cos(0.1 * row);
          v[1] = std::sin(0.1 * row);
        }}};
    m.buffers = {{"weights", manifest::BufferKind::Weights, size, {}, {}},
                 {"control", manifest::BufferKind::Control, 64, {}, {}},
                 {"x", manifest::BufferKind::Input, 96, {}, {}},
                 {"y", manifest::BufferKind::Output, 96, {}, {}},
                 {"cache", manifest::BufferKind::State, 64, ElementType::F32, manifest::Shape{{8, 2}}}};
    m.control = {1, 64, 0, 4};
    manifest::Shape rows{{manifest::Shape::tokensDimension, 3}};
    m.inputs = {{"x", ElementType::F32, rows, 2}};
    m.outputs = {{"y", ElementType::F32, rows, 3}};
    manifest::Kernel kernel;
    kernel.symbol = "k";
    kernel.templateName = "test";
    kernel.waveSize = 64;
    kernel.block = {64, 1, 1};
    kernel.lds = 256;
    kernel.vgprs = 10, kernel.agprs = 4, kernel.sgprs = 20, kernel.scratch = 0, kernel.spills = 0, kernel.occupancy = 8;
    kernel.kernargSize = 24;
    kernel.arguments = {{"x", 0, 8, ElementType::F32, rows, 16, manifest::Access::Read},
                        {"w", 8, 8, ElementType::F32, {{2, 3}}, 16, manifest::Access::Read},
                        {"y", 16, 8, ElementType::F32, rows, 4, manifest::Access::Write}};
    for (std::string id : {"gfx942", "gfx90a:xnack-"}) {
      manifest::Target target;
      target.id = id;
      target.codeObjectVersion = 5;
      target.kernels = {kernel};
      manifest::Step step{"layer", 0, {1, 2, 3}, 0, 0, {}, {{2, 0}, {0, 0}, {3, 0}}};
      target.buckets = {{1, 1, {step}}, {2, 8, {step}}};
      target.buckets[1].steps.push_back(step);
      target.buckets[1].steps[1].after = {0};
      m.targets.push_back(target);
      in.codeObjects.push_back("code object of " + id);
    }
    return in;
  }

  std::string failure(PackageInputs in) {
    try {
      writePackage(package, std::move(in));
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no failure";
  }

  /// Everything in the folder of the test, hidden names included.
  std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const fs::directory_entry &entry : fs::directory_iterator(root))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }
  std::vector<std::string> only() { return {"source.bin", "tokenizer.model"}; }
  std::vector<std::string> withPackage() { return {"model.nstf", "source.bin", "tokenizer.model"}; }

  bool kept = false;
  fs::path root, package, source;
};

TEST_F(PackageTest, Pack) {
  writePackage(package, inputs(WeightsMode::Pack));
  EXPECT_EQ(names(), withPackage());
  manifest::Manifest m = manifest::readManifest(package / "manifest.json");
  EXPECT_EQ(m.model.name, "small");
  EXPECT_EQ(m.model.tokenizer.file, "tokenizer.model");
  EXPECT_EQ(readFile(package / "tokenizer.model"), "pieces");
  ASSERT_EQ(m.targets.size(), 2u);
  EXPECT_EQ(m.targets[1].codeObject, "kernels.gfx90a-xnack-.hsaco");
  EXPECT_EQ(readFile(package / "kernels.gfx942.hsaco"), "code object of gfx942");
  EXPECT_EQ(m.targets[0].sha256, hexHash("code object of gfx942", 21));
  EXPECT_EQ(m.targets[0].buckets[1].steps[1].after, std::vector<std::uint32_t>{0});
  EXPECT_EQ(m.targets[0].kernels[0].arguments[2].access, manifest::Access::Write);
  EXPECT_EQ(m.targets[0].kernels[0].agprs, 4u);

  SafeTensorsFile file((package / "weights.safetensors").string());
  EXPECT_THAT(tensorIn<float>(file, "w32"), testing::ElementsAre(1.0f, -2.5f, 3.0f, 4.0f, 5.0f, 6.0f));
  EXPECT_THAT(tensorIn<float>(file, "w16"), testing::ElementsAre(1.0f, -2.0f, 0x1p-24f));
  EXPECT_THAT(tensorIn<float>(file, "wb16"), testing::ElementsAre(1.0f, -2.5f, 3.0f));
  std::vector<float> table = tensorIn<float>(file, "table");
  ASSERT_EQ(table.size(), 16u);
  for (int row = 0; row < 8; ++row) {
    EXPECT_EQ(table[2 * row], static_cast<float>(std::cos(0.1 * row)));
    EXPECT_EQ(table[2 * row + 1], static_cast<float>(std::sin(0.1 * row)));
  }
  // The data is the image of the device's buffer, and everything in it is aligned.
  std::uint64_t start = m.weights.tensors[0].source->offset;
  EXPECT_EQ(start % weightAlignment, 0u);
  for (const manifest::Weight &tensor : m.weights.tensors) {
    ASSERT_TRUE(tensor.source) << tensor.name;
    EXPECT_EQ(tensor.source->offset, start + tensor.offset);
    EXPECT_EQ(tensor.offset % weightAlignment, 0u);
    EXPECT_EQ(tensor.source->file, "weights.safetensors");
    const StoredTensor *stored = file.find(tensor.name);
    EXPECT_EQ(stored->offset, tensor.source->offset);
    EXPECT_EQ(tensor.source->sha256, hexHash(file.bytes(*stored), stored->size));
  }
  // No gaps: what the format's own reader insists on.
  std::uint64_t end = start;
  for (const StoredTensor &tensor : file.tensors()) {
    EXPECT_EQ(tensor.offset, end) << tensor.name;
    end += tensor.size;
  }
  EXPECT_EQ(end, fs::file_size(package / "weights.safetensors"));
}

TEST_F(PackageTest, Reference) {
  writePackage(package, inputs(WeightsMode::Reference));
  manifest::Manifest m = manifest::readManifest(package / "manifest.json");
  const manifest::Weight &half = m.weights.tensors[1];
  EXPECT_EQ(half.source->file, fs::canonical(source).string());
  EXPECT_EQ(half.source->offset, 34u);
  EXPECT_EQ(half.source->storedType, ElementType::F16);
  EXPECT_EQ(half.source->sha256, hexHash("\x00\x3c\x00\xc0\x01\x00", 6)); // as stored
  EXPECT_EQ(m.weights.tensors[3].source->file, "weights.safetensors");
  SafeTensorsFile file((package / "weights.safetensors").string());
  EXPECT_EQ(file.tensors().size(), 1u); // the computed table
}

TEST_F(PackageTest, RandomAndNone) {
  for (WeightsMode mode : {WeightsMode::Random, WeightsMode::None}) {
    PackageInputs in = inputs(mode);
    in.weightOrigins[0] = std::monostate();
    writePackage(package, std::move(in));
    manifest::Manifest m = manifest::readManifest(package / "manifest.json");
    EXPECT_EQ(m.weights.mode, mode);
    EXPECT_EQ(m.weights.seed, mode == WeightsMode::Random ? 7u : 0u);
    for (int i = 0; i < 3; ++i)
      EXPECT_FALSE(m.weights.tensors[i].source);
    EXPECT_TRUE(m.weights.tensors[3].source);
    EXPECT_EQ(names(), withPackage());
  }
}

TEST_F(PackageTest, NoWeightsNoFile) {
  PackageInputs in = inputs(WeightsMode::Random);
  in.weightOrigins[3] = std::monostate();
  in.manifest.model.tokenizer.kind = "none";
  writePackage(package, std::move(in));
  EXPECT_FALSE(fs::exists(package / "weights.safetensors"));
  EXPECT_FALSE(fs::exists(package / "tokenizer.model"));
}

TEST_F(PackageTest, TheSameBytesEachTime) {
  writePackage(package, inputs(WeightsMode::Pack));
  std::string manifestBefore = readFile(package / "manifest.json"), before = readFile(package / "weights.safetensors");
  std::string header = readFile(package / "model.h"), source = readFile(package / "model.cpp");
  writePackage(package, inputs(WeightsMode::Pack)); // replaces the first
  EXPECT_EQ(readFile(package / "manifest.json"), manifestBefore);
  EXPECT_EQ(readFile(package / "weights.safetensors"), before);
  EXPECT_EQ(readFile(package / "model.h"), header);
  EXPECT_EQ(readFile(package / "model.cpp"), source);
  EXPECT_THAT(header, HasSubstr("namespace small_model"));
  size_t digest = manifestBefore.find("\"digest\": \"");
  ASSERT_NE(digest, std::string::npos);
  EXPECT_THAT(source, HasSubstr(manifestBefore.substr(digest + 11, 64)));
  EXPECT_EQ(names(), withPackage());
}

TEST_F(PackageTest, AnEditIsSeenByTheDigest) {
  writePackage(package, inputs(WeightsMode::Pack));
  std::string text = readFile(package / "manifest.json");
  size_t at = text.find("\"context\":8");
  ASSERT_NE(at, std::string::npos);
  text[at + 10] = '7'; // legal in itself
  EXPECT_THROW(manifest::parseManifest(text, "edited"), std::runtime_error);
}

TEST_F(PackageTest, LargeConvertedTensorGoesInPieces) {
  const size_t count = 300001;
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    std::uint16_t bf16 = std::bit_cast<std::uint32_t>(static_cast<float>(i % 100)) >> 16;
    bytes.append(reinterpret_cast<const char *>(&bf16), 2);
  }
  writeFile(source, bytes);
  PackageInputs in = inputs(WeightsMode::Pack);
  in.manifest.weights.tensors = {weight("big", {static_cast<std::int64_t>(count)})};
  in.weightOrigins = {WeightInFile{source.string(), 0, ElementType::BF16}};
  in.manifest.buffers[0].size = layoutWeights(in.manifest.weights);
  writePackage(package, std::move(in));
  SafeTensorsFile file((package / "weights.safetensors").string());
  std::vector<float> values = tensorIn<float>(file, "big");
  ASSERT_EQ(values.size(), count);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(values[i], static_cast<float>(i % 100)) << i;
}

TEST_F(PackageTest, PartsOfTensorsLieSideBySideInThePackage) {
  const std::int64_t rows = 700, columns = 401; // more than a piece holds
  std::string bytes;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
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
    SafeTensorsFile file((package / "weights.safetensors").string());
    std::vector<float> flipped = tensorIn<float>(file, "flipped");
    std::vector<std::uint16_t> half = tensorIn<std::uint16_t>(file, "half");
    ASSERT_EQ(flipped.size(), size_t(rows * columns));
    ASSERT_EQ(half.size(), size_t(rows * 200));
    for (std::int64_t i = 0; i < rows * columns; ++i)
      ASSERT_EQ(flipped[i], static_cast<float>((i % rows * columns + i / rows) % 2000)) << i;
    for (std::int64_t i = 0; i < rows * 200; ++i)
      ASSERT_EQ(half[i], roundToF16((i / 200 * columns + 201 + i % 200) % 2000)) << i;
  }
}

TEST_F(PackageTest, PartsThatDoNotFit) {
  auto refused = [&](StridedView view, std::uint64_t offset = 0) {
    PackageInputs in = inputs(WeightsMode::Pack);
    in.weightOrigins[0] = WeightInFile{source.string(), offset, ElementType::F32, std::move(view)};
    return failure(in);
  };
  const char *fault = "expected a view of the elements of 'w32', [2, 3], within 2^48 bytes";
  EXPECT_THAT(refused({0, {3, 3}, {3, 1}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {0, 1}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {1}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {std::int64_t(1) << 62, std::int64_t(1) << 62}}), HasSubstr(fault));
  EXPECT_THAT(refused({0, {3, 2}, {1, 9}}), HasSubstr("expected 48 bytes of 'w32' at offset 0 but the file has 46"));
  EXPECT_THAT(refused({0, {3, 2}, {1, 3}}, 23),
              HasSubstr("expected 24 bytes of 'w32' at offset 23 but the file has 46"));
  EXPECT_EQ(names(), only());
}

TEST_F(PackageTest, WeightsThatCannotBeWritten) {
  PackageInputs in = inputs(WeightsMode::Pack);
  in.weightOrigins[0] = std::monostate();
  EXPECT_THAT(failure(in), HasSubstr("expected bytes for the weight 'w32'"));
  in.weightOrigins[0] = WeightInFile{(root / "missing").string(), 0, ElementType::F32};
  EXPECT_THAT(failure(in), HasSubstr("missing"));
  in.weightOrigins[0] = WeightInFile{source.string(), 30, ElementType::F32};
  EXPECT_THAT(failure(in), HasSubstr("expected 24 bytes of 'w32' at offset 30 but the file has 46"));
  in.weightOrigins[0] = WeightInFile{source.string(), ~std::uint64_t(0), ElementType::F32};
  EXPECT_THAT(failure(in), HasSubstr("expected 24 bytes of 'w32'"));
  in.weightOrigins[0] = WeightInFile{source.string(), 10, ElementType::I32};
  EXPECT_THAT(failure(in),
              HasSubstr("expected the weight 'w32' to be stored in a type that converts to f32 but got i32"));
  in.weightOrigins.pop_back();
  EXPECT_THAT(failure(in), HasSubstr("expected an origin for each of 4 weights but got 3"));
  EXPECT_EQ(names(), only());
}

TEST_F(PackageTest, AManifestTheReaderWouldRefuseIsNotWritten) {
  PackageInputs in = inputs(WeightsMode::Pack);
  in.manifest.targets[0].buckets[0].steps[0].arguments[2].buffer = 0; // the kernel would write weights
  EXPECT_THAT(failure(in), HasSubstr("manifest.json"));
  EXPECT_EQ(names(), only());
}

TEST_F(PackageTest, WhatIsNoPackageIsNotReplaced) {
  fs::create_directory(package);
  writePackage(package, inputs(WeightsMode::Pack)); // an empty folder is nobody's
  writeFile(package / "notes.txt", "mine");
  EXPECT_THAT(failure(inputs(WeightsMode::Pack)), HasSubstr("but got 'notes.txt'"));
  EXPECT_EQ(readFile(package / "notes.txt"), "mine");
  fs::remove(package / "notes.txt");
  writeFile(package / "manifest.json", "{\"format\": \"something else\"}");
  EXPECT_THAT(failure(inputs(WeightsMode::Pack)), HasSubstr("but got a folder that is not a package"));
  writeFile(package / "manifest.json", "not json");
  EXPECT_THAT(failure(inputs(WeightsMode::Pack)), HasSubstr("but got a folder that is not a package"));
  fs::remove_all(package);
  writeFile(package, "a file");
  EXPECT_THAT(failure(inputs(WeightsMode::Pack)), HasSubstr("expected a package folder or nothing but got a file"));
  EXPECT_EQ(readFile(package), "a file");
  EXPECT_EQ(names(), withPackage());
}

TEST_F(PackageTest, APackageThatWasEditedMayBeReplaced) {
  writePackage(package, inputs(WeightsMode::Pack));
  std::string good = readFile(package / "manifest.json"), bad = good;
  bad.replace(bad.find("\"version\": 1"), 12, "\"version\": 9");
  writeFile(package / "manifest.json", bad);
  writePackage(package, inputs(WeightsMode::Pack));
  EXPECT_EQ(readFile(package / "manifest.json"), good);
}

TEST_F(PackageTest, TrailingSlashAndLinks) {
  writePackage(package.string() + "/", inputs(WeightsMode::Pack));
  fs::create_directory_symlink(package, root / "link");
  writePackage(root / "link", inputs(WeightsMode::None));
  EXPECT_TRUE(fs::is_symlink(root / "link"));
  EXPECT_EQ(manifest::readManifest(package / "manifest.json").weights.mode, WeightsMode::None);
  EXPECT_FALSE(fs::is_symlink(package));
}

TEST_F(PackageTest, NowhereToWrite) {
  PackageInputs in = inputs(WeightsMode::Pack);
  package = root / "no" / "such" / "model.nstf";
  EXPECT_THAT(failure(in), HasSubstr("to write into but there is none"));
  package = "/proc/model.nstf";
  EXPECT_THAT(failure(in), HasSubstr("/proc/model.nstf: cannot create"));
  in.tokenizerFile = (root / "none.model").string();
  package = root / "model.nstf";
  EXPECT_THAT(failure(in), HasSubstr("none.model: expected the tokenizer's file but it cannot be read"));
  EXPECT_EQ(names(), only());
}

// As a full disk does it: a file may not grow past a limit. The old package stays.
TEST_F(PackageTest, AFullDiskLeavesTheOldPackage) {
  writePackage(package, inputs(WeightsMode::Pack));
  std::string before = readFile(package / "manifest.json");
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit small = {512, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message = failure(inputs(WeightsMode::Pack));
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_THAT(message, HasSubstr("weights.safetensors: cannot write"));
  EXPECT_EQ(readFile(package / "manifest.json"), before);
  EXPECT_EQ(names(), withPackage());
}

} // namespace
