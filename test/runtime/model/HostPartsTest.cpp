// Small parts that need no device: SHA-256, conversions of weights, safetensors headers, chunks of a prompt, packages.
#include "nstf/FloatTypes.h"
#include "nstf/Generate.h"
#include "runtime/model/FillRandom.h"
#include "runtime/model/Weights.h"
#include "support/SafeTensors.h"
#include "support/Sha256.h"
#include "test/runtime/model/GoodManifest.h"
#include "test/runtime/model/TestFiles.h"
#include "test/support/HostVectors.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>

using namespace nstf;
using namespace nstf::runtime;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Chunks = std::vector<int64_t>;

namespace {

// FIPS 180-4's examples, and lengths around the edges of the padding against `sha256sum`.
TEST(Sha256, KnownHashes) {
  EXPECT_EQ(support::sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(support::sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(support::sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(support::sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(support::sha256Hex(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(support::sha256Hex(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(support::sha256Hex(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

float convert(manifest::ElementType type, auto value) {
  float result;
  convertNumbers(reinterpret_cast<const std::byte *>(&value), type, reinterpret_cast<std::byte *>(&result),
                 manifest::ElementType::F32, 1);
  return result;
}

TEST(Weights, HalfAndBfloat) {
  using manifest::ElementType;
  // Every f16, computed in double from sign, exponent and fraction.
  for (int bits = 0; bits < 65536; ++bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                   : exponent == 0 ? std::ldexp(fraction, -24)
                                   : std::ldexp(1024 + fraction, exponent - 25);
    float got = convert(ElementType::F16, uint16_t(bits)), expected = float(bits & 0x8000 ? -value : value);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(got)) << bits;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected)) << bits;
  }
  EXPECT_EQ(convert(ElementType::BF16, uint16_t(0x3fc0)), 1.5f);
  EXPECT_EQ(convert(ElementType::BF16, uint16_t(0xc000)), -2.0f);
  EXPECT_EQ(convert(ElementType::F64, 0.1), 0.1f);
  EXPECT_THROW(convert(ElementType::I32, 1), std::runtime_error);
}

/// Expects round-to-nearest-even: `got` is nearer than both neighbours, or equally near and even.
void expectNearest(double value, uint16_t got, float (*widen)(uint16_t)) {
  double own = std::abs(widen(got) - value);
  for (int step : {-1, 1}) {
    auto other = uint16_t(got + step);
    if ((got & 0x7fff) == 0 && step < 0)
      other = uint16_t(got ^ 0x8000) + 1; // across zero
    double distance = std::abs(widen(other) - value);
    if (std::isnan(distance) || std::isinf(widen(other)))
      continue;
    EXPECT_TRUE(own < distance || (own == distance && got % 2 == 0)) << value << " gave " << got;
  }
}

TEST(Weights, RoundingTo16Bits) {
  // Representable numbers stay; ties between two neighbours go to the even one; a little more or less decides.
  for (auto [widen, round, infinity] :
       {std::tuple(&widenF16, &roundToF16, 0x7c00), std::tuple(&widenBF16, &roundToBF16, 0x7f80)})
    for (int bits = 0; bits < infinity; ++bits) {
      double value = widen(bits);
      ASSERT_EQ(round(value), bits);
      ASSERT_EQ(round(-value), bits | 0x8000);
      if (bits + 1 == infinity)
        break;
      double middle = (value + widen(bits + 1)) / 2;
      ASSERT_EQ(round(middle), bits + bits % 2);
      ASSERT_EQ(round(std::nextafter(middle, 0)), bits);
      ASSERT_EQ(round(-std::nextafter(middle, INFINITY)), (bits + 1) | 0x8000);
    }
  for (double value : {1.0 / 3, 1e-6, 1e-40, 65519.9, 3.3e38, -2.0e-8, 123.456})
    for (auto [widen, round] : {std::pair(&widenF16, &roundToF16), std::pair(&widenBF16, &roundToBF16)})
      if (std::isfinite(widen(round(value))))
        expectNearest(value, round(value), widen);
  EXPECT_EQ(roundToF16(65519.999), 0x7bff);
  EXPECT_EQ(roundToF16(65520), 0x7c00);
  EXPECT_EQ(roundToBF16(3.4e38), 0x7f80);
  EXPECT_EQ(roundToF16(-INFINITY), 0xfc00);
  EXPECT_TRUE(std::isnan(widenF16(roundToF16(NAN))) && std::isnan(widenBF16(roundToBF16(-NAN))));
  // Rounds only once: after rounding to f32 this would be a tie.
  EXPECT_EQ(roundToF16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
}

TEST(Weights, ManyRandomOnesAreThoseOfOneAtATime) {
  int64_t shape[] = {3, 1000};
  RandomWeights random(7, "layer", shape, 2);
  test::onEachKindOfVectors([&] {
    for (uint64_t begin : {uint64_t(0), uint64_t(5), uint64_t(1) << 40}) {
      std::vector<float> numbers(1003);
      fillRandom(random, begin, numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        ASSERT_EQ(numbers[i], random(begin + i)) << begin + i;
    }
  });
}

std::string safetensors(const std::string &header, const std::string &data) {
  return test::getBytes(uint64_t(header.size())) + header + data;
}

TEST(SafeTensorsFile, ReadsAndRefuses) {
  test::TemporaryFolder folder;
  std::string header = R"({"__metadata__": {"a": "b"}, "w": {"dtype": "F32", "shape": [2, 1], "data_offsets": [4, 12]},
                          "odd": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}})";
  support::SafeTensorsFile file(folder.write("w.safetensors", safetensors(header, "....abcdefgh")));
  ASSERT_NE(file.find("w"), nullptr);
  EXPECT_EQ(file.find("w")->shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(static_cast<char>(file.bytes(*file.find("w"))[0]), 'a');
  EXPECT_EQ(file.find("odd")->type, support::ElementType::F8E4M3FN);
  auto refuses = [&](const std::string &bytes, const std::string &what) {
    EXPECT_THAT([&] { support::SafeTensorsFile(folder.write("w.safetensors", bytes)); },
                ThrowsMessage<std::runtime_error>(HasSubstr(what)));
  };
  refuses("", "but the file has 0");
  refuses(test::getBytes(uint64_t(1) << 60), "the header is said to be");
  refuses(safetensors("[]", ""), "expected the header to be an object");
  refuses(safetensors(header, "....abcdefg"), "data_offsets");
  refuses(safetensors(R"({"w": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})", "12345678"), "data_offsets");
  refuses(safetensors(R"({"w": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}})", "12345678"), "data_offsets");
  refuses(safetensors(R"({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}})", "12345678"), "expected 12");
}

manifest::Target targetWith(std::vector<std::pair<int, int>> ranges) {
  manifest::Target target;
  for (auto [min, max] : ranges)
    target.buckets.push_back({min, max, {}});
  return target;
}

TEST(PlanChunks, FillsTheLargestBucket) {
  manifest::Target target = targetWith({{1, 1}, {2, 16}, {17, 64}});
  EXPECT_EQ(planChunks(target, 1), (Chunks{1}));
  EXPECT_EQ(planChunks(target, 64), (Chunks{64}));
  EXPECT_EQ(planChunks(target, 200), (Chunks{64, 64, 64, 8}));
  EXPECT_EQ(planChunks(target, 7, 1), (Chunks(7, 1)));
  EXPECT_EQ(planChunks(target, 7, 3), (Chunks{3, 3, 1}));
  EXPECT_EQ(planChunks(target, 5, 100), (Chunks{5}));
  EXPECT_EQ(planChunks(target, 0), (Chunks{}));
}

TEST(PlanChunks, GapsBetweenBuckets) {
  manifest::Target target = targetWith({{1, 1}, {16, 16}});
  EXPECT_EQ(planChunks(target, 18), (Chunks{16, 1, 1}));
  EXPECT_EQ(planChunks(target, 3), (Chunks{1, 1, 1}));
  target = targetWith({{16, 16}});
  EXPECT_EQ(planChunks(target, 32), (Chunks{16, 16}));
  EXPECT_THAT([&] { planChunks(target, 20); },
              ThrowsMessage<std::runtime_error>(HasSubstr("compiled for (16) but 4 more")));
  EXPECT_THAT([&] { planChunks(target, 32, 8); }, ThrowsMessage<std::runtime_error>(HasSubstr("at most 8 a step")));
}

TEST(Package, FilesAndTargets) {
  test::TemporaryFolder folder;
  EXPECT_THAT([&] { Package::open(folder / "absent"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("there is no such folder")));
  EXPECT_THAT([&] { Package::open(folder.path()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("manifest.json: No such file")));
  nlohmann::json manifest = test::goodManifest();
  manifest["targets"][0]["id"] = "gfx942:sramecc+";
  manifest["targets"][0]["sha256"] = support::sha256Hex("code");
  folder.write("manifest.json", test::sealed(manifest).dump());
  Package package = Package::open(folder.path());
  EXPECT_EQ(package.target("gfx942").id, "gfx942:sramecc+");
  EXPECT_THAT([&] { package.target("gfx90a"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("targets (gfx942:sramecc+) but got \"gfx90a\"")));
  const manifest::Target &target = package.target("gfx942:sramecc+");
  EXPECT_THAT([&] { package.codeObject(target); },
              ThrowsMessage<std::runtime_error>(HasSubstr("kernels.gfx942.hsaco: No such")));
  folder.write("kernels.gfx942.hsaco", "code");
  EXPECT_EQ(package.codeObject(target), "code");
  folder.write("kernels.gfx942.hsaco", "coda");
  EXPECT_THAT([&] { package.codeObject(target); },
              ThrowsMessage<std::runtime_error>(HasSubstr("expected the code object with SHA-256")));
  EXPECT_EQ(package.tokenizer(), nullptr);
}

} // namespace
