// A module run in float64 on the CPU.
//
// Interprets an nstf.graph before or after kernels were formed: an nstf.step runs its nstf.kernel. States live from run
// to run. The judge of everything the compiler makes, so it shares no code with it beyond the dialect.
#pragma once

#include "compiler/reference/Operations.h"
#include "compiler/reference/Tensor.h"
#include "compiler/reference/Twin.h"
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nstf::reference {

class WeightReader;

struct ReferenceOptions {
  /// --weights=random:SEED: every weight that isn't a computed table is random.
  std::optional<uint64_t> randomSeed;
};

/// Not for use by several threads at once.
class ReferenceModel {
public:
  using Tensors = std::map<std::string, Tensor>;
  /// Called after each operation and step of the graph with its results, in the graph's order (`get` and `return` not).
  using Observer = std::function<void(mlir::Operation *op, llvm::ArrayRef<const Tensor *> results)>;

  /// `module` must outlive the model and stay as it is. Throws std::runtime_error when it has no graph.
  explicit ReferenceModel(mlir::ModuleOp module, ReferenceOptions options = {});
  ~ReferenceModel();

  /// One step: `inputs` by name, of the graph's shapes with `tokens` rows where the leading dimension is dynamic. Gives
  /// the outputs by name. Throws std::runtime_error on missing inputs and wrong shapes, when tokens < 1 or position +
  /// tokens > context, and for what evaluateOperation refuses.
  Tensors run(const Tensors &inputs, int64_t tokens, int64_t position, const Observer &observer = {});

  /// The same for a language model: input "ids", output "logits" as one row.
  std::vector<double> runIds(const std::vector<int32_t> &ids, int64_t position, const Observer &observer = {});

  /// One step with a twin (Twin.h) for a package that has run the same: outputs with how far the package's may be away.
  /// The twin's states are those of the run before, if that had one too.
  std::map<std::string, TwinValue> runBeside(const Tensors &inputs, int64_t tokens, int64_t position,
                                             const MadeRows &made);

  /// All states zero again.
  void reset();

  /// What a state holds, all zero before the first run. Throws std::runtime_error for an unknown name.
  const Tensor &state(const std::string &name) const;
  /// How far each row of a package's may be away, after runBeside.
  RowBounds stateBounds(const std::string &name) const;
  /// Replaces it, in both runs. Throws std::runtime_error for an unknown name and for another shape.
  void setState(const std::string &name, Tensor value);

private:
  TwinValue get(GetOp op);
  const TwinValue &find(const std::string &name) const;
  std::map<std::string, TwinValue> runGraph(const Tensors &inputs, int64_t tokens, int64_t position,
                                            const Observer &observer, Twin *twin);

  mlir::ModuleOp module;
  GraphOp graph;
  std::unique_ptr<WeightReader> reader;
  std::map<std::string, std::shared_ptr<Tensor>> weights;
  std::map<std::string, TwinValue> states;
  std::mt19937_64 signs;
};

/// Runs one kernel alone on given arguments: for tests of a single kernel. Caches among the arguments (what kv_append
/// writes into) are updated in place. Throws like ReferenceModel::run.
std::vector<Tensor> evaluateKernel(KernelOp kernel, std::vector<Tensor> &arguments, StepScalars step);

} // namespace nstf::reference
