#include "support/ByteSize.h"

#include <cstdio>

namespace nstf::support {

ByteUnit getByteUnit(uint64_t bytes) {
  constexpr ByteUnit units[] = {{"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}};
  for (ByteUnit unit : units)
    if (bytes >= unit.bytes)
      return unit;
  return {"B", 1};
}

std::string formatBytes(uint64_t bytes, ByteUnit unit) {
  bool isWhole = unit.bytes == 1 || (bytes % unit.bytes == 0 && bytes / unit.bytes >= 100);
  char text[32];
  std::snprintf(text, sizeof text, isWhole ? "%.0f" : "%.1f", double(bytes) / double(unit.bytes));
  return text;
}

std::string formatBytes(uint64_t bytes) {
  ByteUnit unit = getByteUnit(bytes);
  return formatBytes(bytes, unit) + " " + unit.name;
}

} // namespace nstf::support
