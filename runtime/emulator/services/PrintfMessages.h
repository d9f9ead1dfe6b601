// The printf of host calls: a text comes in pieces, of which each lane's packet carries one.
//
// A lane's first word describes the piece: bit 0 begins a message, bit 1 ends it, bits 5 to 7 count the words that
// follow, and the bits from 8 on are the message's number, which the host gives when it begins. The first word of a
// message is 1 for stderr, else 0. The format and its arguments follow (Format.h).
#pragma once

#include "runtime/emulator/services/Hostcall.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nstf::emulator::services {

/// Where the text of a printf goes.
using Print = std::function<void(const std::string &text, bool isError)>;
/// Takes the reason why a printf has no text.
using Refuse = std::function<void(const std::string &why)>;

class PrintfMessages {
public:
  /// Adds a lane's piece and answers it. The answer is the descriptor that the next piece passes, or, after the last
  /// piece, printf's result: the number of bytes, or -1 if the message is refused. Throws ServiceError for a damaged
  /// descriptor.
  void add(Slot slot, const Print &print, const Refuse &refuse);

private:
  std::unordered_map<uint64_t, std::vector<uint64_t>> open; ///< by number
  uint64_t nextNumber = 1;
  size_t words = 0; ///< of all open messages
};

} // namespace nstf::emulator::services
