// What a launch file may say, the message for each mistake, and that damaged files are an error and never a crash.
#include "runtime/emulator/launch/LaunchFile.h"

#include <gmock/gmock.h>
#include <random>

using namespace nstf::emulator;
using testing::HasSubstr;

namespace {

const std::string good = R"(code_object: vadd.hsaco
target: gfx942
matrix: exact
check: [memory, race]
buffers:
  a: {type: f32, shape: [4096], init: {random: {seed: 1, low: -1, high: 1}}}
  b: {type: bf16, shape: [4, 2], init: {file: b.npy}}
  c: {type: f32, shape: [4096], init: {value: nan}}
variables:
  scale: {type: f32, shape: [4]}
launches:
  - {kernel: vadd, grid: [16, 2, 1], block: [256, 1, 1], dynamic_lds: 64,
     args: [{buffer: a}, {buffer: c, offset: -4}, {i32: -4096}, {f16: 0.5}, {bytes: "00 ff12"}]}
  - kernel: asm
    grid: 3
    repeat: 5
    args:
      - {at: 8, buffer: scale}
outputs: {c: c.npy}
expect:  {c: {file: ref.npy, atol: 1e-6, rtol: 1e-5, nan_equal: false}, a: {buffer: c}}
)";

LaunchFile read(const std::string &text) { return LaunchFile::readText(text, "folder/launch.yaml"); }

std::string messageOf(const std::string &text) {
  try {
    read(text);
  } catch (const InputError &error) {
    return error.what();
  }
  return "no error";
}

/// Reads the good file with a part replaced.
std::string messageWith(const std::string &from, const std::string &to) {
  std::string text = good;
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return messageOf(text.replace(at, from.size(), to));
}

