// Reads entries and keys in the order of the bytes; skips keys that the emulator does not use. Keys: AMDGPUUsage, "Code
// Object V3 Metadata" to "V6"; later versions only add some.
#include "runtime/emulator/memory/Metadata.h"
#include "runtime/emulator/memory/MsgPack.h"

#include <charconv>
#include <stdexcept>

namespace nstf::emulator {
namespace {

/// Reads one map and calls `field(key)` for every string key; it reads the value or returns false.
template <typename Field> void readMap(MsgPackReader &reader, Field field) {
  for (uint64_t left = reader.map(); left; --left) {
    if (!reader.atString()) {
      reader.skip();
      reader.skip();
    } else if (!field(reader.string())) {
      reader.skip();
    }
  }
}

/// Reads values of the kinds that keys require, with the key and kernel in errors.
class Values {
public:
  Values(MsgPackReader &reader, const std::string &kernel) : reader(reader), kernel(kernel) {}

  uint32_t number(std::string_view key) {
    const uint64_t value = reader.atNumber() ? reader.number() : UINT64_MAX;
    if (value > UINT32_MAX)
      throw std::runtime_error("expected a 32-bit number for " + std::string(key) + where());
    return uint32_t(value);
  }
  std::string text(std::string_view key) {
    if (!reader.atString())
      throw std::runtime_error("expected a string for " + std::string(key) + where());
    return std::string(reader.string());
  }
  std::string where() const {
    return kernel.empty() ? " in the metadata of a kernel" : " in the metadata of kernel " + kernel;
  }

private:
  MsgPackReader &reader;
  const std::string &kernel; // its name, once read
};

KernelArgument readArgument(MsgPackReader &reader, const std::string &kernel) {
  KernelArgument argument;
  bool hasOffset = false, hasSize = false;
  Values values(reader, kernel);
  readMap(reader, [&](std::string_view key) {
    if (key == ".offset")
      argument.offset = values.number(key), hasOffset = true;
    else if (key == ".size")
      argument.size = values.number(key), hasSize = true;
    else if (key == ".value_kind")
      argument.valueKind = values.text(key);
    else if (key == ".name")
      argument.name = values.text(key);
    else if (key == ".type_name")
      argument.typeName = values.text(key);
    else if (key == ".address_space")
      argument.addressSpace = values.text(key);
    else if (key == ".access" || (key == ".actual_access" && argument.access.empty()))
      argument.access = values.text(key);
    else
      return false;
    return true;
  });
  if (!hasOffset || !hasSize || argument.valueKind.empty())
    throw std::runtime_error("expected .offset, .size and .value_kind of every argument" + values.where());
  return argument;
}

ServiceArguments servicesOf(const std::vector<KernelArgument> &arguments) {
  ServiceArguments services;
  for (const KernelArgument &argument : arguments)
    if (argument.size != sizeof(uint64_t))
      continue;
    else if (argument.valueKind == "hidden_hostcall_buffer")
      services.hostcall = argument.offset;
    else if (argument.valueKind == "hidden_heap_v1")
      services.heap = argument.offset;
    else if (argument.valueKind == "hidden_printf_buffer")
      services.printf = argument.offset;
  return services;
}

KernelMetadata readKernel(MsgPackReader &reader) {
  KernelMetadata result;
  Kernel &kernel = result.fields;
  kernel.hasMetadata = true;
  bool hasKernarg = false, hasLds = false, hasScratch = false;
  Values values(reader, kernel.name);
  readMap(reader, [&](std::string_view key) {
    if (key == ".name")
      kernel.name = values.text(key);
    else if (key == ".symbol")
      result.descriptorSymbol = values.text(key);
    else if (key == ".kernarg_segment_size")
      kernel.kernargSize = values.number(key), hasKernarg = true;
    else if (key == ".group_segment_fixed_size")
      kernel.ldsSize = values.number(key), hasLds = true;
    else if (key == ".private_segment_fixed_size")
      kernel.scratchSize = values.number(key), hasScratch = true;
    else if (key == ".wavefront_size")
      kernel.waveSize = values.number(key);
    else if (key == ".max_flat_workgroup_size")
      kernel.maxFlatWorkgroupSize = values.number(key);
    else if (key == ".vgpr_count")
      kernel.vgprCount = values.number(key);
    else if (key == ".agpr_count")
      kernel.agprCount = values.number(key);
    else if (key == ".sgpr_count")
      kernel.sgprCount = values.number(key);
    else if (key == ".vgpr_spill_count")
      kernel.vgprSpills = values.number(key);
    else if (key == ".sgpr_spill_count")
      kernel.sgprSpills = values.number(key);
    else if (key == ".reqd_workgroup_size") {
      if (!reader.atArray() || reader.array() != 3)
        throw std::runtime_error("expected three numbers for .reqd_workgroup_size" + values.where());
      for (uint32_t &size : kernel.requiredWorkgroupSize)
        size = values.number(key);
    } else if (key == ".args") {
      if (!reader.atArray())
        throw std::runtime_error("expected an array for .args" + values.where());
      for (uint64_t left = reader.array(); left; --left)
        kernel.arguments.push_back(readArgument(reader, kernel.name));
    } else {
      return false;
    }
    return true;
  });
  if (kernel.name.empty() || result.descriptorSymbol.empty() || !hasKernarg || !hasLds || !hasScratch)
    throw std::runtime_error("expected .name, .symbol, .kernarg_segment_size, .group_segment_fixed_size and "
                             ".private_segment_fixed_size" +
                             values.where());
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (uint64_t(kernel.arguments[i].offset) + kernel.arguments[i].size > kernel.kernargSize)
      throw std::runtime_error("argument " + std::to_string(i) + " of kernel " + kernel.name +
                               " lies outside the argument block of " + std::to_string(kernel.kernargSize) + " bytes");
  kernel.services = servicesOf(kernel.arguments);
  return result;
}

/// An entry of amdhsa.printf, as clang writes it for HIP: "0:0:", the hash in hexadecimal, a comma, the format. Entries
/// of OpenCL look different.
void readPrintfFormat(std::string_view entry, std::map<uint64_t, std::string> &formats) {
  constexpr std::string_view begin = "0:0:";
  const size_t comma = entry.find(',');
  if (!entry.starts_with(begin) || comma == std::string_view::npos)
    return;
  uint64_t hash;
  const char *end = entry.data() + comma;
  if (auto [reached, error] = std::from_chars(entry.data() + begin.size(), end, hash, 16);
      error == std::errc() && reached == end)
    formats.try_emplace(hash, entry.substr(comma + 1));
}

} // namespace

std::vector<KernelMetadata> parseMetadata(std::string_view blob, std::map<uint64_t, std::string> *printfFormats) {
  MsgPackReader reader(blob);
  std::vector<KernelMetadata> result;
  readMap(reader, [&](std::string_view key) {
    if (key == "amdhsa.kernels") {
      for (uint64_t left = reader.array(); left; --left)
        result.push_back(readKernel(reader));
      return true;
    }
    if (key != "amdhsa.printf" || !printfFormats)
      return false;
    for (uint64_t left = reader.array(); left; --left)
      readPrintfFormat(reader.string(), *printfFormats);
    return true;
  });
  return result;
}

} // namespace nstf::emulator
