// Byte counts in text for people: "15.0 GiB".
#pragma once

#include <cstdint>
#include <string>

namespace nstf::support {

struct ByteUnit {
  const char *name;
  uint64_t bytes;
};

/// The largest of B, KiB, MiB, GiB and TiB that is at most `bytes`.
ByteUnit getByteUnit(uint64_t bytes);
/// "0.2": the number alone, in a unit that several numbers share. Bytes, and whole multiples of the unit from 100 on,
/// have no fraction.
std::string formatBytes(uint64_t bytes, ByteUnit unit);
/// "0.2 GiB", "192 GiB": the number in its own unit.
std::string formatBytes(uint64_t bytes);

} // namespace nstf::support
