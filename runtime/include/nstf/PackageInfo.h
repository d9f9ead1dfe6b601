// A description of a package and its requirements, as text and as JSON.
#pragma once

#include "nstf/Package.h"

namespace nstf::runtime {

/// "weights 15.0 GiB, KV 1.0 GiB at context 8192, arena 0.2 GiB of 192 GiB": all memory that opening the package
/// allocates, in one unit, and the chips' memory. The arena here is the memory of a step: values that live from one
/// launch to the next, the control block, inputs and outputs.
std::string describeMemory(const manifest::Manifest &manifest);

/// Targets, inputs, outputs, tokenizer, precision and memory, one line each.
std::string describePackage(const Package &package);
/// The same as a document of package-info.schema.json.
std::string describePackageAsJson(const Package &package);

} // namespace nstf::runtime
