// Shared by tests of packages: a package with a weight of every origin, and readers of its files.
#pragma once

#include "compiler/package/Package.h"
#include "support/SafeTensors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nstf::test {

namespace fs = std::filesystem;
using manifest::ElementType;
using manifest::WeightsMode;

inline std::string hexHash(const void *bytes, size_t size) {
  return llvm::toHex(llvm::SHA256::hash({static_cast<const uint8_t *>(bytes), size}), /*LowerCase=*/true);
}

inline std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void writeFile(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T> std::vector<T> tensorIn(const support::SafeTensorsFile &file, const std::string &name) {
  const support::StoredTensor *tensor = file.find(name);
  EXPECT_NE(tensor, nullptr) << name;
  std::vector<T> values(tensor ? tensor->size / sizeof(T) : 0);
  if (tensor)
    std::memcpy(values.data(), file.bytes(*tensor).data(), tensor->size);
  return values;
}

/// A folder of its own for each test, with a file of f32, f16 and bf16 numbers.
class PackageTest : public testing::Test {
protected:
  PackageTest() {
    const char *keep = std::getenv("NSTF_TEST_FOLDER"); // for the test of the schema, which reads the package
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

  static manifest::Weight weight(const std::string &name, std::vector<int64_t> shape,
                                 ElementType type = ElementType::F32) {
    manifest::Weight result;
    result.name = name;
    result.type = type;
    result.shape.dimensions = std::move(shape);
    return result;
  }

  /// One kernel that reads a weight, one step, four weights: stored as it is, converted (two of them), computed.
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
    uint64_t size = layoutWeights(m.weights);
    in.weightOrigins = {WeightInFile{source.string(), 10, ElementType::F32},
                        WeightInFile{source.string(), 34, ElementType::F16},
                        WeightInFile{source.string(), 40, ElementType::BF16},
                        ComputedWeight{[](int64_t row, std::span<std::byte> bytes) {
                          auto v = reinterpret_cast<float *>(bytes.data());
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

} // namespace nstf::test
