// The contents of a package, checked by the readers of the other side: the runtime's manifest reader and the importer's
// safetensors reader. Failures leave no files behind and destroy nothing.
#include "test/compiler/package/PackageTest.h"

#include <bit>
#include <sys/resource.h>

using namespace nstf;
using namespace nstf::test;
using testing::HasSubstr;

namespace {

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
  EXPECT_EQ(m.targets[0].buckets[1].steps[1].after, std::vector<uint32_t>{0});
  EXPECT_EQ(m.targets[0].kernels[0].arguments[2].access, manifest::Access::Write);
  EXPECT_EQ(m.targets[0].kernels[0].agprs, 4u);

  support::SafeTensorsFile file((package / "weights.safetensors").string());
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
  uint64_t start = m.weights.tensors[0].source->offset;
  EXPECT_EQ(start % weightAlignment, 0u);
  for (const manifest::Weight &tensor : m.weights.tensors) {
    ASSERT_TRUE(tensor.source) << tensor.name;
    EXPECT_EQ(tensor.source->offset, start + tensor.offset);
    EXPECT_EQ(tensor.offset % weightAlignment, 0u);
    EXPECT_EQ(tensor.source->file, "weights.safetensors");
    const support::StoredTensor *stored = file.find(tensor.name);
    EXPECT_EQ(stored->offset, tensor.source->offset);
    EXPECT_EQ(tensor.source->sha256, hexHash(file.bytes(*stored).data(), stored->size));
  }
  // No gaps: the format's own reader requires that.
  uint64_t end = start;
  for (const support::StoredTensor &tensor : file.tensors()) {
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
  support::SafeTensorsFile file((package / "weights.safetensors").string());
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

// Servers need these files, and a tokenizer may be added later.
TEST_F(PackageTest, FilesBesideATokenizerWithOrWithoutIt) {
  for (const char *kind : {"sentencepiece", "none"}) {
    PackageInputs in = inputs(WeightsMode::Pack);
    in.manifest.model.tokenizer.kind = kind;
    writeFile(root / "config.json", "{}");
    in.chatTemplate = "{{ messages }}";
    in.tokenizerConfig = in.specialTokens = in.addedTokens = (root / "config.json").string();
    writePackage(package, std::move(in)); // the second replaces the first
    manifest::Tokenizer tokenizer = manifest::readManifest(package / "manifest.json").model.tokenizer;
    EXPECT_EQ(tokenizer.kind, kind);
    EXPECT_EQ(readFile(package / tokenizer.chatTemplate), "{{ messages }}");
    EXPECT_EQ(readFile(package / tokenizer.config), "{}");
    EXPECT_EQ(tokenizer.chatTemplate, "chat_template.jinja");
    EXPECT_EQ(tokenizer.config, "tokenizer_config.json");
    EXPECT_EQ(readFile(package / tokenizer.specialTokens), "{}");
    EXPECT_EQ(readFile(package / tokenizer.addedTokens), "{}");
  }
  writePackage(package, inputs(WeightsMode::Pack));
  EXPECT_FALSE(fs::exists(package / "chat_template.jinja"));
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
  text[at + 10] = '7'; // valid by itself
  EXPECT_THROW(manifest::parseManifest(text, "edited"), std::runtime_error);
}

TEST_F(PackageTest, LargeConvertedTensorGoesInPieces) {
  const size_t count = 300001;
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    uint16_t bf16 = std::bit_cast<uint32_t>(static_cast<float>(i % 100)) >> 16;
    bytes.append(reinterpret_cast<const char *>(&bf16), 2);
  }
  writeFile(source, bytes);
  PackageInputs in = inputs(WeightsMode::Pack);
  in.manifest.weights.tensors = {weight("big", {static_cast<int64_t>(count)})};
  in.weightOrigins = {WeightInFile{source.string(), 0, ElementType::BF16}};
  in.manifest.buffers[0].size = layoutWeights(in.manifest.weights);
  writePackage(package, std::move(in));
  support::SafeTensorsFile file((package / "weights.safetensors").string());
  std::vector<float> values = tensorIn<float>(file, "big");
  ASSERT_EQ(values.size(), count);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(values[i], static_cast<float>(i % 100)) << i;
}

TEST_F(PackageTest, WeightsThatCannotBeWritten) {
  PackageInputs in = inputs(WeightsMode::Pack);
  in.weightOrigins[0] = std::monostate();
  EXPECT_THAT(failure(in), HasSubstr("expected bytes for the weight 'w32'"));
  in.weightOrigins[0] = WeightInFile{(root / "missing").string(), 0, ElementType::F32};
  EXPECT_THAT(failure(in), HasSubstr("missing"));
  in.weightOrigins[0] = WeightInFile{source.string(), 30, ElementType::F32};
  EXPECT_THAT(failure(in), HasSubstr("expected 24 bytes of 'w32' at offset 30 but the file has 46"));
  in.weightOrigins[0] = WeightInFile{source.string(), ~uint64_t(0), ElementType::F32};
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
  in.manifest.targets[0].buckets[0].steps[0].arguments[2].buffer = 0; // the kernel would write to the weights
  EXPECT_THAT(failure(in), HasSubstr("manifest.json"));
  EXPECT_EQ(names(), only());
}

TEST_F(PackageTest, WhatIsNoPackageIsNotReplaced) {
  fs::create_directory(package);
  writePackage(package, inputs(WeightsMode::Pack)); // an empty folder may be replaced
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
  bad.replace(bad.find("\"version\": 4"), 12, "\"version\": 9");
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
  EXPECT_THAT(failure(in), HasSubstr("/proc/model.nstf: cannot write"));
  in.tokenizerFile = (root / "none.model").string();
  package = root / "model.nstf";
  EXPECT_THAT(failure(in), HasSubstr("none.model: No such file or directory"));
  EXPECT_EQ(names(), only());
}

// Like a full disk: the size of a file is limited. The old package stays.
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
