// Every container of code objects: plain and compressed bundles (from clang, NSTF_TEST_BUNDLES, and built here in the
// versions that clang no longer writes), several bundles in a row, host objects and libraries (from the fuzzer's
// corpus, NSTF_TEST_CORPUS), and damaged ones of each kind.
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/CodeObjectContainer.h"
#include "runtime/emulator/memory/CodeObjectFile.h"

#include "llvm/Support/Compression.h"
#include "llvm/Support/MD5.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace nstf::emulator {
namespace {
using testing::HasSubstr;

using Bytes = std::vector<std::byte>;

Bytes readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(bytes.empty()) << path;
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return {begin, begin + bytes.size()};
}
Bytes kernelsOf(const std::string &chip) { return readFile(NSTF_TEST_KERNELS "/kernels." + chip + ".hsaco"); }

const TargetId gfx942 = TargetId::parse("gfx942:sramecc+:xnack-"), gfx90a = TargetId::parse("gfx90a:sramecc+:xnack-");

void put(Bytes &bytes, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    bytes.push_back(std::byte(value >> 8 * i));
}

/// Builds a plain bundle of (ID, code object) with the host's empty entry first.
Bytes bundle(const std::vector<std::pair<std::string, Bytes>> &objects) {
  std::vector<std::pair<std::string, Bytes>> entries = {{"host-x86_64-unknown-linux-gnu-", {}}};
  for (const auto &[target, code] : objects)
    entries.push_back({"hipv4-amdgcn-amd-amdhsa--" + target, code});
  Bytes out, data;
  for (char c : std::string("__CLANG_OFFLOAD_BUNDLE__"))
    out.push_back(std::byte(c));
  put(out, entries.size(), 8);
  uint64_t header = 32;
  for (const auto &entry : entries)
    header += 24 + entry.first.size();
  for (const auto &[id, code] : entries) {
    put(out, header + data.size(), 8);
    put(out, code.size(), 8);
    put(out, id.size(), 8);
    for (char c : id)
      out.push_back(std::byte(c));
    data.insert(data.end(), code.begin(), code.end());
  }
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

/// Compresses a bundle. If `unpacked` or `hash` is given, the header claims that value.
Bytes compress(const Bytes &plain, unsigned version, bool zstd, uint64_t unpacked = 0, uint64_t hash = 0) {
  const llvm::ArrayRef<uint8_t> input(reinterpret_cast<const uint8_t *>(plain.data()), plain.size());
  llvm::SmallVector<uint8_t, 0> packed;
  if (zstd)
    llvm::compression::zstd::compress(input, packed, 3, false);
  else
    llvm::compression::zlib::compress(input, packed, 6);
  const size_t word = version == 3 ? 8 : 4;
  Bytes out;
  for (char c : std::string("CCOB"))
    out.push_back(std::byte(c));
  put(out, version, 2);
  put(out, zstd, 2);
  if (version > 1)
    put(out, 16 + 2 * word + packed.size(), word);
  put(out, unpacked ? unpacked : plain.size(), word);
  put(out, hash ? hash : llvm::MD5Hash(llvm::StringRef(reinterpret_cast<const char *>(plain.data()), plain.size())), 8);
  for (uint8_t byte : packed)
    out.push_back(std::byte(byte));
  return out;
}

void append(Bytes &to, const Bytes &more, size_t alignment = 4096) {
  to.resize((to.size() + alignment - 1) / alignment * alignment);
  to.insert(to.end(), more.begin(), more.end());
}

bool same(std::span<const std::byte> a, const Bytes &b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string failure(const Bytes &file) {
  try {
    const CodeObjectContainer container = CodeObjectContainer::view(file.data(), file.size(), "file");
    for (size_t i = 0; i < container.parts().size(); ++i)
      for (const ContainedCodeObject &object : container.read(i))
        readKernels(object.code.bytes, object.where);
    return container.leftover();
  } catch (const LoadError &error) {
    return error.what();
  }
}

/// A file that is removed with the object.
struct TemporaryFile {
  explicit TemporaryFile(const Bytes &bytes) {
    const char *folder = std::getenv("TMPDIR");
    path = std::string(folder && *folder ? folder : "/tmp") + "/nstf-container-XXXXXX";
    const int file = mkstemp(path.data());
    EXPECT_GE(file, 0);
    EXPECT_EQ(write(file, bytes.data(), bytes.size()), ssize_t(bytes.size()));
    close(file);
  }
  ~TemporaryFile() { unlink(path.c_str()); }
  std::string path;
};

TEST(Container, BundlesOfClang) {
  for (const char *name : {"plain.hipfb", "compressed.v2.hipfb", "compressed.v3.hipfb"}) {
    const CodeObjectContainer container = CodeObjectContainer::open(std::string(NSTF_TEST_BUNDLES "/") + name);
    ASSERT_EQ(container.parts().size(), 1u) << name;
    EXPECT_EQ(container.leftover(), "");
    EXPECT_EQ(container.parts()[0].kind == CodeObjectContainer::Part::Kind::Bundle, std::string(name) == "plain.hipfb");
    const std::vector<ContainedCodeObject> objects = container.read(0);
    ASSERT_EQ(objects.size(), 2u) << name;
    for (const ContainedCodeObject &object : objects) {
      const CodeObjectFile file = readKernels(object.code.bytes, object.where);
      EXPECT_EQ(file.target.processor, object.target) << name;
      EXPECT_GE(file.kernels.size(), 9u) << name;
    }
    EXPECT_EQ(container.select(gfx942).target, "gfx942");
    EXPECT_EQ(container.select(gfx90a, "blockSum").target, "gfx90a");
    Memory memory;
    EXPECT_TRUE(Program::load(memory, gfx942, container.select(gfx942).code.bytes, name)->kernel("vectorAdd"));
  }
}

TEST(Container, EveryVersionAndMethodOfCompression) {
  const Bytes code = kernelsOf("gfx942"), plain = bundle({{"gfx90a", kernelsOf("gfx90a")}, {"gfx942", code}});
  for (unsigned version : {1, 2, 3})
    for (bool zstd : {false, true}) {
      const Bytes file = compress(plain, version, zstd);
      SCOPED_TRACE("version " + std::to_string(version) + (zstd ? ", zstd" : ", zlib"));
      EXPECT_TRUE(same(selectCodeObject(gfx942, file.data(), file.size(), "f").code.bytes, code));
      // Only a pointer, as for fat binaries.
      const ContainedCodeObject object = selectCodeObject(gfx942, file.data(), SIZE_MAX, "f");
      EXPECT_TRUE(same(object.code.bytes, code));
      EXPECT_EQ(object.entry, 2u);
      EXPECT_THAT(object.where, HasSubstr("version " + std::to_string(version) + (zstd ? ", zstd" : ", zlib")));
    }
}

TEST(Container, WhatIsReadOutlivesTheContainer) {
  const Bytes code = kernelsOf("gfx942");
  auto file = std::make_unique<TemporaryFile>(compress(bundle({{"gfx942", code}}), 3, true));
  ContainedCodeObject object = CodeObjectContainer::open(file->path).select(gfx942);
  file = nullptr;
  EXPECT_TRUE(same(object.code.bytes, code));
  TemporaryFile alone(code);
  object = CodeObjectContainer::open(alone.path).select(gfx942);
  EXPECT_TRUE(same(object.code.bytes, code));
  EXPECT_EQ(object.where, alone.path);
}

TEST(Container, SeveralBundlesOneAfterAnother) {
  const Bytes a = kernelsOf("gfx90a"), b = kernelsOf("gfx942"),
              other = readFile(NSTF_TEST_CORPUS "/code-object/gfx942.v5");
  for (unsigned version : {0, 1, 2, 3})
    for (bool zstd : {false, true}) {
      SCOPED_TRACE("version " + std::to_string(version) + (zstd ? ", zstd" : ", zlib"));
      auto made = [&](const Bytes &plain) { return version ? compress(plain, version, zstd) : plain; };
      Bytes file = made(bundle({{"gfx90a", a}}));
      append(file, made(bundle({{"gfx90a", a}, {"gfx942", b}})));
      append(file, made(bundle({{"gfx942", other}})));
      file.resize((file.size() + 4095) / 4096 * 4096);
      const CodeObjectContainer container = CodeObjectContainer::view(file.data(), file.size(), "lib");
      ASSERT_EQ(container.parts().size(), 3u);
      EXPECT_EQ(container.leftover(), "");
      EXPECT_EQ(container.select(gfx942).part, 1u);
      EXPECT_EQ(container.select(gfx942, "fuzz").part, 2u);
      EXPECT_EQ(container.select(gfx942, "vectorAdd").part, 1u);
      EXPECT_EQ(container.select(gfx90a, "vectorAdd").part, 0u);
      EXPECT_TRUE(same(container.select(gfx942, "fuzz").code.bytes, other));
      try {
        container.select(gfx942, "nothing");
        ADD_FAILURE();
      } catch (const LoadError &error) {
        EXPECT_EQ(error.reason, LoadError::Reason::NotFound);
        EXPECT_EQ(std::string(error.what()), "lib has no kernel nothing for gfx942:sramecc+:xnack-");
      }
    }
}

TEST(Container, HostObjectsAndLibraries) {
  for (const char *name : {"host.o", "host.so"}) {
    const CodeObjectContainer container = CodeObjectContainer::open(std::string(NSTF_TEST_CORPUS "/container/") + name);
    ASSERT_EQ(container.parts().size(), 3u) << name;
    for (size_t i = 0; i < 3; ++i)
      ASSERT_EQ(container.read(i).size(), 1u) << name;
    const ContainedCodeObject object = container.select(gfx942, "fuzz");
    EXPECT_THAT(object.where, HasSubstr("bundle 0 at 0x1000 (CCOB version 2, zstd), entry 1 (gfx942)"));
    EXPECT_TRUE(same(object.code.bytes, readFile(NSTF_TEST_CORPUS "/code-object/gfx942.assembly")));
  }
  // A library for another machine, and one without section headers.
  Bytes library = readFile(NSTF_TEST_CORPUS "/container/host.so");
  library[18] = std::byte(183); // e_machine: AArch64
  EXPECT_EQ(failure(library), "");
  std::memset(library.data() + 40, 0, 8); // e_shoff
  std::memset(library.data() + 58, 0, 6); // e_shentsize, e_shnum, e_shstrndx
  EXPECT_EQ(CodeObjectContainer::view(library.data(), library.size(), "lib").parts().size(), 3u);
  // This program contains no bundle.
  EXPECT_THAT(failure(readFile("/proc/self/exe")), HasSubstr("without a section .hip_fatbin"));
}

TEST(Container, OffloadBinariesOfOpenMp) {
  const Bytes file = readFile(NSTF_TEST_CORPUS "/container/offload-binaries");
  const CodeObjectContainer container = CodeObjectContainer::view(file.data(), file.size(), "omp");
  ASSERT_EQ(container.parts().size(), 2u);
  EXPECT_EQ(container.leftover(), "");
  EXPECT_EQ(container.select(gfx942, "fuzz").part, 1u);
  EXPECT_THAT(container.select(gfx942).where, HasSubstr("omp: bundle 1 at 0x"));
  EXPECT_TRUE(same(container.select(gfx90a).code.bytes, readFile(NSTF_TEST_CORPUS "/code-object/gfx90a.v5")));
  for (size_t size = 0; size < file.size(); size += size < 256 ? 1 : 61) {
    const Bytes part(file.begin(), file.begin() + long(size));
    EXPECT_NE(failure(part), "") << size;
  }
}

TEST(Container, MostSpecificEntryWins) {
  const Bytes any(1), off(2), on(3), generic(4);
  const Bytes file = bundle({{"gfx9-4-generic:xnack-", generic},
                             {"gfx942", any},
                             {"gfx942:xnack-", off},
                             {"gfx942:xnack+", on},
                             {"gfx942:unheard-of+", Bytes(5)}});
  auto selected = [&](const char *device) {
    return selectCodeObject(TargetId::parse(device), file.data(), file.size(), "b").code.bytes.size();
  };
  EXPECT_EQ(selected("gfx942:xnack-"), 2u);
  EXPECT_EQ(selected("gfx942:xnack+"), 3u);
  EXPECT_EQ(selected("gfx950:xnack-"), 4u);
}

TEST(Container, DamagedOnesAreRefusedByPlace) {
  const Bytes plain = bundle({{"gfx942", kernelsOf("gfx942")}});
  EXPECT_THAT(failure(compress(plain, 3, true, 0, 1)), HasSubstr("expected a bundle of hash 0x0000000000000001"));
  EXPECT_THAT(failure(compress(plain, 2, true, plain.size() + 1)),
              HasSubstr("decompressed bytes but got " + std::to_string(plain.size())));
  EXPECT_THAT(failure(compress(plain, 2, false, plain.size() - 1)), HasSubstr("can't be decompressed"));
  EXPECT_THAT(failure(compress(plain, 3, true, uint64_t(1) << 60)), HasSubstr("more than"));
  Bytes file = compress(plain, 3, true);
  file[4] = std::byte(4);
  EXPECT_THAT(failure(file), HasSubstr("expected version 1, 2 or 3 of compressed bundles but got 4"));
  file[4] = std::byte(3);
  file[6] = std::byte(2);
  EXPECT_THAT(failure(file), HasSubstr("method 0 (zlib) or 1 (zstd) but got 2"));
  file[6] = std::byte(1);
  file[100] ^= std::byte(0x55);
  EXPECT_NE(failure(file), "");
  for (unsigned version : {1, 2, 3})
    for (bool zstd : {false, true}) {
      const Bytes whole = compress(plain, version, zstd);
      for (size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 97) {
        const Bytes part(whole.begin(), whole.begin() + long(size));
        EXPECT_NE(failure(part), "") << "version " << version << ", " << size << " bytes";
      }
    }
  Bytes several = compress(plain, 3, true);
  append(several, Bytes(100, std::byte('x')));
  EXPECT_THAT(failure(several), HasSubstr("expected a bundle at 0x"));
  EXPECT_THAT(failure(readFile(NSTF_TEST_KERNELS "/../CTestTestfile.cmake")), HasSubstr("it is neither"));
}

TEST(Container, FilesThatCantBeRead) {
  auto opened = [](const std::string &path) -> std::string {
    try {
      CodeObjectContainer::open(path);
      return "";
    } catch (const LoadError &error) {
      EXPECT_EQ(error.reason, LoadError::Reason::NoFile);
      return error.what();
    }
  };
  EXPECT_EQ(opened("/no/such/file"), "/no/such/file: No such file or directory");
  EXPECT_EQ(opened("/"), "/: expected a file but got a folder");
  const TemporaryFile empty{Bytes()};
  EXPECT_EQ(opened(empty.path), empty.path + ": expected a code object but got 0 bytes");
}

TEST(KernelList, IsWhatLoadingGives) {
  for (const char *chip : {"gfx90a", "gfx942"}) {
    const Bytes code = kernelsOf(chip);
    const CodeObjectFile file = readKernels(code, "kernels");
    Memory memory;
    auto program = Program::load(memory, std::string(chip) == "gfx942" ? gfx942 : gfx90a, code, "kernels");
    EXPECT_EQ(file.version, 5u);
    ASSERT_EQ(file.kernels.size(), program->kernels().size());
    for (const Kernel &kernel : file.kernels) {
      const Kernel *loaded = program->kernel(kernel.name);
      ASSERT_TRUE(loaded) << kernel.name;
      EXPECT_EQ(kernel.entry + program->base(), loaded->entry);
      EXPECT_EQ(kernel.arguments.size(), loaded->arguments.size());
      EXPECT_EQ(kernel.vgprCount, loaded->vgprCount);
      EXPECT_TRUE(hasKernel(code, kernel.name));
    }
    EXPECT_FALSE(hasKernel(code, "vectorAd"));
    EXPECT_EQ(file.kernels.back().arguments.front().addressSpace, "global");
  }
}

TEST(KernelList, EveryVersionOfCodeObjects) {
  for (unsigned version : {4, 5, 6})
    EXPECT_EQ(readKernels(readFile(NSTF_TEST_CORPUS "/code-object/gfx942.v" + std::to_string(version)), "f").version,
              version);
  // Version 3, which clang no longer writes, has another ABI number and one bit per feature.
  Bytes old = readFile(NSTF_TEST_CORPUS "/code-object/gfx90a.v5");
  old[8] = std::byte(1);
  old[49] = std::byte(2); // e_flags: sramecc on, xnack off
  const CodeObjectFile file = readKernels(old, "old");
  EXPECT_EQ(file.version, 3u);
  EXPECT_EQ(file.target.str(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(file.kernels.size(), 2u);
  Memory memory;
  EXPECT_TRUE(Program::load(memory, gfx90a, old, "old")->kernel("fuzz"));
}

TEST(KernelList, WithoutMetadataDescriptorsAreTaken) {
  for (const char *chip : {"gfx90a", "gfx942"}) {
    const CodeObjectFile file =
        readKernels(readFile(NSTF_TEST_CORPUS "/code-object/" + std::string(chip) + ".assembly"), "a");
    ASSERT_EQ(file.kernels.size(), 1u);
    const Kernel &kernel = file.kernels[0];
    EXPECT_EQ(kernel.name, "fuzz");
    EXPECT_FALSE(kernel.hasMetadata);
    EXPECT_EQ(kernel.kernargSize, 64u);
    EXPECT_EQ(kernel.descriptor.preloadDwords, 2u);
    EXPECT_TRUE(kernel.arguments.empty());
  }
}

TEST(KernelList, OtherChipsCanBeListed) {
  Bytes code = kernelsOf("gfx942");
  code[48] = std::byte(0x41); // e_flags: gfx1100
  EXPECT_EQ(readKernels(code, "other").target.processor, "gfx1100");
  EXPECT_GE(readKernels(code, "other").kernels.size(), 9u);
}

TEST(LoadErrors, AreOneLine) {
  EXPECT_STREQ(LoadError(LoadError::Reason::Malformed, "a\nb\x1b[2J").what(), "a\\nb\\x1b[2J");
}

} // namespace
} // namespace nstf::emulator
