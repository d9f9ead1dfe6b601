// Runs a module in float64 on the CPU.
//
// Interprets an nstf.graph, before or after kernels are formed: an nstf.step runs its nstf.kernel. States keep their
// contents between runs. All compiler output is compared with it, so it shares no code with the compiler except the
// dialect.
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

/// Not thread-safe.
class ReferenceModel {
public:
  using Tensors = std::map<std::string, Tensor>;
  /// Called after each operation and step of the graph with its results, in the graph's order (but not for `get` and
  /// `return`).
  using Observer = std::function<void(mlir::Operation *op, llvm::ArrayRef<const Tensor *> results)>;

  /// `module` must outlive the model and must not change. Throws std::runtime_error if it has no graph.
  explicit ReferenceModel(mlir::ModuleOp module, ReferenceOptions options = {});
  ~ReferenceModel();

  /// Runs one step. `inputs` are by name and have the graph's shapes, with `tokens` rows if the leading dimension is
  /// dynamic. Returns the outputs by name. Throws std::runtime_error for missing inputs and wrong shapes, if tokens < 1
  /// or position + tokens > context, and for everything that evaluateOperation refuses.
  Tensors run(const Tensors &inputs, int64_t tokens, int64_t position, const Observer &observer = {});

  /// Runs a language model: the input is "ids", the result is the output "logits" as one row.
  std::vector<double> runIds(const std::vector<int32_t> &ids, int64_t position, const Observer &observer = {});

  /// Runs one step with a twin (Twin.h), for comparison with a package that ran the same step. Returns the outputs with
  /// bounds on the package's error. The twin's states are those of the previous run, if that had a twin too.
  std::map<std::string, TwinValue> runBeside(const Tensors &inputs, int64_t tokens, int64_t position,
                                             const MadeRows &made);

  /// Sets all states to zero.
  void reset();

  /// The contents of a state, which is zero before the first run. Throws std::runtime_error for an unknown name.
  const Tensor &state(const std::string &name) const;
  /// Bounds on the error of each row of a package's state, after runBeside.
  RowBounds stateBounds(const std::string &name) const;
  /// Replaces a state in both runs. Throws std::runtime_error for an unknown name and for a different shape.
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

/// Runs one kernel on given arguments. Caches among the arguments (which kv_append writes) are updated in place. Throws
/// like ReferenceModel::run.
std::vector<Tensor> evaluateKernel(KernelOp kernel, std::vector<Tensor> &arguments, StepScalars step);

} // namespace nstf::reference
