// Kernels that can be compiled alone: graphs with one launch, in the format of compiler/description, from
// templates/standalone or from a user's file. Their parameters are the options of `nstfc kernel`.
#pragma once

#include "compiler/description/GraphDescription.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace nstf {

/// A description's parameter as a command line option.
struct KernelOption {
  std::string key;  ///< "kv_heads"; on the command line --kv-heads
  std::string type; ///< "integer", "float", "boolean" or "text"
  std::string about;
  std::string fallback;           ///< the default, an expression; empty: the option is required
  std::vector<std::string> oneOf; ///< the possible values of a text
  bool isRows = false;            ///< the number of rows, which may also be known only at launch
};

class KernelDescription {
public:
  /// The descriptions in templates/standalone, by name.
  static std::vector<KernelDescription> list();
  /// The description called `name`, or that of the file `name` if it ends in .yaml. Throws support::InputError; for an
  /// unknown name it lists the known ones.
  static KernelDescription find(const std::string &name);

  const std::string &getName() const { return graph.name; }
  /// The name, or the file's name, that `nstfc kernel` was given.
  const std::string &getSource() const { return source; }
  /// The option's flag: "--kv-heads" for kv_heads.
  static std::string getFlag(std::string key);
  const std::string &getAbout() const { return graph.about; }
  std::vector<KernelOption> getOptions() const;
  /// The key of the rows' option; empty if there is none.
  std::string getRowsKey() const;
  /// The description's text about an input, weight or state; empty if there is none.
  std::string getInputAbout(llvm::StringRef input) const;

  /// Values of options as text, by key.
  using Values = std::map<std::string, std::string>;

  /// The module of the kernel's graph. The rows are dynamic if they are known only at launch. With `runtimeRows` the
  /// value of the rows' option is only their maximum. Emits a diagnostic and returns null for a missing, unknown or
  /// wrong value, and for a tensor that is too large for a kernel.
  mlir::OwningOpRef<mlir::ModuleOp> makeModule(const Values &values, bool runtimeRows,
                                               mlir::MLIRContext &context) const;

private:
  explicit KernelDescription(description::GraphDescription graph) : graph(std::move(graph)) {}
  mlir::OwningOpRef<mlir::ModuleOp> buildGraph(const Values &values, bool runtimeRows,
                                               mlir::MLIRContext &context) const;

  description::GraphDescription graph;
  std::string source;     ///< the name, or the file's name without its folder
  std::string moduleFile; ///< if the description is a module in a file
};

} // namespace nstf
