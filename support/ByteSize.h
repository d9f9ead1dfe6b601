// Bytes for people: 15.0 GiB.
#pragma once

#include <cstdint>
#include <string>

namespace nstf::support {

struct ByteUnit {
  const char *name;
  uint64_t bytes;
};

/// The largest of B, KiB, MiB, GiB and TiB of which `bytes` has one.
ByteUnit getByteUnit(uint64_t bytes);
/// "0.2", in a unit that several numbers share; whole bytes and whole units of 100 and more have no fraction.
std::string formatBytes(uint64_t bytes, ByteUnit unit);
/// "0.2 GiB", "192 GiB", in a unit of its own.
std::string formatBytes(uint64_t bytes);

} // namespace nstf::support
