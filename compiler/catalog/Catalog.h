// Which kernel template a region takes at how many tokens, with which parameters, and why.
//
// The lookup: templates/tuning/<target>/<template>/<type>.yaml, first row whose ranges hold; then the template's own
// defaults. Never silently: the choice carries its reason.
#pragma once

#include "compiler/target/Target.h"
#include "dialects/nstf/NSTF.h"

#include <cstdint>
#include <map>
#include <string>

namespace nstf {

struct KernelChoice {
  std::string templateName;
  std::map<std::string, int64_t> tuning; ///< over the template's defaults
  std::string reason;                    ///< "templates/tuning/gfx942/matmul/f32.yaml row 2: …"

  bool operator==(const KernelChoice &other) const {
    return templateName == other.templateName && tuning == other.tuning;
  }
};

/// The choice for steps of up to `tokens` rows. Emits an error where the region has no template; throws
/// std::runtime_error where a tuning file is ill-formed (file and line named).
mlir::FailureOr<KernelChoice> chooseKernel(KernelOp region, int64_t tokens, const Target &target);

} // namespace nstf
