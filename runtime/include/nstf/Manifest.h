// What the manifest.json of a package says.
//
// Plain data, one struct for each object of manifest.schema.json, by the same names. Instances come from readManifest,
// which checks everything that can be checked without a device, so whoever holds a Manifest may index without asking:
// names are resolved to indices, every offset lies inside its buffer, no sum overflows.
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

/// Of the manifests that this library reads. 2: caches have an order; 4: what is zero between launches is apart.
constexpr int64_t version = 4;

/// Number formats of tensors in device memory and in files: f64, f32, f16, bf16, i64, i32, i16, i8, u8 and e4m3fnuz.
using support::ElementType;
/// Bytes of one element; "f32", …: the name in the manifest.
using support::nameOf;
using support::sizeOf;
/// The inverse of nameOf, of the types that a manifest may have.
std::optional<ElementType> elementTypeFromName(std::string_view name);

/// Dimensions, outermost first. The first may be the rows of the step ("tokens"), then it is `tokensDimension` here.
struct Shape {
  static constexpr int64_t tokensDimension = -1;
  std::vector<int64_t> dimensions;
  /// How a cache lies that does not lie row by row; its dimensions are the cache's, [positions, heads * head size].
  std::optional<support::OperandOrder> order = {};

  bool hasTokens() const { return !dimensions.empty() && dimensions.front() == tokensDimension; }
  /// The shape in a step of `tokens` rows.
  std::vector<int64_t> at(int64_t tokens) const;
  /// Number of elements in a step of `tokens` rows.
  uint64_t elements(int64_t tokens) const;
  /// The dimensions of what memory holds in a step of `tokens` rows: with an order those of its matrix.
  std::vector<int64_t> stored(ElementType type, int64_t tokens) const;
  /// Bytes of memory in a step of `tokens` rows.
  uint64_t bytes(ElementType type, int64_t tokens) const;
  /// "[tokens, 64]", "[512, 64] (keys in operand order, 8 heads)"
  std::string str() const;
};

/// Counters and scratch are what launches have for themselves. Counters are zero before the first step, after a step
/// that failed, and between launches; what scratch holds before a launch means nothing.
enum class BufferKind { Weights, Arena, Control, Input, Output, State, Counters, Scratch };
std::string_view nameOf(BufferKind kind);

/// Device memory, one allocation each.
struct Buffer {
  std::string name;
  BufferKind kind;
  uint64_t size; // bytes
  std::optional<ElementType> type;
  std::optional<Shape> shape;
  int64_t slots = 1; // of a state: how many of `shape` there are, one behind the other
};

/// An input or output of the model, at the start of its buffer.
struct Port {
  std::string name;
  ElementType type;
  Shape shape;
  std::size_t buffer; // index into Manifest::buffers
  /// Of an i32 input: its values choose rows of tables and are 0 … limit-1.
  std::optional<int64_t> limit = {};
};

/// Where the scalars of a run stand in the control buffer: 32-bit little-endian words at these byte offsets of a block.
/// The first block is the whole step's. Where a step takes rows of several requests, each has a block behind it: the
/// tokens and position are its own there, its rows in the step begin with `first`, and its states lie in `slot`.
struct Control {
  std::size_t buffer; // index into Manifest::buffers
  uint64_t size;      // bytes of a block
  uint64_t tokens, position;
  uint64_t first = 0, slot = 0;
  int64_t requests = 1; // that a step may have rows of

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

/// How the model's makers sample from it, as far as their generation_config.json says.
struct Sampling {
  std::optional<bool> sample; // not true: greedy, whatever the temperature
  std::optional<double> temperature;
  std::optional<int64_t> topK;
  std::optional<double> topP, minP, repetitionPenalty;
  std::optional<int64_t> tokens; // new ones at most

