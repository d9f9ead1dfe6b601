// Bundles code objects of several targets in one file, from which hipModuleLoad chooses one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf {

/// clang's uncompressed offload bundle of (target ID, code object), as `hipcc --genco` writes it for several targets. A
/// single code object is returned unchanged.
std::string bundleCodeObjects(const std::vector<std::pair<std::string, std::string_view>> &objects);

} // namespace nstf
