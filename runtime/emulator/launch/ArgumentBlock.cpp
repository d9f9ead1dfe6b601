#include "runtime/emulator/launch/ArgumentBlock.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {

bool isPointer(const KernelArgument &argument) { return argument.valueKind == "global_buffer"; }

std::string nameOf(const KernelArgument &argument, size_t i) {
  return std::to_string(i) + (argument.name.empty() ? "" : " '" + support::escape(argument.name) + "'");
}

std::string typeOf(const KernelArgument &argument) {
  std::string type = argument.typeName.empty() ? "" : argument.typeName + ", ";
  if (isPointer(argument))
    return argument.typeName.empty() ? "a pointer" : type + "a pointer";
  return type + std::to_string(argument.size) + (argument.size == 1 ? " byte" : " bytes");
}

std::string bytesText(size_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

/// The kind of a scalar type of OpenCL C that the metadata names: 'f' float, 'i' integer, 0 unknown.
char kindOfTypeName(const std::string &name) {
  for (const char *type : {"float", "double", "half"})
    if (name == type)
      return 'f';
  for (const char *type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"})
    if (name == type)
      return 'i';
  return 0;
}

class Block {
public:
  Block(const Kernel &kernel, const LaunchDescription &launch, const AddressOf &addressOf)
      : kernel(kernel), launch(launch), addressOf(addressOf) {
    for (const KernelArgument &argument : kernel.arguments)
      if (!argument.hidden())
        explicits.push_back(&argument);
  }

  std::vector<std::byte> make(const LaunchShape &shape) {
    bytes.resize(kernel.kernargSize);
    fillHidden(kernel, shape, bytes);
    given.resize(bytes.size());
    size_t next = 0;
    for (const ArgumentDescription &argument : launch.arguments)
      if (!argument.at)
        putInOrder(argument, next++);
    for (const ArgumentDescription &argument : launch.arguments)
      if (argument.at)
        putAt(argument);
    if (!next && !launch.arguments.empty())
      next = explicits.size(); // only some bytes are given; the rest is zero
    for (size_t i = next; i < explicits.size(); ++i)
      if (std::find(given.begin() + explicits[i]->offset, given.begin() + explicits[i]->offset + explicits[i]->size,
                    false) != given.begin() + explicits[i]->offset + explicits[i]->size)
        wrongNumber(next);
    bytes.resize(bytes.size() + argumentPadding);
    return std::move(bytes);
  }

private:
  [[noreturn]] void wrongNumber(size_t got) const {
    launch.place.error("expected " + std::to_string(explicits.size()) + " arguments for kernel '" +
                       support::escape(kernel.name) + "' but got " + std::to_string(got) + " (it takes " +
                       describeArguments(kernel) + ")");
  }

  void putInOrder(const ArgumentDescription &argument, size_t i) {
    if (explicits.empty() && (!kernel.hasMetadata || kernel.kernargSize))
      argument.place.error("expected {at: OFFSET, …}: kernel '" + support::escape(kernel.name) +
                           "' has no metadata about its arguments, so their order says nothing");
    if (i >= explicits.size())
      wrongNumber(std::count_if(launch.arguments.begin(), launch.arguments.end(),
                                [](const ArgumentDescription &a) { return !a.at; }));
    const KernelArgument &slot = *explicits[i];
    std::vector<std::byte> value = getBytes(argument);
    auto mismatch = [&](const std::string &got) {
      argument.place.error("expected " + typeOf(slot) + " for argument " + nameOf(slot, i) + " of kernel '" +
                           support::escape(kernel.name) + "' but got " + got);
    };
    if (argument.kind == ArgumentDescription::Pointer && slot.size != value.size())
      mismatch("a pointer to buffer '" + support::escape(argument.buffer) + "'");
    if (value.size() != slot.size)
      mismatch(argument.written + (argument.kind == ArgumentDescription::Bytes ? ": " : ", ") +
               bytesText(value.size()));
    if (argument.kind == ArgumentDescription::Scalar) {
      std::optional<ElementType> type = findElementType(argument.written);
      char wanted = kindOfTypeName(slot.typeName);
      if (type && isFloat(*type) && isPointer(slot))
        mismatch(argument.written + " (a buffer, u64 or bytes can be a pointer)");
      if (type && wanted && (wanted == 'f') != isFloat(*type))
        mismatch(argument.written + " ({bytes: …} gives any bits)");
    }
    put(value, slot.offset);
  }

  void putAt(const ArgumentDescription &argument) {
    std::vector<std::byte> value = getBytes(argument);
    size_t end = *argument.at + value.size();
    if (end > bytes.size()) {
      if (!explicits.empty())
        argument.place.error("expected arguments inside the " + std::to_string(bytes.size()) +
                             " bytes of the argument block of kernel '" + support::escape(kernel.name) +
                             "' but got one of " + bytesText(value.size()) + " at " + std::to_string(*argument.at));
      bytes.resize(end); // hand-written code often lacks the size of its block
      given.resize(end);
    }
    put(value, *argument.at);
  }

  std::vector<std::byte> getBytes(const ArgumentDescription &argument) const {
    if (argument.kind != ArgumentDescription::Pointer)
      return argument.bytes;
    uint64_t address = addressOf(argument.buffer) + uint64_t(argument.offset);
    std::vector<std::byte> value(sizeof address);
    std::memcpy(value.data(), &address, sizeof address);
    return value;
  }

  void put(const std::vector<std::byte> &value, size_t offset) {
    std::copy(value.begin(), value.end(), bytes.begin() + offset);
    std::fill_n(given.begin() + offset, value.size(), true);
  }

  const Kernel &kernel;
  const LaunchDescription &launch;
  const AddressOf &addressOf;
  std::vector<const KernelArgument *> explicits;
  std::vector<std::byte> bytes;
  std::vector<bool> given;
};

} // namespace

std::string describeArguments(const Kernel &kernel) {
  std::vector<std::string> arguments;
  for (const KernelArgument &argument : kernel.arguments)
    if (!argument.hidden())
      arguments.push_back(nameOf(argument, arguments.size()) + ": " + typeOf(argument));
  return arguments.empty() ? "none" : support::listNames(arguments);
}

std::vector<std::byte> makeArgumentBlock(const Kernel &kernel, const LaunchDescription &launch,
                                         const LaunchShape &shape, const AddressOf &addressOf) {
  return Block(kernel, launch, addressOf).make(shape);
}

} // namespace nstf::emulator
