// The contents of a package's manifest.json.
//
// Plain data: one struct for each object of manifest.schema.json, with the same names. readManifest creates instances
// and checks everything that can be checked without a device. Users of a Manifest may therefore index without checks:
// names are resolved to indices, every offset lies inside its buffer, and no sum overflows.
#pragma once

#include "support/ElementType.h"
#include "support/OperandOrder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {
class JsonCursor;
}

namespace nstf::manifest {

/// Of the manifests that this library reads. 2: caches have an order; 4: buffers that are zero between launches are a
/// kind of their own.
constexpr int64_t version = 4;

/// Number formats of tensors in device memory and in files: f64, f32, f16, bf16, i64, i32, i16, i8, u8 and e4m3fnuz.
using support::ElementType;
/// sizeOf: bytes of one element; nameOf: its name in the manifest, "f32", ….
using support::nameOf;
using support::sizeOf;
/// The inverse of nameOf for the types that a manifest may have.
std::optional<ElementType> elementTypeFromName(std::string_view name);

/// Dimensions, outermost first. The first may be the number of rows of the step ("tokens"); it is then
/// `tokensDimension`.
struct Shape {
  static constexpr int64_t tokensDimension = -1;
  std::vector<int64_t> dimensions;
  /// The memory order of a cache that is not stored row by row; `dimensions` are the cache's, [positions, heads * head
  /// size].
  std::optional<support::OperandOrder> order = {};

  bool hasTokens() const { return !dimensions.empty() && dimensions.front() == tokensDimension; }
  /// The shape in a step of `tokens` rows.
  std::vector<int64_t> at(int64_t tokens) const;
  /// Number of elements in a step of `tokens` rows.
  uint64_t elements(int64_t tokens) const;
  /// The dimensions of the stored data in a step of `tokens` rows: with an order, those of its matrix.
  std::vector<int64_t> stored(ElementType type, int64_t tokens) const;
  /// Bytes of memory in a step of `tokens` rows.
  uint64_t bytes(ElementType type, int64_t tokens) const;
  /// "[tokens, 64]", "[512, 64] (keys in operand order, 8 heads)"
  std::string str() const;
};

/// Counters and scratch are work space of single launches. Counters are zero before the first step, after a step that
/// failed, and between launches; the contents of scratch before a launch are undefined.
enum class BufferKind { Weights, Arena, Control, Input, Output, State, Counters, Scratch };
std::string_view nameOf(BufferKind kind);

/// Device memory, one allocation each.
struct Buffer {
  std::string name;
  BufferKind kind;
  uint64_t size; // bytes
  std::optional<ElementType> type;
  std::optional<Shape> shape;
  int64_t slots = 1; // of a state: the number of values of `shape` in it, one after the other
};

/// An input or output of the model, at the start of its buffer.
struct Port {
  std::string name;
  ElementType type;
  Shape shape;
  std::size_t buffer; // index into Manifest::buffers
  /// For an i32 input: the values are row indices of tables, in the range 0 … limit-1.
  std::optional<int64_t> limit = {};
};

/// Places of a run's scalars in the control buffer: 32-bit little-endian words at these byte offsets of a block. The
/// first block describes the whole step. Where a step takes rows of several requests, one block for each request
/// follows it, with the request's own tokens and position. The request's rows in the step begin with row `first`, and
/// its states are in `slot`.
struct Control {
  std::size_t buffer; // index into Manifest::buffers
  uint64_t size;      // bytes of a block
  uint64_t tokens, position;
  uint64_t first = 0, slot = 0;
  int64_t requests = 1; // maximum number of requests with rows in one step

  uint64_t bytes() const { return size * (requests > 1 ? 1 + uint64_t(requests) : 1); }
};

struct Tokenizer {
  std::string kind = "none"; // none, tokenizer_json, sentencepiece, tok512
  // Relative to the package; empty: none.
  std::string file;
  std::string config;        // tokenizer_config.json
  std::string specialTokens; // special_tokens_map.json
  std::string addedTokens;   // added_tokens.json
  std::string chatTemplate;  // chat_template.jinja
};

/// The sampling parameters that the model's authors recommend in generation_config.json.
struct Sampling {
  std::optional<bool> sample; // false or absent: greedy, whatever the temperature
  std::optional<double> temperature;
  std::optional<int64_t> topK;
  std::optional<double> topP, minP, repetitionPenalty;
  std::optional<int64_t> tokens; // maximum number of new tokens

