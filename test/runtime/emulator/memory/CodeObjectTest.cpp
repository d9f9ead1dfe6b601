// Loading of code objects that clang-22 has just made (NSTF_TEST_KERNELS: the folder of kernels.<target>.hsaco) and of
// damaged ones: any bytes give either a kernel or a LoadError.
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/CodeObjectContainer.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace nstf::emulator {
namespace {
using testing::HasSubstr;

std::vector<std::byte> readKernels(const std::string &file) {
  std::ifstream in(std::string(NSTF_TEST_KERNELS) + "/" + file, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return {begin, begin + bytes.size()};
}

std::string failure(Memory &memory, const TargetId &device, std::span<const std::byte> bytes) {
  try {
    const ContainedCodeObject object = selectCodeObject(device, bytes.data(), bytes.size(), "test.hsaco");
    Program::load(memory, device, object.code.bytes, "test.hsaco");
    return "";
  } catch (const LoadError &error) {
    return error.what();
  }
}

class CodeObject : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    bytes = readKernels(std::string("kernels.") + GetParam() + ".hsaco");
    ASSERT_FALSE(bytes.empty());
  }
  TargetId device = TargetId::parse(std::string(GetParam()) + ":sramecc+:xnack-");
  Memory memory;
  std::vector<std::byte> bytes;
};

TEST_P(CodeObject, KernelsAreFoundWithWhatTheirMetadataSays) {
  auto program = Program::load(memory, device, bytes, "kernels");
  EXPECT_EQ(program->targetId().processor, GetParam());
  EXPECT_GE(program->kernels().size(), 9u);
  EXPECT_EQ(program->kernel("nothing"), nullptr);
  const Kernel *add = program->kernel("vectorAdd");
  ASSERT_NE(add, nullptr);
  ASSERT_GE(add->arguments.size(), 4u);
  EXPECT_EQ(add->arguments[0].valueKind, "global_buffer");
  EXPECT_EQ(add->arguments[3].valueKind, "by_value");
  EXPECT_EQ(add->arguments[3].offset, 24u);
  EXPECT_EQ(add->arguments[3].size, 4u);
  EXPECT_TRUE(std::any_of(add->arguments.begin(), add->arguments.end(), [](const KernelArgument &argument) {
    return argument.valueKind == "hidden_group_size_x" && argument.hidden();
  }));
  EXPECT_EQ(add->maxFlatWorkgroupSize, 1024u);
  EXPECT_EQ(program->kernel("smallBlocksOnly")->maxFlatWorkgroupSize, 64u);
  EXPECT_EQ(program->kernel("blockSum")->ldsSize, 1024u);
  EXPECT_EQ(add->waveSize, 64u);
}

TEST_P(CodeObject, DescriptorAgreesWithMetadata) {
  auto program = Program::load(memory, device, bytes, "kernels");
  for (const auto &kernel : program->kernels()) {
    EXPECT_EQ(kernel->descriptor.kernargBytes, kernel->kernargSize) << kernel->name;
    EXPECT_EQ(kernel->descriptor.ldsBytes, kernel->ldsSize) << kernel->name;
    EXPECT_TRUE(kernel->descriptor.kernargSegmentPtr) << kernel->name;
    EXPECT_GE(kernel->descriptor.vgprs, kernel->vgprCount) << kernel->name;
    EXPECT_TRUE(kernel->descriptor.workgroupIdX || kernel->name != "vectorAdd");
    EXPECT_EQ(kernel->descriptor.workitemIdDimensions, kernel->name == "launchShape" ? 3u : 1u) << kernel->name;
    EXPECT_FALSE(kernel->descriptor.wave32);
    EXPECT_EQ(kernel->program, program.get());
  }
}

TEST_P(CodeObject, SegmentsAreProtectedAsTheFileSays) {
  auto program = Program::load(memory, device, bytes, "kernels");
  const Kernel *kernel = program->kernel("vectorAdd");
  Region region;
  ASSERT_TRUE(memory.find(kernel->entry, region));
  EXPECT_FALSE(region.writable);
  EXPECT_EQ(region.kind, RegionKind::Code);
  ASSERT_EQ(program->text().size(), 1u);
  EXPECT_GE(kernel->entry, program->text()[0].begin);
  EXPECT_LE(kernel->codeEnd, program->text()[0].end);
  EXPECT_GT(kernel->codeEnd, kernel->entry);
  EXPECT_EQ(program->functionAt(kernel->entry + 8), "vectorAdd");
  EXPECT_EQ(program->functionAt(0), "");
  ASSERT_NE(program->variable("factor"), nullptr);
  ASSERT_TRUE(memory.find(program->variable("factor")->address, region));
  EXPECT_TRUE(region.writable);
}

// A small file can claim any size in memory; only bytes that the file holds are code.
TEST_P(CodeObject, TextEndsWithTheFilesBytes) {
  llvm::ELF::Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  uint64_t fileBytes = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    llvm::ELF::Elf64_Phdr segment;
    std::byte *place = bytes.data() + header.e_phoff + i * sizeof segment;
    std::memcpy(&segment, place, sizeof segment);
    if (segment.p_type != llvm::ELF::PT_LOAD || !(segment.p_flags & llvm::ELF::PF_X))
      continue;
    fileBytes = segment.p_filesz;
    segment.p_memsz += 64;
    std::memcpy(place, &segment, sizeof segment);
  }
  auto program = Program::load(memory, device, bytes, "kernels");
  ASSERT_EQ(program->text().size(), 1u);
  EXPECT_EQ(program->text()[0].end - program->text()[0].begin, fileBytes);
}

