#include "runtime/emulator/services/PrintfMessages.h"
#include "runtime/emulator/services/Format.h"

namespace nstf::emulator::services {
namespace {

constexpr uint64_t beginBit = 1, endBit = 2, toStderr = 1;
constexpr unsigned lengthAt = 5, numberAt = 8;
constexpr size_t maxWords = size_t(1) << 23; // 64 MiB

/// The result of a whole message.
uint64_t output(std::span<const uint64_t> message, const Print &print, const Refuse &refuse) {
  try {
    if (message.empty() || message[0] > toStderr)
      throw PrintfError(message.empty() ? "a message is empty"
                                        : "expected the stream 0 or 1 but got " + std::to_string(message[0]));
    const std::string text = formatPrintf(message.subspan(1));
    print(text, message[0] == toStderr);
    return text.size();
  } catch (const PrintfError &error) {
    refuse(error.what());
    return uint64_t(-1);
  }
}

} // namespace

void PrintfMessages::add(Slot slot, const Print &print, const Refuse &refuse) {
  const uint64_t descriptor = slot[0], length = descriptor >> lengthAt & 7;
  uint64_t number = descriptor >> numberAt;
  if (descriptor & beginBit) {
    number = nextNumber++;
    open[number];
  }
  const auto message = open.find(number);
  if (message == open.end())
    throw ServiceError("hostcall: printf goes on with message " + std::to_string(number) + ", which is not open");
  message->second.insert(message->second.end(), slot.begin() + 1, slot.begin() + 1 + std::ptrdiff_t(length));
  words += length;
  if (words > maxWords || open.size() > maxWords)
    throw ServiceError("hostcall: expected at most " + std::to_string(maxWords) + " words of unfinished printfs");
  if (!(descriptor & endBit)) {
    slot[0] = (descriptor & ((1 << numberAt) - 1) & ~beginBit) | number << numberAt;
    return;
  }
  const std::vector<uint64_t> whole = std::move(message->second);
  open.erase(message);
  words -= whole.size();
  slot[0] = output(whole, print, refuse);
}

} // namespace nstf::emulator::services
