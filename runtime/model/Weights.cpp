#include "runtime/model/Weights.h"
#include "nstf/FloatTypes.h"
#include "runtime/model/FillRandom.h"
#include "support/ConvertNumbers.h"
#include "support/Escape.h"
#include "support/Progress.h"
#include "support/SafeTensors.h"
#include "support/Sha256.h"

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <thread>

namespace nstf::runtime {

using manifest::ElementType;
using manifest::Weight;

namespace {

constexpr std::size_t pieceElements = 1 << 18; // 1 MiB of f32: the most that a thread stages on the host

/// The place of a tensor's bytes.
struct Stored {
  const Weight *weight;
  std::span<const std::byte> bytes; // empty: generated
  ElementType type;
  std::string where; // for messages
};

/// The files of a package's sources, each mapped once.
class SourceFiles {
public:
  explicit SourceFiles(const Package &package) : package(package) {}
  Stored find(const Weight &weight) {
    const manifest::WeightSource &source = *weight.source;
    std::filesystem::path path = package.resolve(source.file);
    auto it = files.find(path);
    if (it == files.end())
      it = files.emplace(path, support::MappedFile(path)).first;
    uint64_t size = weight.shape.elements(0) * manifest::sizeOf(source.storedType);
    if (source.offset > it->second.size() || size > it->second.size() - source.offset)
      throw std::runtime_error(path.string() + ": expected " + std::to_string(size) + " bytes of \"" +
                               support::escape(weight.name) + "\" at offset " + std::to_string(source.offset) +
                               " but the file has " + std::to_string(it->second.size()));
    return {&weight, it->second.bytes().subspan(source.offset, size), source.storedType, path.string()};
  }

private:
  const Package &package;
  std::map<std::filesystem::path, support::MappedFile> files;
};

Stored findGiven(const std::vector<support::SafeTensorsFile> &files, const WeightsOptions &options,
                 const Weight &weight) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const support::StoredTensor *entry = files[i].find(weight.name);
    if (!entry)
      continue;
    std::string where = options.files[i].string();
    bool convertible = entry->type == weight.type || (isFloatType(weight.type) && isFloatType(entry->type));
    if (entry->shape != weight.shape.dimensions || !convertible)
      throw std::runtime_error(where + ": expected \"" + support::escape(weight.name) + "\" to be " +
                               weight.shape.str() + " " + std::string(nameOf(weight.type)) + " but got " +
                               support::describeShape(entry->shape) + " " + std::string(nameOf(entry->type)));
    return {&weight, files[i].bytes(*entry), entry->type, where};
  }
  std::string list;
  for (const std::filesystem::path &file : options.files)
    list += (list.empty() ? "" : ", ") + file.string();
  throw std::runtime_error(list + ": expected a tensor \"" + support::escape(weight.name) + "\" of " +
                           weight.shape.str() + " but there is none");
}

