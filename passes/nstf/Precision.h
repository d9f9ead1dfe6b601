// The types in which the operands of matrix products are stored: nstf-set-precision's option, and nstfc's --precision.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

#include <array>
#include <optional>

namespace nstf {

enum class Precision { F32, F16, BF16 };
inline constexpr std::array<Precision, 3> precisions = {Precision::F32, Precision::F16, Precision::BF16};

/// "f32", "f16" or "bf16".
llvm::StringRef getName(Precision precision);
/// The precision of that name; nullopt for an unknown name.
std::optional<Precision> parsePrecision(llvm::StringRef name);
/// All of them, for an option of a pass or a pipeline.
llvm::cl::ValuesClass getPrecisionValues();

} // namespace nstf
