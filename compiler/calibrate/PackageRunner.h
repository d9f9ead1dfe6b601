// A compiled package run over whole texts: what its kernels read stands for what the reference computes, on a GPU in a
// fraction of the time.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/calibrate/TextRunner.h"
#include "nstf/Session.h"

namespace nstf::calibrate {

class PackageRunner {
public:
  /// Opens the device. `ops` are linears and attentions that may be asked for. Throws std::runtime_error where a launch
  /// for one is missing, where an encoder's texts are longer than its steps, and where the package isn't of the graph's
  /// weights, which `readWeight` gives, rounded to its type. `sites` and `texts` must outlive it.
  PackageRunner(const LinearSites &sites, llvm::ArrayRef<mlir::Operation *> ops, const Texts &texts,
                const TextRunner::ReadWeight &readWeight, const std::filesystem::path &package, DeviceKind device);

  /// Tells of the first operands of linears and of what attentions read of keys and values, as TextRunner::run does, of
  /// those operations that are `pending`. Texts run several times where what is read is more than fits memory, and once
  /// more, row by row, for what only the last row of a step reaches.
  void run(llvm::function_ref<bool(mlir::Operation *)> pending, const TextRunner::Observer &observer);

private:
  /// What is read of an operation: arguments of a launch, which stand as the operands do.
  struct Wanted {
    mlir::Operation *op;
    unsigned firstOperand = 0, operands = 1;
    std::string launch = {};                  ///< of this name; empty: the one that reads `weight`
    const manifest::Weight *weight = nullptr; ///< of a linear
    int64_t columns = 0;                      ///< of each operand
    bool rowByRow = false;
    std::vector<std::vector<std::vector<float>>> numbers = {}; ///< by operand and text, rows one after the other
  };

  void checkTexts() const;
  void checkWeights(const TextRunner::ReadWeight &readWeight) const;
  Wanted makeWanted(mlir::Operation *op) const;
  /// Its launch in a bucket, or nullptr.
  /// The launch that reads it, and in which of its arguments.
  struct Place {
    const manifest::Step *step;
    size_t argument;
  };
  std::optional<Place> find(const Wanted &wanted, const manifest::Bucket &bucket) const;
  void runTexts(llvm::MutableArrayRef<Wanted> group);

  const LinearSites &sites;
  const Texts &texts;
  std::filesystem::path package;
  runtime::Session session;
  bool isLanguageModel;
  std::vector<Wanted> all;
};

} // namespace nstf::calibrate
