// `nstfc kernel`: compiles one kernel to a code object and a C header, for applications that launch it themselves.
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/driver/KernelDescription.h"
#include "compiler/package/KernelHeader.h"

#include <filesystem>

namespace nstf {

struct KernelRequest {
  KernelDescription::Values values; ///< options by key
  bool runtimeRows = false;         ///< the rows' option gives only the maximum
  std::string name;                 ///< a C identifier; empty: made from the description's name
  std::string rowCodes;             ///< type of the codes in which products read their rows, "i8"; empty: numbers
  CompileOptions compile;           ///< targets, wave size, dumps, and tuning
};

/// The compilation of a kernel, with the same catalog and pipelines as a model's. The description must outlive it.
class KernelCompilation {
public:
  /// Throws std::runtime_error for a name that is not an identifier.
  KernelCompilation(mlir::MLIRContext &context, const KernelDescription &description, KernelRequest request,
                    mlir::TimingScope &timing);

  /// Emits diagnostics; throws std::runtime_error for unknown targets and tuning parameters.
  mlir::LogicalResult run(Stage last);
  /// Output files; an empty path omits one.
  struct Files {
    std::filesystem::path object; ///< the code object; for several targets, an offload bundle
    std::filesystem::path header;
    std::filesystem::path launch; ///< a launch file for the object
  };
  /// Writes all files or none. Precondition: run(Stage::Hsaco).
  void write(const Files &files) const;
  /// The plans of each target's product loops, in order, in the file format of --plan. Precondition:
  /// run(Stage::Systolic).
  std::string getPlans() const;
  /// The cost model's estimates for the kernel on each target. Precondition: run(Stage::Fused).
  mlir::FailureOr<std::string> getCosts();
  /// Precondition: `run` was called.
  const Compilation &getCompilation() const { return *compilation; }

private:
  KernelHeader describe() const;
  std::string makeCommand() const;

  mlir::MLIRContext &context;
  const KernelDescription &description;
  KernelRequest request;
  mlir::TimingScope &timing;
  std::optional<Compilation> compilation;
};

} // namespace nstf
