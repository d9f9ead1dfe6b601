#include "runtime/emulator/launch/LaunchFile.h"
#include "runtime/emulator/launch/ContentsReader.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/LaunchFileText.h"

#include <algorithm>
#include <cmath>

namespace nstf::emulator {
namespace {

constexpr int64_t maximumElements = int64_t(1) << 40;

/// The value of `key`; an error if it is the placeholder that nstf-emu list --launch writes.
const YamlValue &filledIn(const YamlValue &value, const std::string &key, const std::string &expected) {
  if (value.isScalar() && value.scalar(expected) == support::notFilledIn)
    value.place().error("expected '" + support::escape(key) + "' to be filled in with " + expected +
                        (expected.ends_with(",") ? "" : ",") + " but it is still " + std::string(support::notFilledIn));
  return value;
}

const YamlValue &getFilledIn(const YamlMap &map, const std::string &key, const std::string &expected) {
  return filledIn(map.get(key, expected), key, expected);
}

const YamlValue *findFilledIn(const YamlMap &map, const std::string &key, const std::string &expected) {
  const YamlValue *value = map.find(key);
  return value ? &filledIn(*value, key, expected) : nullptr;
}

class Reader {
public:
  explicit Reader(LaunchFile &file) : file(file) {}

  void read(const YamlValue &root) {
    YamlMap map =
        root.map("a map with code_object and launches",
                 {"code_object", "target", "matrix", "check", "buffers", "variables", "launches", "outputs", "expect"});
    if (const YamlValue *value = map.find("code_object")) {
      file.codeObject = value->text("the path of a code object");
      file.codeObjectPlace = value->place();
    }
    if (const YamlValue *value = map.find("target")) {
      file.target = value->text("a target, such as gfx942");
      file.targetPlace = value->place();
    }
    if (const YamlValue *value = map.find("matrix"))
      file.matrix = matrixChoice(*value);
    if (const YamlValue *value = map.find("check"))
      readCheck(*value);
    if (const YamlValue *value = map.find("buffers"))
      readBuffers(*value, false);
    if (const YamlValue *value = map.find("variables"))
      readBuffers(*value, true);
    for (const YamlValue &launch : map.get("launches", "a list of launches").list("a list of launches"))
      readLaunch(launch);
    if (const YamlValue *value = map.find("outputs"))
      for (const auto &[name, place, entry] : value->entries("a map of buffers and files"))
        file.outputs.push_back({bufferName(name, entry), entry.text("a file's path"), entry.place()});
    if (const YamlValue *value = map.find("expect"))
      for (const auto &[name, place, entry] : value->entries("a map of buffers and what they should hold"))
        readExpectation(name, entry);
  }

private:
  /// Checks that `name` is a buffer; `at` is the place for errors.
  std::string bufferName(const std::string &name, const YamlValue &at) const {
    if (!file.buffer(name)) {
      std::vector<std::string> known;
      for (const BufferDescription &buffer : file.buffers)
        known.push_back(buffer.name);
      at.place().error("expected one of the buffers but got '" + support::escape(name) + "'" +
                       support::didYouMean(name, known));
    }
    return name;
  }

  static MatrixChoice matrixChoice(const YamlValue &value) {
    std::string word = value.text("fast or exact");
    if (word != "fast" && word != "exact")
      value.fail("fast or exact");
    return word == "fast" ? MatrixChoice::Fast : MatrixChoice::Exact;
  }

  /// "memory,race" or [memory, race]
  void readCheck(const YamlValue &value) {
    file.checkPlace = value.place();
    if (!value.isList()) {
      file.check = value.text("checks, such as all or [memory, race]");
      return;
    }
    for (const YamlValue &entry : value.list(""))
      file.check += (file.check.empty() ? "" : ",") + entry.text("the name of a check");
  }

  void readBuffers(const YamlValue &value, bool isVariable) {
    for (const auto &[name, place, entry] : value.entries("a map of names and what they hold")) {
      if (file.buffer(name))
        entry.place().error("expected another name but got '" + support::escape(name) +
                            "' for a buffer and a variable");
      YamlMap map = entry.map("a map with type and shape", {"type", "shape", "init"});
      BufferDescription buffer;
      buffer.name = name;
      buffer.place = entry.place();
      buffer.isVariable = isVariable;
      const YamlValue &type = getFilledIn(map, "type", "one of " + elementTypeNames());
      std::optional<ElementType> found = findElementType(type.text("one of " + elementTypeNames()));
      if (!found)
        type.fail("one of " + elementTypeNames());
      buffer.type = *found;
      readShape(getFilledIn(map, "shape", "a list of sizes"), buffer);
      if (const YamlValue *init = findFilledIn(map, "init", "what the buffer holds at first, such as zeros"))
        buffer.init = readContents(*init, buffer.type, buffer.elements(), ContentsUse::Init);
      file.buffers.push_back(std::move(buffer));
    }
  }

