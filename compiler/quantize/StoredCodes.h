// The layouts of codes, scales and zeros in checkpoints of compressed-tensors, AWQ and GPTQ, for reading and writing.
#pragma once

#include "compiler/quantize/Formats.h"
#include "support/ElementType.h"

#include <stdexcept>

namespace nstf::quantize {

enum class CodeLayout {
  Pack,      ///< compressed-tensors, pack-quantized: words along K without unused bits
  PackLoose, ///< the same from older writers: a word has only whole codes
  Bytes,     ///< compressed-tensors, int-quantized: a byte for each code, less the format's middle
  Awq,       ///< AWQ's gemm: words along N, with shuffled nibbles
  Gptq,      ///< GPTQ: words along K, transposed; zeros are stored less one
  GptqV2,    ///< the same with zeros stored unchanged
  Floats     ///< compressed-tensors, float-quantized, and DeepSeek's fp8: e4m3fn numbers
};

/// A number of a tensor that the format does not hold. The message has the expected and the actual value, and its place
/// in the tensor.
struct StoredFault : std::runtime_error {
  StoredFault(Plane plane, const std::string &message) : std::runtime_error(message), plane(plane) {}
  Plane plane;
};

/// The bytes of a matrix's tensors; zeros are empty if there are none.
template <typename Byte> struct StoredTensors {
  std::span<Byte> codes, scales, zeros;
};

/// The inputs sorted by their groups: column k is input order[k]. `groups` has each input's group as a little-endian
/// i32. Throws std::runtime_error for groups that the format does not have, or whose size differs from the format's.
std::vector<int32_t> sortByGroup(std::span<const std::byte> groups, const Format &format);

/// A matrix of `rows` rows in a layout; `scaleRows` rows share scales and zeros. Its columns are the inputs of the
/// layout, in order or as `order` gives them.
///
/// e4m3fn codes of a checkpoint are used as e4m3fnuz codes with the same bits and twice the scale, since e4m3fn's bias
/// is one less. e4m3fn's negative zero becomes 0. Its NaNs, whose bits are 240 in e4m3fnuz, are refused.
class StoredCodes {
public:
  StoredCodes(CodeLayout layout, Format format, int64_t rows, int64_t scaleRows = 1, std::vector<int32_t> order = {})
      : layout(layout), format(format), rows(rows), scaleRows(scaleRows), order(std::move(order)) {}

  /// The shape of the tensor for this plane: Codes (not split), Scales or Zeros.
  std::vector<int64_t> getShape(Plane plane) const;
  /// The type of codes and zeros.
  support::ElementType getCodeType() const {
    return layout == CodeLayout::Bytes    ? support::ElementType::I8
           : layout == CodeLayout::Floats ? support::ElementType::F8E4M3FN
                                          : support::ElementType::I32;
  }

  /// Precondition: the tensors have these shapes and are all zero before the first row is written; scales are f16.
  void write(int64_t row, const CodedRow &coded, StoredTensors<std::byte> to) const;
  /// Whether some finite scale is not an f16 number, so that the plane of scales must be f32.
  bool needsWideScales(std::span<const std::byte> scales, support::ElementType type) const;
  /// Whether all stored zeros are this number. Precondition: a layout that stores zeros in words.
  bool areZeros(std::span<const std::byte> zeros, unsigned stored) const;
  /// Scales may be f16, bf16 or f32. Throws StoredFault for a scale that is not finite or does not fit the format's
  /// type, and for a code that is NaN.
  CodedRow read(int64_t row, StoredTensors<const std::byte> from, support::ElementType scaleType) const;

private:
  /// A stream of code bits in words that are `stride` words apart.
  struct Stream {
    int64_t first, stride;
  };
  Stream getCodes(int64_t row) const;
  Stream getZeros(int64_t group) const;
  /// The bit in its stream at which the code with this index begins.
  int64_t getBit(int64_t index) const;
  int64_t countWords(int64_t codes) const;
  int64_t getScale(int64_t row, int64_t group) const;
  /// Whether a word has codes along N rather than along K.
  bool isTransposed() const { return layout >= CodeLayout::Awq && layout <= CodeLayout::GptqV2; }
  bool isBytes() const { return layout == CodeLayout::Bytes || layout == CodeLayout::Floats; }
  int64_t getInput(int64_t column) const { return order.empty() ? column : order[column]; }
  /// Reads scales `first` to `first + count - 1`, converted to those of the planes.
  void readScales(std::span<const std::byte> scales, support::ElementType type, int64_t first,
                  std::span<float> to) const;
  float readScale(std::span<const std::byte> scales, int64_t index, support::ElementType type) const;
  uint8_t readFloat(std::span<const std::byte> codes, int64_t index) const;
  [[noreturn]] void fail(Plane plane, int64_t index, const std::string &expected, const std::string &got) const;

  CodeLayout layout;
  Format format;
  int64_t rows, scaleRows;
  std::vector<int32_t> order;
};

} // namespace nstf::quantize
