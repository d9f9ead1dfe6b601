// A Hugging Face folder that grows shard by shard beside its place and takes it when it is whole. One that was ended
// goes on where it was.
#pragma once

#include "support/WriteSafeTensors.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nstf::calibrate {

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

  /// Adds config.json, the index and what else of the model's folder belongs to a checkpoint, and lets the folder take
  /// its place. Precondition: all shards are there.
  void finish(const std::filesystem::path &model, const nlohmann::ordered_json &config) const;

private:
  std::filesystem::path getShard(size_t shard) const;
  std::filesystem::path getNotes(size_t shard) const;

  std::filesystem::path folder, partial;
  size_t shards;
};

/// Bits and layout of the linears as config.json tells them to readers of compressed-tensors.
nlohmann::ordered_json describeCompressedTensors(unsigned bits, int64_t group, bool zeros);

} // namespace nstf::calibrate
