// YAML read with limits: yaml-cpp recurses into what a file nests, and takes its time.
#pragma once

#include <string>
#include <yaml-cpp/yaml.h>

namespace nstf::support {

/// The first document of `text`, as YAML::Load. Throws YAML::ParserException, with the place and one line of message,
/// also for what is too long, nests too deep (support/TextLimits.h) or refers to itself (aliases).
YAML::Node loadYaml(const std::string &text);

} // namespace nstf::support