TEST_P(CodeObject, VariablesAreInitialisedAndRelocated) {
  auto program = Program::load(memory, device, bytes, "kernels");
  const Program::Variable *factor = program->variable("factor"), *other = program->variable("otherFactor"),
                          *table = program->variable("factors");
  ASSERT_TRUE(factor && other && table);
  EXPECT_EQ(*reinterpret_cast<const float *>(factor->address), 3.0f);
  EXPECT_EQ(factor->size, 4u);
  ASSERT_EQ(table->size, 16u);
  EXPECT_EQ(reinterpret_cast<const uint64_t *>(table->address)[0], factor->address);
  EXPECT_EQ(reinterpret_cast<const uint64_t *>(table->address)[1], other->address);
}

TEST_P(CodeObject, UnloadingGivesTheMemoryBack) {
  auto program = Program::load(memory, device, bytes, "kernels");
  uint64_t entry = program->kernels().front()->entry;
  program = nullptr;
  EXPECT_EQ(memory.allocatedBytes(), 0u);
  EXPECT_FALSE(memory.covers(entry, 4));
}

TEST_P(CodeObject, OtherChipIsRefusedByName) {
  TargetId other = TargetId::parse(std::string(GetParam()) == "gfx942" ? "gfx90a:xnack-" : "gfx942:xnack-");
  EXPECT_THAT(failure(memory, other, bytes),
              HasSubstr("made for " + std::string(GetParam()) + " but the device is " + other.str()));
}

TEST_P(CodeObject, EveryTruncationIsAnError) {
  for (size_t size = 0; size < bytes.size(); size += 64) {
    // A copy of exactly that size lets a sanitizer see a read past its end.
    std::vector<std::byte> part(bytes.begin(), bytes.begin() + size);
    EXPECT_NE(failure(memory, device, part), "") << size << " of " << bytes.size() << " bytes";
  }
  EXPECT_EQ(failure(memory, device, bytes), "");
  EXPECT_EQ(memory.allocatedBytes(), 0u) << "a failed load must give its memory back";
}

TEST_P(CodeObject, DamagedBytesNeverCrash) {
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> damaged = bytes;
    for (int i = 0; i <= round % 4; ++i) {
      // Headers and metadata are in the first kilobytes and at the end: most damage goes there.
      size_t span = round % 2 ? damaged.size() : 4096;
      size_t at = round % 3 ? random() % span : damaged.size() - 1 - random() % 2048;
      static constexpr unsigned interesting[] = {0, 1, 0x7f, 0x80, 0xff};
      damaged[at] = std::byte(round % 5 ? interesting[random() % 5] : random());
    }
    refused += failure(memory, device, damaged) != "";
  }
  EXPECT_GT(refused, 100);
  EXPECT_EQ(memory.allocatedBytes(), 0u);
}

TEST_P(CodeObject, ErrorsSayWhatIsWrong) {
  auto with = [&](size_t at, std::initializer_list<int> values) {
    std::vector<std::byte> changed = bytes;
    for (int value : values)
      changed[at++] = std::byte(value);
    return failure(memory, device, changed);
  };
  EXPECT_THAT(failure(memory, device, {}), HasSubstr("0 bytes"));
  EXPECT_THAT(with(0, {'M', 'Z'}), HasSubstr("neither"));
  EXPECT_THAT(with(4, {1}), HasSubstr("64-bit"));
  EXPECT_THAT(with(7, {0}), HasSubstr("OS ABI"));
  EXPECT_THAT(with(8, {0}), HasSubstr("ABI version 0"));
  EXPECT_THAT(with(16, {1, 0}), HasSubstr("relocatable"));
  EXPECT_THAT(with(18, {62, 0}), HasSubstr("machine 62"));
  EXPECT_THAT(with(48, {0xff}), HasSubstr("unknown amdgpu machine"));
}

