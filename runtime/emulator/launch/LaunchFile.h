// The contents of a launch file.
//
// The file of `nstf-emu run`, as values with their places in the file (docs/nstf-emu.md describes the format).
// Reading checks everything that can be checked without the code object and the data files.
#pragma once

#include "runtime/emulator/launch/ElementType.h"
#include "support/Yaml.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nstf::emulator {

using support::InputError;
using support::Place;
using support::YamlMap;
using support::YamlValue;

struct NumberAt {
  Number number;
  Place place;
};

/// The contents of a buffer before the first launch, or its expected contents after the last.
struct Contents {
  enum Kind : uint8_t {
    Unset,  ///< no `init`: bytes of 0xff, which the checks treat as uninitialised
    Zeros,  ///< zeros
    Value,  ///< {value: 1.5}
    Values, ///< {values: [1, 2, 3]}
    Random, ///< {random: {seed: 1, low: -1, high: 1}}
    Iota,   ///< {iota: {start: 0, step: 1}}
    Npy,    ///< {file: a.npy}
    Raw,    ///< {bytes: a.bin}
    Buffer, ///< {buffer: other}; expectations only
  } kind = Unset;
  Place place;
  std::vector<NumberAt> values; ///< Value: one; Random: low, high; Iota: start, step
  uint64_t seed = 0;
  std::string file;     ///< as written; relative to the launch file's folder
  bool convert = false; ///< Npy: numbers of another type are converted
  std::string buffer;
};

struct BufferDescription {
  std::string name;
  Place place;
  bool isVariable = false; ///< a device variable of the code object
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  Contents init;

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * sizeOf(type); }
  /// "f32 [16, 4]"
  std::string str() const;
};
std::string describeTensor(ElementType type, const std::vector<int64_t> &shape);

/// One argument of a launch.
struct ArgumentDescription {
  Place place;
  std::optional<uint32_t> at; ///< its offset in the argument block; absent: that of the metadata's next argument
  enum Kind : uint8_t { Pointer, Scalar, Bytes } kind = Bytes;
  std::string buffer;           ///< Pointer: the buffer's or variable's name
  int64_t offset = 0;           ///< Pointer: bytes into it
  std::string written;          ///< Scalar, Bytes: the key, "i32"
  std::vector<std::byte> bytes; ///< Scalar, Bytes
};

enum class MatrixChoice : uint8_t { Unset, Fast, Exact };

struct LaunchDescription {
  Place place, kernelPlace;
  std::string kernel;
  std::string codeObject; ///< empty: that of the file
  Place codeObjectPlace;
  std::array<uint32_t, 3> grid = {1, 1, 1}; ///< in workgroups
  std::optional<std::array<uint32_t, 3>> block;
  uint32_t dynamicLds = 0, repeat = 1;
  MatrixChoice matrix = MatrixChoice::Unset;
  std::vector<ArgumentDescription> arguments;
};

struct OutputDescription {
  std::string buffer, file;
  Place place;
};

struct ExpectDescription {
  std::string buffer;
  Place place;
  Contents contents;
  double absolute = 0, relative = 0; ///< atol, rtol
  bool nanEqual = true;              ///< whether NaN agrees with NaN
};

struct LaunchFile {
  std::filesystem::path path;
  std::string codeObject;
  Place codeObjectPlace;
  std::string target; ///< empty: not given
  Place targetPlace;
  MatrixChoice matrix = MatrixChoice::Unset;
  std::string check; ///< in the syntax of --check; empty: none
  Place checkPlace;
  std::vector<BufferDescription> buffers; ///< including device variables
  std::vector<LaunchDescription> launches;
  std::vector<OutputDescription> outputs;
  std::vector<ExpectDescription> expectations;

  /// Throws InputError.
  static LaunchFile read(const std::filesystem::path &path);
  static LaunchFile readText(const std::string &text, const std::filesystem::path &path);

  const BufferDescription *buffer(std::string_view name) const;
  /// A path written in the file, relative to the file's folder.
  std::filesystem::path resolve(const std::string &written) const;
};

} // namespace nstf::emulator
