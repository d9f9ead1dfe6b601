// Where checkpoints keep codes, scales and zeros: the layouts of compressed-tensors, AWQ and GPTQ, both ways.
#pragma once

#include "compiler/quantize/Formats.h"
#include "support/ElementType.h"

#include <stdexcept>

namespace nstf::quantize {

enum class CodeLayout {
  Pack,      ///< compressed-tensors, pack-quantized: words along K, all their bits used
  PackLoose, ///< the same as older writers have it: only whole codes in a word
  Bytes,     ///< compressed-tensors, int-quantized: a byte a code, less the format's middle
  Awq,       ///< AWQ's gemm: words along N, whose nibbles are shuffled
  Gptq,      ///< GPTQ: words along K, transposed; zeros are stored less one
  GptqV2,    ///< the same with zeros as they are
  Floats     ///< compressed-tensors, float-quantized, and DeepSeek's fp8: numbers of e4m3fn
};

/// A number of a tensor that the format does not hold: what was expected, what it is, and where in its tensor.
struct StoredFault : std::runtime_error {
  StoredFault(Plane plane, const std::string &message) : std::runtime_error(message), plane(plane) {}
  Plane plane;
};

/// The bytes of a matrix's tensors, zeros where it has some.
template <typename Byte> struct StoredTensors {
  std::span<Byte> codes, scales, zeros;
};

/// The inputs in the order of their groups, where each input's group is given, an i32 little-endian: column k is input
/// order[k]. Throws std::runtime_error for groups that the format does not have or that have not its size.
std::vector<int32_t> sortByGroup(std::span<const std::byte> groups, const Format &format);

/// A matrix of `rows` rows in a layout, of which `scaleRows` share scales and zeros. Its columns are the inputs of the
/// layout, or those that `order` says.
///
/// e4m3fn of a checkpoint is e4m3fnuz of twice the scale, bit by bit: its bias is one less. Its negative zero is 0
/// here, and its NaNs, which mean 240 here, are refused.
class StoredCodes {
public:
  StoredCodes(CodeLayout layout, Format format, int64_t rows, int64_t scaleRows = 1, std::vector<int32_t> order = {})
      : layout(layout), format(format), rows(rows), scaleRows(scaleRows), order(std::move(order)) {}

  /// Of the tensor that is this plane: Codes (whole ones), Scales or Zeros.
  std::vector<int64_t> getShape(Plane plane) const;
  /// The type of codes and zeros.
  support::ElementType getCodeType() const {
    return layout == CodeLayout::Bytes    ? support::ElementType::I8
           : layout == CodeLayout::Floats ? support::ElementType::F8E4M3FN
                                          : support::ElementType::I32;
  }

  /// Precondition: tensors of these shapes, all zero before the first row is written; scales are f16.
  void write(int64_t row, const CodedRow &coded, StoredTensors<std::byte> to) const;
  /// Whether scales, all that are finite, are more than f16 holds, so that their plane must be f32.
  bool needsWideScales(std::span<const std::byte> scales, support::ElementType type) const;
  /// Whether all zeros are this number as they are stored. Precondition: a layout whose zeros stand in words.
  bool areZeros(std::span<const std::byte> zeros, unsigned stored) const;
  /// Scales may be f16, bf16 or f32. Throws StoredFault for one that is not finite or not of the format's type, and for
  /// a code that is no number.
  CodedRow read(int64_t row, StoredTensors<const std::byte> from, support::ElementType scaleType) const;

private:
  /// Bits of neighbouring codes in words that lie `stride` words apart.
  struct Stream {
    int64_t first, stride;
  };
  Stream getCodes(int64_t row) const;
  Stream getZeros(int64_t group) const;
  /// Where in its stream a code begins, the `index`-th along its words.
  int64_t getBit(int64_t index) const;
  int64_t countWords(int64_t codes) const;
  int64_t getScale(int64_t row, int64_t group) const;
  /// Codes along N stand in words, not codes along K.
  bool isTransposed() const { return layout >= CodeLayout::Awq && layout <= CodeLayout::GptqV2; }
  bool isBytes() const { return layout == CodeLayout::Bytes || layout == CodeLayout::Floats; }
  int64_t getInput(int64_t column) const { return order.empty() ? column : order[column]; }
  /// What the planes have for scales `first` to `first + count - 1`.
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
