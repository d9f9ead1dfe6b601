// Where numbers that aren't finite come from: looked for only once a run's results are no use.
#pragma once

#include "nstf/Session.h"

#include <span>
#include <string>

namespace nstf::runtime {

/// Runs a step of `tokens` rows again, on the session's inputs from its position on, launch by launch, and says which
/// is the first to write what isn't finite, and what can be done: ": …", behind an error. Empty where none does.
std::string explainStep(Session &session, int64_t tokens);

/// The same of the steps that ran `ids` up to the session's position. Nobody had looked at results of the first
/// `unchecked`, which ran in steps of at most `limit` (0: as many as fit); those of the others, one a step, were fine
/// but for the last's. The session is left somewhere among them.
std::string explainText(Session &session, std::span<const int32_t> ids, std::size_t unchecked, int64_t limit = 0);

} // namespace nstf::runtime