  /// Calls `function(key, field)` for each field of a Sampling, by the file's keys, which are the manifest's too.
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
  std::vector<int32_t> eos;         // every one ends a text
  std::optional<Sampling> sampling; // nothing: there was no generation_config.json
  Tokenizer tokenizer;
};

struct WeightSource {
  std::string file; // relative: inside the package
  uint64_t offset;  // bytes from the start of the file
  ElementType storedType;
  std::string sha256; // of the stored bytes; empty: not given
};

/// Which part of a quantised matrix a weight is: "int4_g128" and "codes", "high", "scales" or "zeros".
struct WeightPlane {
  std::string format, plane;
};

struct Weight {
  std::string name;
  ElementType type;
  Shape shape;
  uint64_t offset, size; // bytes, in the buffer of kind weights
  std::optional<WeightSource> source;
  std::optional<WeightPlane> plane = {}; // nothing: its elements are the numbers
};

enum class WeightsMode { Pack, Reference, Random, None };

struct Weights {
  WeightsMode mode;
  uint64_t seed = 0;
  std::optional<std::size_t> buffer; // index into Manifest::buffers; none where there are no tensors
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

/// The most workgroups of a launch.
constexpr uint64_t maxWorkgroups = 2147483647;

/// A dimension that a kernel's workgroups share out: one workgroup for every `tile` of it.
struct TiledExtent {
  uint64_t extent; // of each token of the step, or of the step
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
  /// What the workgroups of a launch follow from; nothing: the manifest doesn't say.
  std::optional<std::vector<TiledExtent>> tiling;

  /// Workgroups of a launch in a step of `tokens` rows: the tiles of each extent, multiplied. Nothing where the
  /// manifest doesn't say, or where there are more than 2^31 - 1.
  std::optional<uint32_t> workgroupsFor(int64_t tokens) const;
};

struct StepArgument {
  std::size_t buffer; // index into Manifest::buffers
  uint64_t offset;
};

/// One launch.
struct Step {
  /// What it computes: the name of a node of the model's graph, or several side by side, "q_proj + k_proj".
  std::string name;
  bool hasName(std::string_view node) const;
  std::size_t kernel;           // index into Target::kernels
  std::array<uint32_t, 3> grid; // workgroups
  uint32_t device = 0, queue = 0;
  std::vector<uint32_t> after;         // indices of earlier steps of the bucket
  std::vector<StepArgument> arguments; // one for each of the kernel's
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
  std::string name; // of the chip file, where that is another; empty: the target ID's
  std::string codeObject, sha256;
  uint32_t codeObjectVersion;
  std::vector<Kernel> kernels;
  uint64_t deviceMemory = 0; // bytes that the chip has; 0: not told
  uint64_t arenaPeak = 0;
  std::vector<ArenaValue> arenaValues;
  std::vector<Bucket> buckets; // by ascending tokens, disjoint

  /// The bucket for a step of that many rows, or nullptr.
  const Bucket *bucketFor(int64_t tokens) const;
  int64_t maxTokens() const { return buckets.back().maxTokens; }
  /// "1, 2-16": what bucketFor takes.
  std::string bucketRanges() const;
};

/// The processor of a target ID: "gfx942" of "gfx942:sramecc+:xnack-".
std::string_view processorOf(std::string_view targetId);

/// Bytes of device memory by what they are for. All of them are allocated when a package is opened.
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

  /// The input or output of that name, or nullptr.
  const Port *findInput(std::string_view name) const;
  const Port *findOutput(std::string_view name) const;
  /// What the values of an i32 input are below: its limit and, of token ids (the input "ids"), the vocabulary.
  std::optional<int64_t> limitOf(const Port &input) const;
  DeviceMemory deviceMemory() const;
};

/// Reads and checks the keys of Sampling::forEach in an object; null and absent are the same. Throws
/// std::runtime_error.
Sampling readSampling(const support::JsonCursor &value);
/// The way back: an object of the keys that it has.
nlohmann::ordered_json describeSampling(const Sampling &sampling);
/// Reads and checks the manifest in `text`; `file` is named in errors.
/// Throws std::runtime_error: "<file>: $.targets[0].buckets[1].steps[3].grid[0]: expected … but got …".
Manifest parseManifest(std::string_view text, const std::string &file);
/// The same for a file.
Manifest readManifest(const std::filesystem::path &file);

} // namespace nstf::manifest
