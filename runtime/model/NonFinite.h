// Finds the origin of numbers that are not finite. It runs only after a run's results proved unusable.
#pragma once

#include "nstf/Session.h"

#include <span>
#include <string>

namespace nstf::runtime {

/// Runs a step of `tokens` rows again, launch by launch, on the session's inputs from its position on. Returns ": …",
/// to be appended to an error: the first launch that writes a number that is not finite, and a remedy. Empty if no
/// launch does.
std::string explainStep(Session &session, int64_t tokens);

/// The same for the steps that ran `ids` up to the session's position. The first `unchecked` ids ran in steps of at
/// most `limit` (0: as many as fit) whose results were not checked. The other ids ran one a step; their results were
/// finite except the last one's. The session is left at an unspecified position of the text.
std::string explainText(Session &session, std::span<const int32_t> ids, std::size_t unchecked, int64_t limit = 0);

} // namespace nstf::runtime
