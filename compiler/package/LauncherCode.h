// The code of model.cpp that is the same for every model (LauncherText.h): the files of compiler/package/launcher,
// which the build embeds in this library.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace nstf::launcher {

/// What a model has or has not, by the name that `#if` lines use.
using Features = std::map<std::string_view, bool>;

/// The lines after "//--- `part`", up to the next such line, without those that `#if` excludes. Throws std::logic_error
/// for a part or a feature that does not exist.
std::string launcherCode(std::string_view part, const Features &features = {});

/// The embedded files: name and text.
std::span<const std::pair<std::string_view, std::string_view>> launcherFiles();

} // namespace nstf::launcher
