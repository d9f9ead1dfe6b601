#include "runtime/emulator/run/KernelArguments.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {

std::string dimensions(const std::array<uint32_t, 3> &d) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" + std::to_string(d[2]);
}

} // namespace

std::string getProblem(const DeviceModel &model, const Kernel &kernel, const LaunchShape &shape) {
  const auto &[grid, block, dynamicLds, remainder] = shape;
  uint64_t items = 1;
  for (uint32_t size : block)
    items = std::min<uint64_t>(items * size, UINT32_MAX);
  if (!grid[0] || !grid[1] || !grid[2] || !items)
    return "a grid of " + dimensions(grid) + " workgroups of " + dimensions(block) + " is empty";
  const uint32_t maxItems = std::min(model.maxWorkgroupSize, kernel.maxFlatWorkgroupSize);
  if (items > maxItems)
    return "expected at most " + std::to_string(maxItems) + " work-items in a workgroup but got " + dimensions(block);
  for (unsigned i = 0; i < 3; ++i)
    if (uint64_t(grid[i]) * block[i] > UINT32_MAX)
      return "a grid of " + dimensions(grid) + " workgroups has more than 2^32 - 1 work-items";
  for (unsigned i = 0; i < 3; ++i)
    if (remainder[i] >= block[i])
      return "expected fewer than " + std::to_string(block[i]) + " work-items in a partly filled workgroup but got " +
             std::to_string(remainder[i]);
  const std::array<uint32_t, 3> &required = kernel.requiredWorkgroupSize;
  if (required[0] && block != required)
    return "it was compiled for workgroups of " + dimensions(required) + " but got " + dimensions(block);
  if (kernel.ldsSize + dynamicLds > model.ldsBytes)
    return "it needs " + std::to_string(kernel.ldsSize) + " + " + std::to_string(dynamicLds) +
           " bytes of LDS, a workgroup has " + std::to_string(model.ldsBytes);
  return "";
}

size_t explicitBytes(const Kernel &kernel) {
  size_t end = 0;
  for (const KernelArgument &argument : kernel.arguments)
    if (!argument.hidden())
      end = std::max<size_t>(end, argument.offset + argument.size);
  return end;
}

void fillHidden(const Kernel &kernel, const LaunchShape &shape, std::span<std::byte> block) {
  const auto &[grid, size, dynamicLds, remainder] = shape;
  auto complete = [&, &grid = grid, &remainder = remainder](unsigned i) { return grid[i] - (remainder[i] != 0); };
  const uint64_t dims = grid[2] * size[2] > 1 ? 3 : grid[1] * size[1] > 1 ? 2 : 1;
  const struct {
    const char *name;
    uint64_t value;
  } values[] = {
      {"hidden_block_count_x", complete(0)},      {"hidden_block_count_y", complete(1)},
      {"hidden_block_count_z", complete(2)},      {"hidden_group_size_x", size[0]},
      {"hidden_group_size_y", size[1]},           {"hidden_group_size_z", size[2]},
      {"hidden_remainder_x", remainder[0]},       {"hidden_remainder_y", remainder[1]},
      {"hidden_remainder_z", remainder[2]},       {"hidden_grid_dims", dims},
      {"hidden_dynamic_lds_size", dynamicLds},    {"hidden_private_base", privateApertureHigh},
      {"hidden_shared_base", sharedApertureHigh},
      // Others are zero: hidden_global_offset_* (HIP has none), services.
  };
  for (const KernelArgument &argument : kernel.arguments)
    for (const auto &entry : values)
      if (argument.valueKind == entry.name)
        std::memcpy(block.data() + argument.offset, &entry.value, std::min<size_t>(argument.size, 8));
}

} // namespace nstf::emulator
