// A pass for nstf-opt: puts a built-in target on the module.
#pragma once

namespace nstf {

/// Registers `nstf-set-target{target=gfx942}`: what `--target` does in nstfc, so that passes can run alone on files
/// that don't spell the chip's facts out.
void registerSetTargetPass();

} // namespace nstf