TEST(LaunchFile, ReadsWhatIsThere) {
  LaunchFile file = read(good);
  EXPECT_EQ(file.codeObject, "vadd.hsaco");
  EXPECT_EQ(file.resolve(file.codeObject), "folder/vadd.hsaco");
  EXPECT_EQ(file.resolve("/tmp/x"), "/tmp/x");
  EXPECT_EQ(file.target, "gfx942");
  EXPECT_EQ(file.matrix, MatrixChoice::Exact);
  EXPECT_EQ(file.check, "memory,race");
  ASSERT_EQ(file.buffers.size(), 4u);
  EXPECT_EQ(file.buffers[0].init.kind, Contents::Random);
  EXPECT_EQ(file.buffers[0].init.seed, 1u);
  EXPECT_EQ(file.buffers[1].str(), "bf16 [4, 2]");
  EXPECT_EQ(file.buffers[1].bytes(), 16u);
  EXPECT_TRUE(file.buffers[3].isVariable);
  EXPECT_EQ(file.buffers[3].init.kind, Contents::Unset);
  ASSERT_EQ(file.launches.size(), 2u);
  const LaunchDescription &launch = file.launches[0];
  EXPECT_EQ(launch.grid, (std::array<uint32_t, 3>{16, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(launch.dynamicLds, 64u);
  ASSERT_EQ(launch.arguments.size(), 5u);
  EXPECT_EQ(launch.arguments[1].offset, -4);
  EXPECT_EQ(launch.arguments[2].bytes,
            (std::vector<std::byte>{std::byte(0), std::byte(0xf0), std::byte(0xff), std::byte(0xff)}));
  EXPECT_EQ(launch.arguments[4].bytes, (std::vector<std::byte>{std::byte(0), std::byte(0xff), std::byte(0x12)}));
  EXPECT_EQ(file.launches[1].grid, (std::array<uint32_t, 3>{3, 1, 1}));
  EXPECT_FALSE(file.launches[1].block);
  EXPECT_EQ(file.launches[1].repeat, 5u);
  EXPECT_EQ(file.launches[1].arguments[0].at, 8u);
  EXPECT_EQ(file.outputs[0].file, "c.npy");
  EXPECT_EQ(file.expectations[0].absolute, 1e-6);
  EXPECT_FALSE(file.expectations[0].nanEqual);
  EXPECT_EQ(file.expectations[1].contents.buffer, "c");
}

TEST(LaunchFile, Places) {
  EXPECT_EQ(messageWith("{i32: -4096}", "{i32: x}"), "folder/launch.yaml:13:57: expected a whole number from "
                                                     "-2147483648 to 2147483647 but got 'x'");
  EXPECT_EQ(messageWith("target: gfx942", "targte: gfx942"),
            "folder/launch.yaml:2:1: expected one of the keys code_object, target, matrix, check, buffers, "
            "variables, launches, outputs, expect but got 'targte', did you mean 'target'?");
  EXPECT_THAT(messageWith("vadd.hsaco", "[vadd.hsaco"),
              HasSubstr("folder/launch.yaml:2:7: expected YAML but got this:"));
}

TEST(LaunchFile, Mistakes) {
  const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"matrix: exact", "matrix: precise", ":3:9: expected fast or exact but got 'precise'"},
      {"type: f32, shape: [4096], init: {ran", "typ: f32, shape: [4096], init: {ran",
       ":6:7: expected one of the keys type, shape, init but got 'typ', did you mean 'type'?"},
      {"type: bf16, ", "", ":7:6: expected the key 'type' with one of f64, f32,"},
      {"type: bf16", "type: bf61", ":7:13: expected one of f64, f32, f16, bf16, e4m3fnuz, e5m2fnuz, i64,"},
      {"shape: [4, 2]", "shape: 4", "expected a list of sizes, such as [16, 4] but got '4'"},
      {"shape: [4, 2]", "shape: [4, -2]", "expected a size of 0 or more but got '-2'"},
      {"shape: [4, 2]", "shape: [4, 1.5]", "expected a size of 0 or more but got '1.5'"},
      {"shape: [4, 2]", "shape: [1000000, 1000000, 0, 1000000]", "expected at most 2^40 elements"},
      {"init: {value: nan}", "init: {valu: nan}", "but got 'valu', did you mean 'value'?"},
      {"init: {value: nan}", "init: {value: nan, iota: 1}",
       "expected one source of numbers but got 'value' and 'iota'"},
      {"init: {value: nan}", "init: {}",
       "expected one of value, values, random, iota, zeros, file and bytes but got none"},
      {"init: {value: nan}", "init: ones",
       "expected zeros, or a map such as {value: 1}, {random: {seed: 1}} or {file: a.npy}, but got 'ones'"},
      {"init: {value: nan}", "init: {values: [1, 2]}", "expected 4096 numbers but got 2"},
      {"init: {value: nan}", "init: {value: 1e40}", "expected a number that fits f32 but got '1e40'"},
      {"init: {value: nan}", "init: {random: {low: 1, high: 0}}", "expected 'low' up to 'high' but it is above"},
      {"init: {value: nan}", "init: {random: {low: -inf}}", "expected a finite bound but got '-inf'"},
      {"init: {value: nan}", "init: {random: {seed: -1}}", "expected a seed of 0 to 2^64 - 1 but got '-1'"},
      {"init: {value: nan}", "init: {value: 1, convert: true}",
       "expected 'convert' beside 'file' but got it beside 'value'"},
      {"scale: {type: f32", "a: {type: f32", "expected another name but got 'a' for a buffer and a variable"},
      {"  b: {type", "  a: {type", ":7:3: expected every key once but got 'a' again"},
      {"kernel: vadd, ", "", "expected the key 'kernel' with the name of a kernel but got none"},
      {"grid: [16, 2, 1], ", "", "expected the key 'grid' with workgroups in x, y and z but got none"},
      {"grid: [16, 2, 1]", "grid: [16, 2, 1, 1]",
       "expected one to three numbers of workgroups, 1 or more, but got a list of 4"},
      {"grid: [16, 2, 1]", "grid: [0]", "expected one to three numbers of workgroups, 1 or more, but got '0'"},
      {"block: [256, 1, 1]", "block: [2048]",
       "expected one to three numbers of work-items from 1 to 1024 but got '2048'"},
      {"dynamic_lds: 64", "dynamic_lds: -1", "expected a number of bytes of LDS, 0 or more but got '-1'"},
      {"repeat: 5", "repeat: 0", "expected a number of launches, 1 or more but got '0'"},
      {"{buffer: a}, {buffer: c", "{buffer: d}, {buffer: c", "expected one of the buffers but got 'd'"},
      {"{buffer: a}, {buffer: c", "7, {buffer: c",
       "expected an argument, such as {buffer: a}, {i32: 4096}, {f32: 0.5} or {bytes: 00ff}, but got '7'"},
      {"{i32: -4096}", "{i33: 1}", "but got 'i33', did you mean 'i32'?"},
      {"{i32: -4096}", "{i32: 1, f32: 2}", "expected one value in an argument but got 'i32' and 'f32'"},
      {"{i32: -4096}", "{at: 4}", "but got an argument without a value"},
      {"{i32: -4096}", "{i32: 1, offset: 4}", "expected no 'offset' beside 'i32' (it goes with 'buffer')"},
      {"{i32: -4096}", "{u8: 256}", "expected a whole number from 0 to 255 but got '256'"},
      {"{f16: 0.5}", "{f16: 1e5}", "expected a number that fits f16 but got '1e5'"},
      {"\"00 ff12\"", "0ff", "expected bytes as pairs of hexadecimal digits, such as \"00ff12\", but got '0ff'"},
      {"\"00 ff12\"", "zz", "but got 'zz'"},
      {"at: 8", "at: -8", "expected an offset into the argument block but got '-8'"},
      {"offset: -4", "offset: x", "expected an offset in bytes but got 'x'"},
      {"outputs: {c:", "outputs: {d:", "expected one of the buffers but got 'd'"},
      {"outputs: {c: c.npy}", "outputs: {c: }", "expected a file's path but got nothing"},
      {"atol: 1e-6", "atol: -1", "expected a tolerance of 0 or more but got '-1'"},
      {"atol: 1e-6", "atoll: 1e-6", "but got 'atoll', did you mean 'atol'?"},
      {"nan_equal: false", "nan_equal: no", "expected whether NaN agrees with NaN, true or false, but got 'no'"},
      {"a: {buffer: c}", "a: {buffer: b}", "expected a buffer of 4096 elements to compare with 'a' but got 'b' of 8"},
      {"code_object: vadd.hsaco\n", "",
       "expected the key 'code_object', here or for the whole file, but there is none"},
  };
  for (const auto &c : cases)
    EXPECT_THAT(messageWith(c.from, c.to), HasSubstr(c.message)) << c.from << " -> " << c.to;
}

TEST(LaunchFile, WholeFileMistakes) {
  EXPECT_EQ(messageOf(""), "folder/launch.yaml:1:1: expected a map with code_object and launches but got nothing");
  EXPECT_THAT(messageOf("[1]"), HasSubstr("expected a map with code_object and launches but got a list of 1"));
  EXPECT_THAT(messageOf("code_object: a"), HasSubstr("expected the key 'launches' with a list of launches"));
  EXPECT_THAT(messageOf("launches: {}"), HasSubstr("expected a list of launches but got a map"));
  EXPECT_THAT([] { LaunchFile::read("no-such-folder/launch.yaml"); },
              testing::ThrowsMessage<InputError>("no-such-folder/launch.yaml: No such file or directory"));
  EXPECT_THAT([] { LaunchFile::read("."); }, testing::ThrowsMessage<InputError>(".: expected a file but got a folder"));
}

TEST(LaunchFile, DamageIsAnError) {
  std::mt19937 random(2);
  const std::string letters = "{}[]:,-#&*!|>'\"%@`?\n\t 0x9azA.";
  unsigned accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (unsigned n = 1 + random() % 6; n--;) {
      size_t at = random() % (text.size() + 1);
      switch (random() % 5) {
      case 0:
        text.insert(at, 1, letters[random() % letters.size()]);
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      case 2:
        if (at < text.size())
          text[at] = char(random());
        break;
      case 3: { // repeats a part of the file
        std::string part = text.substr(at, random() % 60);
        text.insert(random() % (text.size() + 1), part);
        break;
      }
      default:
        text.resize(at);
      }
    }
    try {
      read(text);
      ++accepted;
    } catch (const InputError &error) {
      EXPECT_THAT(error.what(), HasSubstr("folder/launch.yaml:"));
      EXPECT_THAT(error.what(), HasSubstr(": expected "));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(accepted, 10u); // some damage is harmless
}

TEST(LaunchFile, DeepNesting) {
  EXPECT_THAT(messageOf(std::string(100'000, '[')), HasSubstr(": expected"));
  EXPECT_THAT(messageOf(std::string(100'000, '{')), HasSubstr(": expected"));
}

} // namespace