INSTANTIATE_TEST_SUITE_P(Targets, CodeObject, testing::Values("gfx942", "gfx90a"));

// Builds a bundle like clang-offload-bundler.
std::vector<std::byte> bundle(const std::vector<std::pair<std::string, std::vector<std::byte>>> &entries) {
  std::string out = "__CLANG_OFFLOAD_BUNDLE__", data;
  auto word = [&](uint64_t value) { out.append(reinterpret_cast<const char *>(&value), 8); };
  size_t header = 32;
  for (const auto &entry : entries)
    header += 24 + entry.first.size();
  word(entries.size());
  for (const auto &[id, code] : entries) {
    word(header + data.size());
    word(code.size());
    word(id.size());
    out += id;
    data.append(reinterpret_cast<const char *>(code.data()), code.size());
  }
  out += data;
  const auto *begin = reinterpret_cast<const std::byte *>(out.data());
  return {begin, begin + out.size()};
}

TEST(OffloadBundle, EntryOfTheDeviceIsTaken) {
  auto a = readKernels("kernels.gfx90a.hsaco"), b = readKernels("kernels.gfx942.hsaco");
  auto file = bundle({{"host-x86_64-unknown-linux-gnu", {}},
                      {"hipv4-amdgcn-amd-amdhsa--gfx90a", a},
                      {"hipv4-amdgcn-amd-amdhsa--gfx942", b}});
  for (size_t size : {file.size(), SIZE_MAX}) {
    auto code = selectCodeObject(TargetId::parse("gfx942:sramecc+:xnack-"), file.data(), size, "bundle").code.bytes;
    ASSERT_EQ(code.size(), b.size());
    EXPECT_EQ(std::memcmp(code.data(), b.data(), b.size()), 0);
  }
  // Only a pointer to an ELF: its headers give the length.
  EXPECT_EQ(selectCodeObject(TargetId::parse("gfx90a"), a.data(), SIZE_MAX, "elf").code.bytes.size(), a.size());
}

TEST(OffloadBundle, MostSpecificEntryWins) {
  std::vector<std::byte> any(1), off(2), on(3);
  auto file = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", any},
                      {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", off},
                      {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", on}});
  EXPECT_EQ(selectCodeObject(TargetId::parse("gfx90a:xnack-"), file.data(), file.size(), "b").code.bytes.size(), 2u);
  EXPECT_EQ(selectCodeObject(TargetId::parse("gfx90a:xnack+"), file.data(), file.size(), "b").code.bytes.size(), 3u);
}

TEST(OffloadBundle, MissingTargetNamesBoth) {
  Memory memory;
  auto file = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", {}}, {"hip-amdgcn-amd-amdhsa--gfx1100", {}}});
  TargetId device = TargetId::parse("gfx942:sramecc+:xnack-");
  std::string text = failure(memory, device, file);
  EXPECT_THAT(text, HasSubstr("gfx90a:xnack-, gfx1100"));
  EXPECT_THAT(text, HasSubstr("the device is gfx942:sramecc+:xnack-"));
}

TEST(OffloadBundle, TruncationsAndCompressionAreErrors) {
  Memory memory;
  TargetId device = TargetId::parse("gfx942:sramecc+:xnack-");
  auto code = readKernels("kernels.gfx942.hsaco");
  auto file = bundle({{"host-x86_64-unknown-linux-gnu", {}}, {"hipv4-amdgcn-amd-amdhsa--gfx942", code}});
  for (size_t size = 0; size < file.size(); size += size < 256 ? 1 : 64) {
    std::vector<std::byte> part(file.begin(), file.begin() + size);
    EXPECT_NE(failure(memory, device, part), "") << size;
  }
  EXPECT_EQ(failure(memory, device, file), "");
  std::string compressed = "CCOB and more bytes";
  const auto *begin = reinterpret_cast<const std::byte *>(compressed.data());
  EXPECT_THAT(failure(memory, device, {begin, compressed.size()}), HasSubstr("compressed"));
}

} // namespace
} // namespace nstf::emulator
