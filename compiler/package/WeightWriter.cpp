// weights.safetensors: 8 bytes with the header's length, the header (JSON: name → dtype, shape, first and last byte),
// the data. The header is padded so that the data, like every tensor in it, begins at a multiple of 256. The format
// allows no gaps in the data, so the padding between two tensors is a tensor of zeros.
//
// Bytes are copied from the mapped source to the file in pieces; no tensor is in memory as a whole. Tensors, and the
// pieces of each, are made, hashed and written in parallel; the file does not depend on their order.
#include "compiler/package/WeightWriter.h"

#include "compiler/package/PackageFolder.h"
#include "nstf/FloatTypes.h"
#include "support/ConvertNumbers.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Progress.h"
#include "support/Sha256.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

namespace nstf {

using manifest::ElementType;
using manifest::Weight;
using manifest::WeightsMode;

static constexpr const char *fileName = "weights.safetensors";
static constexpr uint64_t largest = uint64_t(1) << 48; // bytes, the manifest's limit
static constexpr std::size_t pieceElements = 1 << 18;

static uint64_t alignUp(uint64_t value) { return (value + weightAlignment - 1) / weightAlignment * weightAlignment; }

/// Bytes of the weight's tensor in another type.
static uint64_t getBytes(const Weight &weight, ElementType type) {
  uint64_t bytes = manifest::sizeOf(type);
  for (int64_t dimension : weight.shape.dimensions)
    if (dimension < 1 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dimension), &bytes) || bytes > largest)
      throw std::runtime_error("expected the weight '" + support::escape(weight.name) +
                               "' to have between 1 and 2^48 bytes but got " + weight.shape.str() + " " +
                               std::string(manifest::nameOf(type)));
  return bytes;
}

uint64_t layoutWeights(manifest::Weights &weights) {
  uint64_t end = 0;
  for (Weight &weight : weights.tensors) {
    weight.size = getBytes(weight, weight.type);
    weight.offset = alignUp(end);
    end = weight.offset + weight.size;
    if (end > largest)
      throw std::runtime_error("expected weights of at most 2^48 bytes but got more at '" +
                               support::escape(weight.name) + "'");
  }
  return end;
}

namespace {

/// A tensor that is hashed and, if packed, written.
struct Task {
  Weight *weight = nullptr;
  const WeightOrigin *origin = nullptr;
  const support::MappedFile *file = nullptr; ///< for a WeightInFile
  bool packed = false;
  uint64_t dataOffset = 0; ///< if packed: offset in the data of weights.safetensors
};

/// Bytes from the first element of a view to the end of its last.
uint64_t spanOf(const WeightInFile &origin, const Weight &weight) {
  int64_t elements = 1, span = 1;
  bool fits = origin.view.sizes.size() == origin.view.strides.size();
  for (std::size_t i = 0; fits && i < origin.view.sizes.size(); ++i) {
    int64_t size = origin.view.sizes[i], stride = origin.view.strides[i], part;
    fits = size >= 1 && stride >= 1 && !__builtin_mul_overflow(elements, size, &elements) &&
           !__builtin_mul_overflow(size - 1, stride, &part) && !__builtin_add_overflow(span, part, &span);
  }
  if (!fits || elements != weight.shape.elements(1) || static_cast<uint64_t>(span) > largest)
    throw std::runtime_error("expected a view of the elements of '" + support::escape(weight.name) + "', " +
                             weight.shape.str() + ", within 2^48 bytes");
  return span * manifest::sizeOf(origin.storedType);
}

/// The files with weights; each is mapped once.
class SourceFiles {
public:
  const support::MappedFile &open(const WeightInFile &origin, const Weight &weight) {
    auto &file = files[origin.path];
    if (!file)
      file = std::make_unique<support::MappedFile>(origin.path);
    uint64_t size = getBytes(weight, origin.storedType);
    if (!origin.view.sizes.empty())
      size = spanOf(origin, weight);
    if (origin.offset > file->size() || size > file->size() - origin.offset)
      throw std::runtime_error(origin.path + ": expected " + std::to_string(size) + " bytes of '" +
                               support::escape(weight.name) + "' at offset " + std::to_string(origin.offset) +
                               " but the file has " + std::to_string(file->size()));
    return *file;
  }

private:
  std::map<std::string, std::unique_ptr<support::MappedFile>> files;
};

} // namespace

/// Checks that a weight's stored type converts to its own: the types are equal or both are floats.
static void checkConversion(const Weight &weight, ElementType stored) {
  if (stored != weight.type && !(isFloatType(stored) && isFloatType(weight.type)))
    throw std::runtime_error("expected the weight '" + support::escape(weight.name) +
                             "' to be stored in a type that converts to " + std::string(manifest::nameOf(weight.type)) +
                             " but got " + std::string(manifest::nameOf(stored)));
}

