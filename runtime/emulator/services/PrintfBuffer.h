// Buffered printf (clang's -mprintf-kind=buffered): kernels append records to a buffer, which the host prints when the
// launch has ended.
//
// The buffer begins with the bytes in use and the bytes there are, 32 bits each. A record begins with a descriptor: bit
// 0 for stderr, bit 1 if the format is a hash of one in the code object's metadata (amdhsa.printf), and from bit 2 on
// the record's bytes. The hash (64 bits) or the format, and the arguments follow (Format.h).
#pragma once

#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/services/PrintfMessages.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace nstf::emulator::services {

/// Formats by their hashes.
using PrintfFormats = std::map<uint64_t, std::string>;

/// Prints the records. Throws ServiceError for one that is damaged.
void printRecords(std::span<const std::byte> records, const PrintfFormats &formats, const Print &print,
                  const Refuse &refuse);

class PrintfBuffer {
public:
  /// `bytes`: for records. Throws std::runtime_error if device memory is used up.
  PrintfBuffer(Memory &memory, uint32_t bytes);
  ~PrintfBuffer();
  PrintfBuffer(const PrintfBuffer &) = delete;
  PrintfBuffer &operator=(const PrintfBuffer &) = delete;

  /// The address of the buffer, which the hidden argument hidden_printf_buffer passes.
  uint64_t address() const { return begin; }
  uint32_t size() const { return bytes; }
  /// Prints and empties it.
  void print(const PrintfFormats &formats, const Print &print, const Refuse &refuse);

private:
  void reset();

  Memory &memory;
  uint64_t begin;
  const uint32_t bytes;
};

} // namespace nstf::emulator::services
