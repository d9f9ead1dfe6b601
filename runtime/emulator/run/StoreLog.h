// What memory and LDS held before they were first written.
#pragma once

#include "runtime/emulator/instructions/Monitor.h"

#include <unordered_map>

namespace nstf::emulator {

class StoreLog : public Monitor {
public:
  void instruction(Wave &, const MicroOp *) override;
  void retired(Wave &, const MicroOp *) override;
  void barrier(Workgroup &) override;
  void access(Wave &, const MicroOp *, const MemoryAccess &) override;
  /// Whether what was written since the beginning is what stood there.
  bool unchanged() const;
  /// From now on.
  void begin() { before.clear(); }

  Monitor *other = nullptr; ///< the launch's own, told as well

private:
  std::unordered_map<uint64_t, uint8_t> before; ///< by address of the host
};

} // namespace nstf::emulator
