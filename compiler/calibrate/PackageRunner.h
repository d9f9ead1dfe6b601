// Runs a compiled package over whole texts. What its kernels read replaces what the reference computes; on a GPU this
// takes a fraction of the time.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/calibrate/TextRunner.h"
#include "nstf/Session.h"

namespace nstf::calibrate {

class PackageRunner {
public:
  /// Opens the device. `ops` are the linears and attentions that may be observed. Throws std::runtime_error if a launch
  /// for one is missing, if an encoder's texts are longer than its steps, or if the package's weights differ from the
  /// graph's (from `readWeight`), rounded to the package's type. `sites` and `texts` must outlive it.
  PackageRunner(const LinearSites &sites, llvm::ArrayRef<mlir::Operation *> ops, const Texts &texts,
                const TextRunner::ReadWeight &readWeight, const std::filesystem::path &package, DeviceKind device);

  /// Calls `observer`, as TextRunner::run does, with the first operands of linears and the keys and values that
  /// attentions read, for those operations that are `pending`. Texts run several times if the recorded numbers exceed
  /// memory, and once more, row by row, for operations that only the last row of a step reaches.
  void run(llvm::function_ref<bool(mlir::Operation *)> pending, const TextRunner::Observer &observer);

private:
  /// The recorded operands of an operation: consecutive arguments of a launch.
  struct Wanted {
    mlir::Operation *op;
    unsigned firstOperand = 0, operands = 1;
    std::string launch = {};                  ///< name of the launch; empty: the one that reads `weight`
    const manifest::Weight *weight = nullptr; ///< a linear's
    int64_t columns = 0;                      ///< of each operand
    bool rowByRow = false;
    std::vector<std::vector<std::vector<float>>> numbers = {}; ///< by operand and text, row-major
  };

  void checkTexts() const;
  void checkWeights(const TextRunner::ReadWeight &readWeight) const;
  Wanted makeWanted(mlir::Operation *op) const;
  /// A launch, and the index of the first argument to record.
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
