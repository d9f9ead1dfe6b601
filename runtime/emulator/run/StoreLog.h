// Logs the contents of memory and LDS before their first write.
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
  /// Whether all written bytes have their original contents.
  bool unchanged() const;
  /// Starts a new log.
  void begin() { before.clear(); }

  Monitor *other = nullptr; ///< the launch's own monitor; calls are forwarded to it

private:
  std::unordered_map<uint64_t, uint8_t> before; ///< by host address
};

} // namespace nstf::emulator
