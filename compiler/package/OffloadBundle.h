// Code objects of several targets in one file, which hipModuleLoad takes and chooses from.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf {

/// clang's uncompressed offload bundle of (target ID, code object), as `hipcc --genco` writes for several targets. One
/// code object alone stays what it is.
std::string bundleCodeObjects(const std::vector<std::pair<std::string, std::string_view>> &objects);

} // namespace nstf