  /// Calls `function(key, field)` for each field of a Sampling. The keys of the file and of the manifest are the same.
  static void forEach(auto &sampling, auto function) {
    function("do_sample", sampling.sample);
    function("temperature", sampling.temperature);
    function("top_k", sampling.topK);
    function("top_p", sampling.topP);
    function("min_p", sampling.minP);
    function("repetition_penalty", sampling.repetitionPenalty);
    function("max_new_tokens", sampling.tokens);
  }
};

struct Model {
  std::string name, architecture;
  std::optional<int64_t> context, vocabulary;
  std::optional<ElementType> precision; // of the operands of matrix products: f32, f16 or bf16
  std::optional<int32_t> bos;
  std::vector<int32_t> eos;         // each of them ends a text
  std::optional<Sampling> sampling; // absent: there was no generation_config.json
  Tokenizer tokenizer;
};

struct WeightSource {
  std::string file; // a relative path is inside the package
  uint64_t offset;  // bytes from the start of the file
  ElementType storedType;
  std::string sha256; // of the stored bytes; empty: unknown
};

/// Which part of a quantised matrix a weight is: format "int4_g128", plane "codes", "high", "scales" or "zeros".
struct WeightPlane {
  std::string format, plane;
};

struct Weight {
  std::string name;
  ElementType type;
  Shape shape;
  uint64_t offset, size; // bytes, in the buffer of kind weights
  std::optional<WeightSource> source;
  std::optional<WeightPlane> plane = {}; // absent: its elements are the numbers
};

enum class WeightsMode { Pack, Reference, Random, None };

struct Weights {
  WeightsMode mode;
  uint64_t seed = 0;
  std::optional<std::size_t> buffer; // index into Manifest::buffers; absent if there are no tensors
  std::vector<Weight> tensors;
};

enum class Access { Read, Write, ReadWrite };

/// A parameter of a kernel: an 8-byte device address in its argument segment.
struct KernelArgument {
  std::string name;
  uint32_t offset, size;
  ElementType type;
  Shape shape;
  uint32_t alignment; // of the address
  Access access;
};

/// Maximum number of workgroups of a launch.
constexpr uint64_t maxWorkgroups = 2147483647;

/// A dimension that is split among a kernel's workgroups: one workgroup for every `tile` of it.
struct TiledExtent {
  uint64_t extent; // of each token of the step if `perToken`, else of the step
  bool perToken;
  uint64_t tile;
};

struct Kernel {
  std::string symbol, templateName;
  uint32_t waveSize;
  std::array<uint32_t, 3> block; // work items
  uint32_t lds;                  // bytes a workgroup
  uint32_t vgprs, agprs, sgprs, scratch, spills, occupancy;
  uint32_t kernargSize;
  std::vector<KernelArgument> arguments;
  /// The dimensions that determine the number of workgroups of a launch; absent: the manifest has none.
  std::optional<std::vector<TiledExtent>> tiling;

  /// Workgroups of a launch in a step of `tokens` rows: the product of the number of tiles of each extent. Absent if
  /// the kernel has no tiling, or if there are more than 2^31 - 1.
  std::optional<uint32_t> workgroupsFor(int64_t tokens) const;
};

struct StepArgument {
  std::size_t buffer; // index into Manifest::buffers
  uint64_t offset;
};

/// One launch.
struct Step {
  /// The name of a node of the model's graph, or of several that the launch computes together: "q_proj + k_proj".
  std::string name;
  bool hasName(std::string_view node) const;
  std::size_t kernel;           // index into Target::kernels
  std::array<uint32_t, 3> grid; // workgroups
  uint32_t device = 0, queue = 0;
  std::vector<uint32_t> after;         // indices of earlier steps of the bucket
  std::vector<StepArgument> arguments; // one for each argument of the kernel
};

/// The launches of a step of minTokens … maxTokens rows.
struct Bucket {
  int64_t minTokens, maxTokens;
  std::vector<Step> steps;
};

struct ArenaValue {
  std::string name;
  uint64_t offset, size;
  uint32_t firstStep, lastStep;
};

struct Target {
  std::string id;   // LLVM target ID: "gfx942", "gfx942:sramecc+:xnack-"
  std::string name; // name of the chip file if it differs from the target ID; empty: it is the target ID
  std::string codeObject, sha256;
  uint32_t codeObjectVersion;
  std::vector<Kernel> kernels;
  uint64_t deviceMemory = 0; // bytes of the chip's memory; 0: unknown
  uint64_t arenaPeak = 0;
  std::vector<ArenaValue> arenaValues;
  std::vector<Bucket> buckets; // by ascending tokens, disjoint

  /// The bucket for a step of `tokens` rows, or nullptr.
  const Bucket *bucketFor(int64_t tokens) const;
  int64_t maxTokens() const { return buckets.back().maxTokens; }
  /// "1, 2-16": the numbers of rows that bucketFor accepts.
  std::string bucketRanges() const;
};

/// The processor of a target ID: "gfx942" of "gfx942:sramecc+:xnack-".
std::string_view processorOf(std::string_view targetId);

/// Bytes of device memory by purpose. All of them are allocated when a package is opened.
struct DeviceMemory {
  uint64_t weights = 0;
  uint64_t states = 0; // KV caches
  uint64_t work = 0;   // the arena, the control block, inputs and outputs
  uint64_t total() const { return weights + states + work; }
};

struct Manifest {
  std::string compiler;
  Model model;
  std::vector<Port> inputs, outputs;
  Control control;
  std::vector<Buffer> buffers;
  Weights weights;
  std::vector<Target> targets;

  /// The input or output with this name, or nullptr.
  const Port *findInput(std::string_view name) const;
  const Port *findOutput(std::string_view name) const;
  /// The exclusive upper bound of an i32 input's values: its limit and, for token ids (the input "ids"), the
  /// vocabulary.
  std::optional<int64_t> limitOf(const Port &input) const;
  DeviceMemory deviceMemory() const;
};

/// Reads and checks the keys of Sampling::forEach in an object; null counts as absent. Throws std::runtime_error.
Sampling readSampling(const support::JsonCursor &value);
/// The inverse: an object with the keys whose fields are set.
nlohmann::ordered_json describeSampling(const Sampling &sampling);
/// Reads and checks the manifest in `text`; `file` is named in errors.
/// Throws std::runtime_error: "<file>: $.targets[0].buckets[1].steps[3].grid[0]: expected … but got …".
Manifest parseManifest(std::string_view text, const std::string &file);
/// The same for a file.
Manifest readManifest(const std::filesystem::path &file);

} // namespace nstf::manifest