/// Plans the tasks, in the manifest's order. Sets the tensors' sources except for their hashes.
static std::vector<Task> planTasks(manifest::Weights &weights, const std::vector<WeightOrigin> &origins,
                                   SourceFiles &files) {
  bool stored = weights.mode == WeightsMode::Pack || weights.mode == WeightsMode::Reference;
  std::vector<Task> tasks;
  uint64_t end = 0;
  for (size_t i = 0; i < origins.size(); ++i) {
    Weight &weight = weights.tensors[i];
    Task task;
    task.weight = &weight;
    task.origin = &origins[i];
    weight.source.reset();
    bool computed = std::holds_alternative<ComputedWeight>(origins[i]);
    if (auto *origin = std::get_if<WeightInFile>(&origins[i]); origin && stored) {
      task.file = &files.open(*origin, weight);
      checkConversion(weight, origin->storedType);
    } else if (!computed) {
      if (stored)
        throw std::runtime_error("expected bytes for the weight '" + support::escape(weight.name) +
                                 "' but the model has none; take --weights=random:SEED or --weights=none");
      continue;
    }
    auto *inFile = std::get_if<WeightInFile>(&origins[i]);
    // Package readers support no views, and convert to f32 only.
    bool apart = inFile && (!inFile->view.sizes.empty() ||
                            (inFile->storedType != weight.type && weight.type != ElementType::F32));
    task.packed = computed || apart || weights.mode == WeightsMode::Pack;
    manifest::WeightSource source;
    if (task.packed) {
      // In mode pack, the file's data is the image of the device's buffer.
      task.dataOffset = weights.mode == WeightsMode::Pack ? weight.offset : alignUp(end);
      end = task.dataOffset + weight.size;
      source = {fileName, task.dataOffset, weight.type, ""}; // the data's start is added once it is known
    } else {
      auto &origin = std::get<WeightInFile>(origins[i]);
      source = {std::filesystem::canonical(origin.path).string(), origin.offset, origin.storedType, ""};
    }
    weight.source = source;
    tasks.push_back(task);
  }
  return tasks;
}

/// The length and the header of weights.safetensors, padded to a multiple of the alignment.
static std::string headerText(const std::vector<Task> &tasks) {
  std::string json = R"({"__metadata__":{"format":"nstf"})";
  std::set<std::string> names = {"__metadata__"};
  uint64_t end = 0;
  unsigned gaps = 0;
  auto add = [&](const std::string &name, std::string_view type, const std::vector<int64_t> &shape, uint64_t begin,
                 uint64_t size) {
    if (!names.insert(name).second)
      throw std::runtime_error("expected weights of different names but got '" + support::escape(name) + "' twice");
    end = begin + size;
    nlohmann::ordered_json entry = {{"dtype", type}, {"shape", shape}, {"data_offsets", {begin, end}}};
    json += "," + nlohmann::json(name).dump() + ":" + entry.dump();
  };
  for (const Task &task : tasks) {
    if (!task.packed)
      continue;
    if (task.dataOffset > end) {
      uint64_t gap = task.dataOffset - end;
      add("nstf.padding." + std::to_string(gaps++), "U8", {static_cast<int64_t>(gap)}, end, gap);
    }
    const Weight &weight = *task.weight;
    add(weight.name, getInfo(weight.type).safeTensors, weight.shape.dimensions, task.dataOffset, weight.size);
  }
  json += "}";
  uint64_t length = alignUp(8 + json.size()) - 8;
  json.resize(length, ' ');
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes + json;
}

/// A piece of a tensor that is being written.
struct Piece {
  uint64_t begin, count;               ///< elements
  std::vector<std::byte> stored, kept; ///< buffers for the elements in the file's type, and in the package's
  std::span<const std::byte> bytes;    ///< the piece's final bytes
};

/// Number of elements in a row: all dimensions but the first.
static uint64_t getRowElements(const Weight &weight) {
  const std::vector<int64_t> &dimensions = weight.shape.dimensions;
  return weight.shape.elements(1) / (dimensions.empty() ? 1 : dimensions.front());
}

/// Computes a computed tensor's piece, which consists of whole rows.
static void computePiece(const Task &task, Piece &piece) {
  uint64_t row = getRowElements(*task.weight), rowBytes = row * manifest::sizeOf(task.weight->type);
  piece.kept.resize(piece.count / row * rowBytes);
  for (uint64_t i = 0; i < piece.count / row; ++i)
    std::get<ComputedWeight>(*task.origin)
        .fillRow(static_cast<int64_t>(piece.begin / row + i), std::span(piece.kept).subspan(i * rowBytes, rowBytes));
  piece.bytes = piece.kept;
}

