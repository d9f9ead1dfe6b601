// Writes a Hugging Face folder shard by shard in a folder beside its final place, and renames it when it is complete.
// An interrupted run can be continued.
#pragma once

#include "compiler/compress/MatrixFormat.h"
#include "compiler/quantize/StoredCodes.h"
#include "support/WriteSafeTensors.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nstf::compress {

/// The path beside `folder` whose name is the folder's with `suffix` appended.
std::filesystem::path getPathBeside(const std::filesystem::path &folder, const std::string &suffix);

class CheckpointWriter {
public:
  /// `identity` is everything that determines the folder's content; the rest of an interrupted run with another
  /// identity is removed. Throws std::runtime_error if `folder` exists.
  CheckpointWriter(const std::filesystem::path &folder, const nlohmann::ordered_json &identity, size_t shards);

  /// The notes that `finishShard` stored, if the shard is complete.
  std::optional<nlohmann::ordered_json> findShard(size_t shard) const;
  support::SafeTensorsWriter openShard(size_t shard, const std::vector<support::TensorEntry> &tensors) const;
  /// Completes a shard, and stores notes on it for later.
  void finishShard(size_t shard, support::SafeTensorsWriter &writer, const nlohmann::ordered_json &notes) const;

  /// Writes a file beside the shards.
  void writeFile(const std::string &name, const std::string &text) const;

  /// Adds config.json, the index and the other files of the model's folder that belong to a checkpoint, and renames the
  /// folder to its place. Precondition: all shards are complete.
  void finish(const std::filesystem::path &model, const nlohmann::ordered_json &config) const;

private:
  std::filesystem::path getShard(size_t shard) const;
  std::filesystem::path getNotes(size_t shard) const;

  std::filesystem::path folder, partial;
  size_t shards;
};

/// The checkpoint layout of a matrix of codes, and the bytes of a matrix in a checkpoint. Precondition of the first:
/// the format has codes.
quantize::StoredCodes getStored(const MatrixFormat &format, int64_t rows, int64_t columns);
uint64_t countBytes(const MatrixFormat &format, int64_t rows, int64_t columns);

/// The linears whose matrices have one format, by their names in the files.
struct CodedLinears {
  MatrixFormat format;
  std::vector<std::string> names;
};

/// The part of config.json for readers of compressed-tensors. It describes these linears and those that are unchanged;
/// if all have one format, it names none of them. `activations` and `kvCache` are those of CompressOptions.
nlohmann::ordered_json describeCompressedTensors(const std::vector<CodedLinears> &coded,
                                                 const std::vector<std::string> &ignored,
                                                 const std::string &activations, const std::string &kvCache);

} // namespace nstf::compress
