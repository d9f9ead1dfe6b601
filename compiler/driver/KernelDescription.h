// Kernels that can be compiled alone: graphs of one launch, in the format of compiler/description, from
// templates/standalone or from a user's file. Their parameters are the options of `nstfc kernel`.
#pragma once

#include "compiler/description/GraphDescription.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace nstf {

/// A parameter of a description as an option.
struct KernelOption {
  std::string key;  ///< "kv_heads"; on the command line --kv-heads
  std::string type; ///< "integer", "float", "boolean" or "text"
  std::string about;
  std::string fallback;           ///< what it is where it is not given: an expression; empty: it must be given
  std::vector<std::string> oneOf; ///< of a text: what it may be
  bool isRows = false;            ///< the number of rows, which may also be left to the launch
};

class KernelDescription {
public:
  /// Those of templates/standalone, by name.
  static std::vector<KernelDescription> list();
  /// One of them, or the file `name` where it ends in .yaml. Throws support::InputError; for an unknown name it lists
  /// the known.
  static KernelDescription find(const std::string &name);

  const std::string &getName() const { return graph.name; }
  /// What `nstfc kernel` was given: the name, or a file's name.
  const std::string &getSource() const { return source; }
  /// "--kv-heads" for kv_heads.
  static std::string getFlag(std::string key);
  const std::string &getAbout() const { return graph.about; }
  std::vector<KernelOption> getOptions() const;
  /// The key of the rows' option; empty where there is none.
  std::string getRowsKey() const;
  /// What the description says about an input, weight or state; empty where it says nothing.
  std::string getInputAbout(llvm::StringRef input) const;

  /// Options' values as text, by key.
  using Values = std::map<std::string, std::string>;

  /// The module of the kernel's graph; its rows are dynamic where launches decide how many there are. With
  /// `runtimeRows` the value of the rows' option is only the most there can be. Emits a diagnostic and returns null: a
  /// missing, unknown or wrong value, a tensor too large for a kernel.
  mlir::OwningOpRef<mlir::ModuleOp> makeModule(const Values &values, bool runtimeRows,
                                               mlir::MLIRContext &context) const;

private:
  explicit KernelDescription(description::GraphDescription graph) : graph(std::move(graph)) {}
  mlir::OwningOpRef<mlir::ModuleOp> buildGraph(const Values &values, bool runtimeRows,
                                               mlir::MLIRContext &context) const;

  description::GraphDescription graph;
  std::string source;     ///< its name, or its file's without the folder
  std::string moduleFile; ///< where it is a module
};

} // namespace nstf
