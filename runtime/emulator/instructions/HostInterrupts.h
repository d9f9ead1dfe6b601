// Interrupts that waves send to the host.
#pragma once

namespace nstf::emulator {

class HostInterrupts {
public:
  virtual ~HostInterrupts() = default;
  /// A wave has sent an interrupt (s_sendmsg sendmsg(MSG_INTERRUPT)). Any thread may call it. Throws std::runtime_error
  /// to end the launch.
  virtual void raise() = 0;
};

} // namespace nstf::emulator
