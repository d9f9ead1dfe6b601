// A Hugging Face folder that grows shard by shard beside its place and takes it when it is whole. One that was ended
// goes on where it was.
#pragma once

#include "compiler/compress/MatrixFormat.h"
#include "compiler/quantize/StoredCodes.h"
#include "support/WriteSafeTensors.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nstf::compress {

/// A path in the folder of another one, with that one's name and more.
std::filesystem::path getPathBeside(const std::filesystem::path &folder, const std::string &suffix);

class CheckpointWriter {
public:
  /// `identity` is what makes the folder what it is: what an ended run of another one left is removed. Throws
  /// std::runtime_error where `folder` exists.
  CheckpointWriter(const std::filesystem::path &folder, const nlohmann::ordered_json &identity, size_t shards);

  /// Whether the shard is there already; then what `finishShard` was told of it.
  std::optional<nlohmann::ordered_json> findShard(size_t shard) const;
  support::SafeTensorsWriter openShard(size_t shard, const std::vector<support::TensorEntry> &tensors) const;
  /// The shard is there from now on, with what is to be known of it later.
  void finishShard(size_t shard, support::SafeTensorsWriter &writer, const nlohmann::ordered_json &notes) const;

  /// A file beside the shards.
  void writeFile(const std::string &name, const std::string &text) const;

  /// Adds config.json, the index and what else of the model's folder belongs to a checkpoint, and lets the folder take
  /// its place. Precondition: all shards are there.
  void finish(const std::filesystem::path &model, const nlohmann::ordered_json &config) const;

private:
  std::filesystem::path getShard(size_t shard) const;
  std::filesystem::path getNotes(size_t shard) const;

  std::filesystem::path folder, partial;
  size_t shards;
};

/// How a checkpoint keeps a matrix of codes, and the bytes that a matrix takes in it. Precondition of the first: there
/// are codes.
quantize::StoredCodes getStored(const MatrixFormat &format, int64_t rows, int64_t columns);
uint64_t countBytes(const MatrixFormat &format, int64_t rows, int64_t columns);

/// Linears whose matrices are in the codes of a format, as the files name them.
struct CodedLinears {
  MatrixFormat format;
  std::vector<std::string> names;
};

/// What config.json tells readers of compressed-tensors: of these linears, and of those that are left as they are.
/// Where all are in one format it names none of them. `activations` and `kvCache` as CompressOptions has
/// them.
nlohmann::ordered_json describeCompressedTensors(const std::vector<CodedLinears> &coded,
                                                 const std::vector<std::string> &ignored,
                                                 const std::string &activations, const std::string &kvCache);

} // namespace nstf::compress