/// Reads a piece from the file; gathers strided elements and converts other types.
static void readPiece(const Task &task, Piece &piece) {
  auto &origin = std::get<WeightInFile>(*task.origin);
  ElementType kept = task.packed ? task.weight->type : origin.storedType;
  std::size_t storedSize = manifest::sizeOf(origin.storedType);
  const std::byte *first = task.file->data() + origin.offset;
  piece.bytes = {first + piece.begin * storedSize, piece.count * storedSize};
  if (!origin.view.sizes.empty()) {
    piece.stored.resize(piece.count * storedSize);
    origin.view.gather(first, storedSize, piece.begin, piece.count, piece.stored.data());
    piece.bytes = piece.stored;
  }
  if (kept == origin.storedType)
    return;
  piece.kept.resize(piece.count * manifest::sizeOf(kept));
  support::convertNumbers(piece.bytes.data(), *support::floatFormatFromName(nameOf(origin.storedType)),
                          piece.kept.data(), *support::floatFormatFromName(nameOf(kept)), piece.count);
  piece.bytes = piece.kept;
}

/// Makes and writes pieces in parallel, and hashes them in order.
static void runTask(const Task &task, support::OutputFile *file, uint64_t dataStart) {
  const Weight &weight = *task.weight;
  bool computed = std::holds_alternative<ComputedWeight>(*task.origin);
  uint64_t elements = weight.shape.elements(1), row = computed ? getRowElements(weight) : 1;
  uint64_t step = std::max<uint64_t>(pieceElements / row, 1) * row, begin = 0, started = 0;
  // One buffer for each piece in flight. Pieces finish in order, so the oldest buffer is free when the next piece
  // starts.
  std::vector<Piece> pieces(
      std::min<uint64_t>(2 * tbb::this_task_arena::max_concurrency(), (elements + step - 1) / step));
  support::Sha256 hash;
  auto start = [&](tbb::flow_control &control) -> Piece * {
    if (begin == elements) {
      control.stop();
      return nullptr;
    }
    Piece &piece = pieces[started++ % pieces.size()];
    piece.begin = begin;
    piece.count = std::min(step, elements - begin);
    begin += piece.count;
    return &piece;
  };
  auto make = [&](Piece *piece) {
    computed ? computePiece(task, *piece) : readPiece(task, *piece);
    if (task.packed)
      file->writeAt(dataStart + task.dataOffset + piece->begin * manifest::sizeOf(weight.type), piece->bytes);
    return piece;
  };
  auto finish = [&](Piece *piece) { hash.update(piece->bytes); };
  tbb::parallel_pipeline(pieces.size(), tbb::make_filter<void, Piece *>(tbb::filter_mode::serial_in_order, start) &
                                            tbb::make_filter<Piece *, Piece *>(tbb::filter_mode::parallel, make) &
                                            tbb::make_filter<Piece *, void>(tbb::filter_mode::serial_in_order, finish));
  task.weight->source->sha256 = hash.finish();
  if (task.packed)
    task.weight->source->offset = dataStart + task.dataOffset;
}

/// Runs `work(i)` for all i below `count` in parallel. Of several exceptions, throws the one with the smallest i.
template <typename Work> static void forAll(std::size_t count, Work work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<bool> failed = false;
  tbb::parallel_for(std::size_t(0), count, [&](std::size_t i) {
    if (failed)
      return;
    try {
      work(i);
    } catch (...) {
      failures[i] = std::current_exception();
      failed = true;
    }
  });
  for (std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

void writeWeights(PackageFolder &folder, manifest::Weights &weights, const std::vector<WeightOrigin> &origins) {
  SourceFiles files;
  std::vector<Task> tasks = planTasks(weights, origins, files);
  std::optional<support::OutputFile> file;
  uint64_t dataStart = 0;
  auto last = std::find_if(tasks.rbegin(), tasks.rend(), [](const Task &task) { return task.packed; });
  if (last != tasks.rend()) {
    std::string header = headerText(tasks);
    dataStart = header.size();
    file.emplace(folder.create(fileName, dataStart + last->dataOffset + last->weight->size));
    file->writeAt(0, std::as_bytes(std::span(header.data(), header.size())));
  }
  uint64_t bytes = 0;
  for (const Task &task : tasks)
    bytes += task.weight->size;
  support::Progress progress("packing weights", "bytes", bytes);
  forAll(tasks.size(), [&](std::size_t i) {
    runTask(tasks[i], file ? &*file : nullptr, dataStart);
    progress.add(tasks[i].weight->size);
  });
  if (file)
    file->close();
}

} // namespace nstf