  static void readShape(const YamlValue &value, BufferDescription &buffer) {
    int64_t elements = 1;
    for (const YamlValue &size : value.list("a list of sizes, such as [16, 4]")) {
      buffer.shape.push_back(int64_t(size.whole("a size of 0 or more", 0, maximumElements)));
      if (__builtin_mul_overflow(elements, std::max<int64_t>(1, buffer.shape.back()), &elements) ||
          elements > maximumElements)
        size.place().error("expected at most 2^40 elements but got a shape of more");
    }
  }

  static std::array<uint32_t, 3> dimensions(const YamlValue &value, const std::string &expected, uint64_t max) {
    std::array<uint32_t, 3> result = {1, 1, 1};
    if (value.isScalar()) {
      result[0] = uint32_t(value.whole(expected, 1, max));
      return result;
    }
    std::vector<YamlValue> sizes = value.list(expected);
    if (sizes.empty() || sizes.size() > 3)
      value.fail(expected);
    for (size_t i = 0; i < sizes.size(); ++i)
      result[i] = uint32_t(sizes[i].whole(expected, 1, max));
    return result;
  }

  void readLaunch(const YamlValue &value) {
    YamlMap map = value.map("a launch: a map with kernel, grid, block and args",
                            {"kernel", "grid", "block", "dynamic_lds", "args", "matrix", "repeat", "code_object"});
    LaunchDescription launch;
    launch.place = value.place();
    const YamlValue &kernel = map.get("kernel", "the name of a kernel");
    launch.kernel = kernel.text("the name of a kernel");
    launch.kernelPlace = kernel.place();
    launch.codeObject = file.codeObject;
    launch.codeObjectPlace = file.codeObjectPlace;
    if (const YamlValue *object = map.find("code_object")) {
      launch.codeObject = object->text("the path of a code object");
      launch.codeObjectPlace = object->place();
    }
    if (launch.codeObject.empty())
      value.place().error("expected the key 'code_object', here or for the whole file, but there is none");
    launch.grid = dimensions(getFilledIn(map, "grid", "workgroups in x, y and z"),
                             "one to three numbers of workgroups, 1 or more,", UINT32_MAX);
    if (const YamlValue *block = findFilledIn(map, "block", "work-items in x, y and z"))
      launch.block = dimensions(*block, "one to three numbers of work-items from 1 to 1024", 1024);
    if (const YamlValue *bytes = findFilledIn(map, "dynamic_lds", "bytes of LDS beside the kernel's own"))
      launch.dynamicLds = uint32_t(bytes->whole("a number of bytes of LDS, 0 or more", 0, UINT32_MAX));
    if (const YamlValue *count = map.find("repeat"))
      launch.repeat = uint32_t(count->whole("a number of launches, 1 or more", 1, 1'000'000));
    if (const YamlValue *matrix = map.find("matrix"))
      launch.matrix = matrixChoice(*matrix);
    if (const YamlValue *arguments = findFilledIn(map, "args", "a list of arguments"))
      for (const YamlValue &argument : arguments->list("a list of arguments"))
        launch.arguments.push_back(readArgument(argument));
    file.launches.push_back(std::move(launch));
  }

  ArgumentDescription readArgument(const YamlValue &value) const {
    static const std::string expected = "an argument, such as {buffer: a}, {i32: 4096}, {f32: 0.5} or {bytes: 00ff},";
    ArgumentDescription argument;
    argument.place = value.place();
    if (!value.isMap())
      value.fail(expected);
    const YamlValue *content = nullptr;
    std::string key;
    const YamlValue *offset = nullptr;
    auto entries = value.entries(expected);
    for (const auto &[name, place, entry] : entries) {
      if (name == "at")
        argument.at = uint32_t(entry.whole("an offset into the argument block", 0, 1 << 20));
      else if (name == "offset")
        offset = &entry;
      else if (content)
        value.place().error("expected one value in an argument but got '" + support::escape(key) + "' and '" +
                            support::escape(name) + "'");
      else {
        content = &entry;
        key = name;
      }
    }
    if (!content)
      value.place().error("expected " + expected + " but got an argument without a value");
    argument.written = key;
    filledIn(*content, key, expected);
    if (offset && key != "buffer")
      offset->place().error("expected no 'offset' beside '" + support::escape(key) + "' (it goes with 'buffer')");
    if (key == "buffer") {
      argument.kind = ArgumentDescription::Pointer;
      argument.buffer = bufferName(content->text("the name of a buffer"), *content);
      if (offset)
        readOffset(*offset, argument);
    } else if (key == "bytes") {
      argument.kind = ArgumentDescription::Bytes;
      argument.bytes = readHex(*content);
    } else if (std::optional<ElementType> type = findElementType(key)) {
      argument.kind = ArgumentDescription::Scalar;
      argument.bytes.resize(sizeOf(*type));
      if (!encode(*type, content->number(describeRange(*type)), argument.bytes.data()))
        content->fail(describeRange(*type));
    } else {
      std::vector<std::string> known = {"buffer", "bytes", "at", "offset"};
      for (ElementType type : launchTypes)
        known.emplace_back(nameOf(type));
      content->place().error("expected buffer, bytes or one of " + elementTypeNames() + " but got '" +
                             support::escape(key) + "'" + support::didYouMean(key, known));
    }
    return argument;
  }

