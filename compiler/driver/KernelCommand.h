// `nstfc kernel`: one kernel by itself, as a code object and a C header for applications that launch it themselves.
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/driver/KernelDescription.h"
#include "compiler/package/KernelHeader.h"

#include <filesystem>

namespace nstf {

struct KernelRequest {
  KernelDescription::Values values; ///< options by key
  bool runtimeRows = false;         ///< the rows' option says only how many there are at most
  std::string name;                 ///< an identifier of C; empty: made from the description's name
  std::string rowCodes;             ///< type of the codes in which products get their rows, "i8"; empty: numbers
  CompileOptions compile;           ///< targets, wave size, dumps, and tuning among the wishes
};

/// The compilation of a kernel, by the same catalog and pipelines as a model's. The description must outlive it.
class KernelCompilation {
public:
  /// Throws std::runtime_error for a name that is no identifier.
  KernelCompilation(mlir::MLIRContext &context, const KernelDescription &description, KernelRequest request,
                    mlir::TimingScope &timing);

  /// Emits diagnostics; throws std::runtime_error for unknown targets and tuning parameters.
  mlir::LogicalResult run(Stage last);
  /// Where files go; an empty path leaves one out.
  struct Files {
    std::filesystem::path object; ///< the code object; of several targets an offload bundle
    std::filesystem::path header;
    std::filesystem::path launch; ///< launches the object
  };
  /// Writes all of them or none. Precondition: run(Stage::Hsaco).
  void write(const Files &files) const;
  /// The plans of each target's loops of products, in their order, as a file that --plan takes. Precondition:
  /// run(Stage::Systolic).
  std::string getPlans() const;
  /// What the cost model says of the kernel on each target. Precondition: run(Stage::Fused).
  mlir::FailureOr<std::string> getCosts();
  /// Precondition: run.
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