/// Hashes are independent of each other and the slowest part of loading, so all cores compute them.
void checkHashes(const std::vector<Stored> &tensors) {
  uint64_t bytes = 0;
  for (const Stored &tensor : tensors)
    bytes += tensor.bytes.size();
  support::Progress progress("checking weights", "bytes", bytes);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::map<std::size_t, std::string> failures; // by tensor, so that the message does not depend on the order of threads
  auto work = [&] {
    for (std::size_t i; (i = next++) < tensors.size();) {
      const Stored &tensor = tensors[i];
      if (tensor.bytes.empty() || !tensor.weight->source || tensor.weight->source->sha256.empty())
        continue;
      std::string hash = support::sha256Hex({reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size()});
      progress.add(tensor.bytes.size());
      if (hash == tensor.weight->source->sha256)
        continue;
      std::lock_guard lock(mutex);
      failures[i] = tensor.where + ": expected \"" + support::escape(tensor.weight->name) + "\" with SHA-256 " +
                    tensor.weight->source->sha256 + " but got " + hash + ": the file changed since it was compiled";
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min<std::size_t>(std::thread::hardware_concurrency(), tensors.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (!failures.empty())
    throw std::runtime_error(failures.begin()->second);
}

/// A thread's staging memory for a piece: as generated, and in the device's type.
struct Staging {
  std::vector<float> generated;
  std::vector<std::byte> converted;
};

/// Uploads at most pieceElements of a tensor, from `begin` on, in the weight's type into the device's buffer.
void uploadPiece(const Stored &tensor, uint64_t begin, uint64_t seed, Staging &staging, Buffer &buffer) {
  const Weight &weight = *tensor.weight;
  std::size_t count = std::min<uint64_t>(pieceElements, weight.shape.elements(0) - begin);
  std::size_t size = manifest::sizeOf(weight.type);
  const std::byte *numbers;
  ElementType type = tensor.type;
  if (tensor.bytes.empty()) {
    RandomWeights random(seed, weight.name, weight.shape.dimensions.data(), weight.shape.dimensions.size());
    staging.generated.resize(count);
    fillRandom(random, begin, staging.generated);
    numbers = reinterpret_cast<const std::byte *>(staging.generated.data());
    type = ElementType::F32;
  } else {
    numbers = tensor.bytes.data() + begin * manifest::sizeOf(type);
  }
  if (type != weight.type) {
    auto from = support::floatFormatFromName(nameOf(type)), to = support::floatFormatFromName(nameOf(weight.type));
    if (!from || !to)
      throw std::runtime_error("expected \"" + weight.name + "\" to be of a type that converts to " +
                               std::string(nameOf(weight.type)) + " but got " + std::string(nameOf(type)));
    staging.converted.resize(count * size);
    support::convertNumbers(numbers, *from, staging.converted.data(), *to, count);
    numbers = staging.converted.data();
  }
  buffer.upload(numbers, count * size, weight.offset + begin * size);
}

/// Uploads all tensors piece by piece, on all cores.
void uploadAll(const std::vector<Stored> &tensors, uint64_t seed, Buffer &buffer) {
  std::vector<std::pair<const Stored *, uint64_t>> pieces;
  uint64_t bytes = 0;
  for (const Stored &tensor : tensors)
    bytes += tensor.weight->size;
  support::Progress progress("loading weights", "bytes", bytes);
  for (const Stored &tensor : tensors)
    for (uint64_t begin = 0; begin < tensor.weight->shape.elements(0); begin += pieceElements)
      pieces.emplace_back(&tensor, begin);
  tbb::enumerable_thread_specific<Staging> staging;
  tbb::parallel_for(std::size_t(0), pieces.size(), [&](std::size_t i) {
    auto [tensor, begin] = pieces[i];
    uploadPiece(*tensor, begin, seed, staging.local(), buffer);
    uint64_t elements = std::min<uint64_t>(pieceElements, tensor->weight->shape.elements(0) - begin);
    progress.add(elements * manifest::sizeOf(tensor->weight->type));
  });
}

} // namespace

void checkOptions(const Package &package, const WeightsOptions &options) {
  using manifest::WeightsMode;
  WeightsMode mode = package.manifest().weights.mode;
  auto fail = [&](const char *option, const char *expected) {
    const char *texts[] = {"packed", "left in their files", "random", "given when it runs"};
    throw std::runtime_error(package.folder().string() + ": expected a package compiled with " + expected + " for " +
                             option + " but its weights are " + texts[static_cast<int>(mode)]);
  };
  if (options.seed && mode != WeightsMode::Random)
    fail("another seed", "--weights=random");
  if (!options.files.empty() && (mode == WeightsMode::Pack || mode == WeightsMode::Reference))
    fail("files of weights", "--weights=none");
}

void loadWeights(const Package &package, const WeightsOptions &options, Buffer &buffer) {
  const manifest::Weights &weights = package.manifest().weights;
  SourceFiles sources(package);
  std::vector<support::SafeTensorsFile> given;
  for (const std::filesystem::path &file : options.files)
    given.emplace_back(file);

  std::vector<Stored> tensors;
  for (const Weight &weight : weights.tensors) {
    if (weight.source)
      tensors.push_back(sources.find(weight));
    else if (!given.empty())
      tensors.push_back(findGiven(given, options, weight));
    else if (weights.mode == manifest::WeightsMode::Random)
      tensors.push_back({&weight, {}, weight.type, ""});
    else
      throw std::runtime_error(package.folder().string() + ": the package was compiled without weights, \"" +
                               support::escape(weight.name) +
                               "\" is the first missing: give them with --weights=FILE.safetensors");
  }
  if (options.checkHashes)
    checkHashes(tensors);

  buffer.fill(0); // so that gaps between tensors are defined
  uploadAll(tensors, options.seed.value_or(weights.seed), buffer);
}

} // namespace nstf::runtime