  void readOffset(const YamlValue &value, ArgumentDescription &argument) const {
    // A kernel may use pointers before the begin or past the end, if it adds an index to them.
    Number number = value.number("an offset in bytes");
    if (!encode(ElementType::I64, number, reinterpret_cast<std::byte *>(&argument.offset)))
      value.fail("an offset in bytes");
  }

  static std::vector<std::byte> readHex(const YamlValue &value) {
    static const std::string expected = "bytes as pairs of hexadecimal digits, such as \"00ff12\",";
    std::string digits;
    for (char c : value.text(expected))
      if (c != ' ' && c != '_' && c != '\n')
        digits += c;
    std::vector<std::byte> bytes;
    auto digit = [&](char c) {
      if (!std::isxdigit(static_cast<unsigned char>(c)))
        value.fail(expected);
      return unsigned(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    };
    if (digits.size() % 2 || digits.empty())
      value.fail(expected);
    for (size_t i = 0; i < digits.size(); i += 2)
      bytes.push_back(std::byte(digit(digits[i]) << 4 | digit(digits[i + 1])));
    return bytes;
  }

  void readExpectation(const std::string &name, const YamlValue &value) {
    ExpectDescription expectation;
    expectation.buffer = bufferName(name, value);
    expectation.place = value.place();
    const BufferDescription &buffer = *file.buffer(name);
    expectation.contents = readContents(value, buffer.type, buffer.elements(), ContentsUse::Expect);
    for (const auto &[key, place, entry] : value.entries("")) {
      if (key == "nan_equal") {
        expectation.nanEqual = entry.boolean("whether NaN agrees with NaN");
      } else if (key == "atol" || key == "rtol") {
        double tolerance = entry.number("a tolerance of 0 or more").value;
        if (!(tolerance >= 0))
          entry.fail("a tolerance of 0 or more");
        (key == "atol" ? expectation.absolute : expectation.relative) = tolerance;
      }
    }
    if (expectation.contents.kind == Contents::Buffer) {
      const BufferDescription &other = *file.buffer(bufferName(expectation.contents.buffer, value));
      if (other.elements() != buffer.elements())
        value.place().error("expected a buffer of " + std::to_string(buffer.elements()) +
                            " elements to compare with '" + support::escape(name) + "' but got '" +
                            support::escape(other.name) + "' of " + std::to_string(other.elements()));
    }
    file.expectations.push_back(std::move(expectation));
  }

  LaunchFile &file;
};

} // namespace

std::string describeTensor(ElementType type, const std::vector<int64_t> &shape) {
  std::string text = std::string(nameOf(type)) + " [";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

uint64_t BufferDescription::elements() const {
  uint64_t product = 1;
  for (int64_t size : shape)
    product *= uint64_t(size);
  return product;
}

std::string BufferDescription::str() const { return describeTensor(type, shape); }

LaunchFile LaunchFile::read(const std::filesystem::path &path) {
  LaunchFile file;
  file.path = path;
  Reader(file).read(YamlValue::readFile(path));
  return file;
}

LaunchFile LaunchFile::readText(const std::string &text, const std::filesystem::path &path) {
  LaunchFile file;
  file.path = path;
  Reader(file).read(YamlValue::readText(text, path.string()));
  return file;
}

const BufferDescription *LaunchFile::buffer(std::string_view name) const {
  for (const BufferDescription &buffer : buffers)
    if (buffer.name == name)
      return &buffer;
  return nullptr;
}

std::filesystem::path LaunchFile::resolve(const std::string &written) const {
  return path.parent_path() / written; // an absolute path stays unchanged
}

} // namespace nstf::emulator
