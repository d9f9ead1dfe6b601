// What the host could compute.
#pragma once

namespace nstf {

/// Operations a second that one thread reaches with fused multiply-adds of f32 in registers, in the vectors that the
/// emulator uses: 2 · lanes · ports · clock, measured.
double measurePeak();

} // namespace nstf
