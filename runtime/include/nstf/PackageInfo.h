// What a package is and what it needs, for people and as JSON.
#pragma once

#include "nstf/Package.h"

namespace nstf::runtime {

/// "weights 15.0 GiB, KV 1.0 GiB at context 8192, arena 0.2 GiB of 192 GiB": all that opening the package allocates, in
/// one unit, and what the chips have. The arena is what a step works in: what lives between launches, the control
/// block, inputs and outputs.
std::string describeMemory(const manifest::Manifest &manifest);

/// Targets, inputs, outputs, tokenizer, precision and memory: a line each.
std::string describePackage(const Package &package);
/// The same as a document of package-info.schema.json.
std::string describePackageAsJson(const Package &package);

} // namespace nstf::runtime
