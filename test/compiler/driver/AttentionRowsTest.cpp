// Each row of attention has the same bits alone, in chunks, and beside other rows. A process has a single emulated
// chip, so the other chip is tested in another run.
#include "test/compiler/driver/AttentionText.h"
#include "test/compiler/driver/KernelTest.h"
#include "test/support/Environment.h"

#include <cstring>

using namespace nstf;
using namespace nstf::test;

namespace {

using Rows = std::vector<std::vector<std::byte>>; // for each output, all rows in order

/// Rows [first, first + count) of numbers that depend only on the input and the row; odd rows are multiplied by
/// `scale`.
runtime::HostTensor makeRows(const manifest::Port &input, int64_t first, int64_t count, float scale) {
  runtime::HostTensor tensor{input.type, input.shape.at(count), {}};
  const int64_t columns = input.shape.elements(1);
  std::vector<float> numbers;
  for (int64_t row = first; row < first + count; ++row) {
    std::mt19937 random(unsigned(row * 977 + input.buffer));
    for (int64_t i = 0; i < columns; ++i)
      numbers.push_back(float(int32_t(random())) / float(1u << 31) * (row % 2 ? scale : 1));
  }
  tensor.data.resize(numbers.size() * 4);
  std::memcpy(tensor.data.data(), numbers.data(), tensor.data.size());
  return tensor;
}

/// The outputs of consecutive steps of these sizes; queries of odd rows are multiplied by `scale`.
Rows runInChunks(const std::filesystem::path &package, const std::string &target, const std::vector<int64_t> &chunks,
                 float scale = 1) {
  runtime::SessionOptions options;
  options.target = target;
  options.device = DeviceKind::Emulator;
  runtime::Session session = runtime::Session::open(package, options);
  Rows rows(session.manifest().outputs.size());
  for (int64_t count : chunks) {
    const int64_t first = session.position();
    for (size_t i = 0; i < session.manifest().inputs.size(); ++i) {
      const manifest::Port &input = session.manifest().inputs[i];
      session.setInput(input.name, makeRows(input, first, count, i % 3 == 0 ? scale : 1));
    }
    session.run(count);
    for (size_t i = 0; i < rows.size(); ++i) {
      runtime::HostTensor output = session.output(session.manifest().outputs[i].name);
      rows[i].insert(rows[i].end(), output.data.begin(), output.data.end());
    }
  }
  return rows;
}

/// A row has the same bits alone, in chunks of any size whose keys workgroups divide, and beside any other rows.
TEST_F(KernelTest, AttentionGivesARowTheSameBitsInAnyChunk) {
  const char *chip = std::getenv("NSTF_TEST_TARGET");
  const std::string target = chip ? chip : "gfx942";
  options.targets = {target};
  for (auto [precision, codes] : {std::pair(Precision::F32, ""), {Precision::BF16, ""}, {Precision::BF16, "i8"}}) {
    GraphText graph(330);
    for (AttentionCase attention : {AttentionCase{128, 8, 2}, {64, 3, 3}, {38, 14, 2}, {64, 4, 2, 70}})
      addCached(graph, attention, 330);
    options.maxTokens = 16;
    options.precision = precision;
    options.kvCache = *codes ? std::optional<std::string>(codes) : std::nullopt;
    compile(graph.text());
    ASSERT_FALSE(HasFatalFailure());
    std::vector<int64_t> start(17, 16), alone = start, odd = start, whole = start; // 272 rows
    alone.insert(alone.end(), 48, 1);
    odd.insert(odd.end(), {3, 13, 1, 7, 16, 2, 6});
    whole.insert(whole.end(), 3, 16);
    Rows expected = runInChunks(package(), target, alone);
    EXPECT_EQ(runInChunks(package(), target, alone), expected); // repeated
    EXPECT_EQ(runInChunks(package(), target, odd), expected);
    EXPECT_EQ(runInChunks(package(), target, whole), expected);
    Rows scaled = runInChunks(package(), target, whole, 50);
    for (size_t i = 0; i < expected.size(); ++i)
      for (size_t row = 0, bytes = expected[i].size() / 320; row < 320; row += 2)
        EXPECT_TRUE(std::equal(scaled[i].begin() + row * bytes, scaled[i].begin() + (row + 1) * bytes,
                               expected[i].begin() + row * bytes))
            << "output " << i << ", row " << row;
  }
}

/// The sum does not depend on which workgroup arrives last.
TEST_F(KernelTest, AttentionGivesARowTheSameBitsInAnyOrderOfWorkgroups) {
  const char *chip = std::getenv("NSTF_TEST_TARGET");
  const std::string target = chip ? chip : "gfx942";
  options.targets = {target};
  options.precision = Precision::BF16;
  options.maxTokens = 16;
  for (const char *codes : {"none", "i8"}) {
    GraphText graph(2100);
    for (AttentionCase attention : {AttentionCase{128, 8, 2}, {64, 6, 3, 700}})
      addCached(graph, attention, 2100);
    options.kvCache = codes;
    compile(graph.text());
    ASSERT_FALSE(HasFatalFailure());
    runtime::SessionOptions sessionOptions;
    sessionOptions.target = target;
    sessionOptions.device = DeviceKind::Emulator;
    runtime::Session session = runtime::Session::open(package(), sessionOptions);
    auto step = [&](int64_t first, int64_t count) {
      session.seek(first);
      for (const manifest::Port &input : session.manifest().inputs)
        session.setInput(input.name, makeRows(input, first, count, 1));
      session.run(count);
      Rows rows;
      for (const manifest::Port &output : session.manifest().outputs)
        rows.push_back(session.output(output.name).data);
      return rows;
    };
    for (int64_t first = 0; first < 2048; first += 16)
      step(first, 16);
    for (int64_t count : {1, 3}) {
      const Rows expected = step(2048, count);
      for (int seed = 0; seed < 50; ++seed) {
        Environment shuffle("NSTF_EMU_SHUFFLE", std::to_string(seed).c_str());
        ASSERT_EQ(step(2048, count), expected) << codes << ", " << count << " rows, seed " << seed;
      }
    }
  }
}

} // namespace
