#include "runtime/emulator/launch/Comparison.h"
#include "support/Escape.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace nstf::emulator {
namespace {

std::string shortNumber(double value) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4);
  return std::string(text, end);
}

/// Distinguishes numbers that `decode` would round to the same value. Precondition: both are integers of the same type.
bool sameBits(ElementType type, const std::byte *a, const std::byte *b) { return std::memcmp(a, b, sizeOf(type)) == 0; }

} // namespace

std::string indexText(uint64_t i, const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    uint64_t size = std::max<uint64_t>(1, uint64_t(shape[d]));
    text = std::to_string(i % size) + (text.empty() ? "" : ", ") + text;
    i /= size;
  }
  return "[" + text + "]";
}

Comparison compare(const ExpectDescription &expectation, const BufferDescription &description,
                   std::span<const std::byte> got, const Tensor &expected, size_t max) {
  ElementType type = description.type;
  unsigned bytes = sizeOf(type);
  Comparison result;
  result.buffer = description.name;
  result.elements = got.size() / bytes;
  result.absolute = expectation.absolute;
  result.relative = expectation.relative;
  bool exact = !isFloat(type) && expected.type == type && !expectation.absolute && !expectation.relative;
  auto describe = [&](uint64_t i) {
    return Comparison::Element{i, indexText(i, description.shape), toText(expected.type, expected.at(i)),
                               toText(type, got.data() + i * bytes)};
  };
  double furthest = -1;
  uint64_t worst = 0;
  for (uint64_t i = 0; i < result.elements; ++i) {
    const std::byte *element = got.data() + i * bytes;
    double value = decode(type, element), wanted = decode(expected.type, expected.at(i));
    double error = std::min(std::abs(value - wanted), std::numeric_limits<double>::max());
    result.nans += std::isnan(value);
    bool agrees;
    if (std::isnan(value) || std::isnan(wanted)) {
      agrees = std::isnan(value) && std::isnan(wanted) && expectation.nanEqual;
    } else if (std::isinf(value) || std::isinf(wanted)) {
      agrees = value == wanted;
    } else {
      agrees = exact ? sameBits(type, element, expected.at(i))
                     : error <= expectation.absolute + expectation.relative * std::abs(wanted);
      result.maxAbsolute = std::max(result.maxAbsolute, error);
      if (error > 0) // relative to 0 there is no error
        result.maxRelative = std::max(result.maxRelative, wanted != 0 ? error / std::abs(wanted) : 0.0);
      if (error > furthest) {
        furthest = error;
        worst = i;
      }
    }
    if (!agrees && result.mismatches++ < std::max<size_t>(max, 1))
      result.first.push_back(describe(i));
  }
  if (result.mismatches)
    result.worst = describe(worst);
  return result;
}

std::string Comparison::text() const {
  std::string errors =
      "max abs error " + shortNumber(maxAbsolute) + ", max rel error " + shortNumber(maxRelative) +
      (absolute || relative ? " (atol " + shortNumber(absolute) + ", rtol " + shortNumber(relative) + ")" : "");
  std::string text = "buffer '" + support::escape(buffer) + "': ";
  if (passed())
    return text + "all " + std::to_string(elements) + " elements as expected, " + errors;
  const Element &begin = first.front();
  text += std::to_string(mismatches) + " of " + std::to_string(elements) + " elements differ; first at " + begin.index +
          ": expected " + begin.expected + " but got " + begin.got;
  if (worst.number != begin.number && maxAbsolute > 0)
    text += "; furthest at " + worst.index + ": expected " + worst.expected + " but got " + worst.got;
  return text + "; " + errors + (nans ? ", " + std::to_string(nans) + " NaN" : "");
}

std::string summary(ElementType type, std::span<const std::byte> data) {
  uint64_t elements = data.size() / sizeOf(type), nans = 0, infinities = 0, zeros = 0;
  const std::byte *smallest = nullptr, *largest = nullptr;
  for (uint64_t i = 0; i < elements; ++i) {
    const std::byte *element = data.data() + i * sizeOf(type);
    double value = decode(type, element);
    nans += std::isnan(value);
    infinities += std::isinf(value);
    zeros += value == 0;
    if (std::isnan(value))
      continue;
    if (!smallest || value < decode(type, smallest))
      smallest = element;
    if (!largest || value > decode(type, largest))
      largest = element;
  }
  std::string text;
  if (smallest)
    text = toText(type, smallest) + " to " + toText(type, largest);
  auto add = [&](uint64_t count, const char *what) {
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(zeros, "zero");
  add(nans, "NaN");
  add(infinities, "infinite");
  return text.empty() ? "empty" : text;
}

} // namespace nstf::emulator
