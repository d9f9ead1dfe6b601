// The hash of support::Schedule, the parameter of #systolic.schedule (Schedule.td).
#pragma once

#include "support/Schedule.h"
#include "llvm/ADT/Hashing.h"

namespace nstf::support { // where MLIR looks for it

inline llvm::hash_code hash_value(const Schedule &schedule) { return llvm::hash_value(schedule.str()); }

} // namespace nstf::support
