#include "runtime/emulator/launch/ContentsReader.h"
#include "support/Escape.h"

#include <cmath>

namespace nstf::emulator {
namespace {

/// Reads a number that an element of this type can have.
NumberAt elementOf(const YamlValue &value, ElementType type) {
  NumberAt result{value.number(describeRange(type)), value.place()};
  std::byte ignored[8];
  if (!encode(type, result.number, ignored))
    value.fail(describeRange(type));
  return result;
}

void readRandom(const YamlValue &value, ElementType type, Contents &contents) {
  YamlMap map = value.map("a map with seed, low and high", {"seed", "low", "high"});
  if (const YamlValue *seed = map.find("seed"))
    contents.seed = seed->whole("a seed of 0 to 2^64 - 1", 0, UINT64_MAX);
  if (isFloat(type)) // defaults of omitted bounds
    contents.values = {{Number::of(-1), value.place()}, {Number::of(1), value.place()}};
  else if (!map.has("low") || !map.has("high"))
    value.place().error("expected 'low' and 'high' for random numbers of type " + std::string(nameOf(type)) +
                        " but at least one is missing");
  else
    contents.values.resize(2);
  for (int i = 0; i < 2; ++i) {
    const YamlValue *bound = map.find(i ? "high" : "low");
    if (!bound)
      continue;
    contents.values[i] = elementOf(*bound, type);
    if (!std::isfinite(contents.values[i].number.value))
      bound->fail("a finite bound");
  }
  if (!(contents.values[0].number.value <= contents.values[1].number.value))
    value.place().error("expected 'low' up to 'high' but it is above");
}

void readIota(const YamlValue &value, Contents &contents) {
  contents.values = {{Number::of(0), value.place()}, {Number::of(1), value.place()}};
  contents.values[0].number.isWhole = contents.values[1].number.isWhole = true;
  contents.values[1].number.magnitude = 1;
  if (!value.isMap()) { // {iota: 5}
    contents.values[0] = {value.number("a start, or a map with start and step"), value.place()};
    return;
  }
  YamlMap map = value.map("a map with start and step", {"start", "step"});
  for (int i = 0; i < 2; ++i)
    if (const YamlValue *number = map.find(i ? "step" : "start"))
      contents.values[i] = {number->number("a number"), number->place()};
}

void readFile(const YamlValue &value, bool isBytes, Contents &contents) {
  contents.kind = isBytes ? Contents::Raw : Contents::Npy;
  contents.file = value.text(isBytes ? "the path of a file of raw bytes" : "the path of an .npy file");
}

} // namespace

Contents readContents(const YamlValue &value, ElementType type, uint64_t elements, ContentsUse use) {
  bool isInit = use == ContentsUse::Init;
  Contents contents;
  contents.place = value.place();
  if (isInit && value.isScalar()) {
    if (value.text("zeros") != "zeros")
      value.fail("zeros, or a map such as {value: 1}, {random: {seed: 1}} or {file: a.npy},");
    contents.kind = Contents::Zeros;
    return contents;
  }
  YamlMap map = isInit ? value.map("zeros, or a map such as {value: 1}, {random: {seed: 1}} or {file: a.npy},",
                                   {"value", "values", "random", "iota", "zeros", "file", "bytes", "convert"})
                       : value.map("a map such as {file: ref.npy, atol: 1e-6} or {value: 0}",
                                   {"value", "values", "iota", "file", "bytes", "buffer", "atol", "rtol", "nan_equal"});
  const YamlValue *convert = nullptr;
  std::string first;
  for (const auto &[key, place, entry] : map.all()) {
    if (key == "atol" || key == "rtol" || key == "nan_equal")
      continue;
    if (key == "convert") {
      convert = &entry;
      contents.convert = entry.boolean("whether to convert the file's numbers");
      continue;
    }
    if (!first.empty())
      entry.place().error("expected one source of numbers but got '" + support::escape(first) + "' and '" +
                          support::escape(key) + "'");
    first = key;
    contents.place = entry.place();
    if (key == "value") {
      contents.kind = Contents::Value;
      contents.values = {elementOf(entry, type)};
    } else if (key == "values") {
      contents.kind = Contents::Values;
      for (const YamlValue &element : entry.list("a list of numbers"))
        contents.values.push_back(elementOf(element, type));
      if (contents.values.size() != elements)
        entry.place().error("expected " + std::to_string(elements) + " numbers but got " +
                            std::to_string(contents.values.size()));
    } else if (key == "random") {
      contents.kind = Contents::Random;
      readRandom(entry, type, contents);
    } else if (key == "iota") {
      contents.kind = Contents::Iota;
      readIota(entry, contents);
    } else if (key == "zeros") {
      contents.kind = Contents::Zeros;
    } else if (key == "buffer") {
      contents.kind = Contents::Buffer;
      contents.buffer = entry.text("the name of a buffer");
    } else {
      readFile(entry, key == "bytes", contents);
    }
  }
  if (first.empty())
    value.place().error(isInit ? "expected one of value, values, random, iota, zeros, file and bytes but got none"
                               : "expected one of value, values, iota, file, bytes and buffer but got none");
  if (convert && contents.kind != Contents::Npy)
    convert->place().error("expected 'convert' beside 'file' but got it beside '" + support::escape(first) + "'");
  return contents;
}

} // namespace nstf::emulator
