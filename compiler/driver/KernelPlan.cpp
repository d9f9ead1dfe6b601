// Reads kernels, buckets and launches from the IR (KernelPlan.h).
#include "compiler/driver/KernelPlan.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

int64_t LaunchInfo::getWorkItems(int64_t tokens) const {
  int64_t items = 0;
  for (const Part &part : parts)
    items += part.geometry.getWorkgroups(tokens);
  return items;
}

int64_t LaunchInfo::getMaxRequests() const {
  int64_t requests = 1;
  for (const Part &part : parts)
    requests = std::max(requests, part.geometry.getRequests());
  return requests;
}

KernelPlan nstf::readKernelPlan(ModuleOp target, GraphOp graph) {
  KernelPlan plan;
  std::map<std::pair<int64_t, int64_t>, llvm::StringMap<size_t>> variantOf; // by bucket, then the kernel's name
  for (VariantOp op : target.getOps<VariantOp>()) {
    for (std::pair<int64_t, int64_t> range : op.getTokenRanges())
      variantOf[range].insert({op.getKernel(), plan.variants.size()});
    plan.variants.push_back({op, op.getSymName().str(), op.getModelKernel(), {}, {}, {}});
  }
  for (const auto &[range, variants] : variantOf) {
    BucketPlan bucket{range.first, range.second, {}};
    for (StepOp step : graph.getBody().getOps<StepOp>()) {
      auto found = variants.find(step.getKernel());
      if (found == variants.end())
        throw std::runtime_error("expected a variant of kernel " + step.getKernel().str() + " for " +
                                 std::to_string(range.first) + " to " + std::to_string(range.second) +
                                 " tokens but got none");
      bucket.kernels.push_back(found->second);
    }
    plan.buckets.push_back(std::move(bucket));
  }
  return plan;
}

static LaunchInfo::Argument::Kind getKind(systolic::LaunchArgument::Kind kind) {
  switch (kind) {
  case systolic::LaunchArgument::Control:
    return LaunchInfo::Argument::Control;
  case systolic::LaunchArgument::Result:
    return LaunchInfo::Argument::Result;
  case systolic::LaunchArgument::Scratch:
    return LaunchInfo::Argument::Scratch;
  case systolic::LaunchArgument::Zeros:
    return LaunchInfo::Argument::Zeros;
  default:
    return LaunchInfo::Argument::Operand;
  }
}

static LaunchInfo::Part readPart(systolic::GeometryAttr geometry) {
  LaunchInfo::Part part{geometry, {}, {}, {}, {}, {}};
  ArrayAttr grid = geometry.getGrid();
  for (size_t i = 0; i + 1 < grid.size(); i += 2)
    part.grid.push_back({cast<StringAttr>(grid[i]).str(), cast<IntegerAttr>(grid[i + 1]).getInt()});
  for (NamedAttribute parameter : geometry.getParams())
    if (auto value = dyn_cast<IntegerAttr>(parameter.getValue()))
      part.parameters[parameter.getName().str()] = value.getInt();
  if (systolic::ScheduleAttr schedule = geometry.getSchedule())
    part.schedule = schedule.getFields();
  for (NamedAttribute entry : geometry.getLaunch().getPerToken())
    part.perToken[entry.getName().str()] = cast<IntegerAttr>(entry.getValue()).getInt();
  llvm::raw_string_ostream(part.array) << geometry.getArray();
  return part;
}

/// The part of a launch's own memory, which is laid out for the largest step, that the variant's steps use: an extent
/// that grows with a step's rows shrinks to the variant's largest number of rows. Each request has its own memory.
static MemRefType fitToRows(MemRefType memory, DictionaryAttr parameters, DictionaryAttr perToken, int64_t requests,
                            VariantOp variant) {
  int64_t rows = 0;
  for (auto [first, last] : variant.getTokenRanges())
    rows = std::max(rows, last);
  SmallVector<int64_t> shape(memory.getShape());
  for (auto [size, axis] : llvm::zip_equal(shape, cast<systolic::AxesAttr>(memory.getMemorySpace()).getNames())) {
    auto product = dyn_cast<StringAttr>(axis);
    for (StringRef factor : llvm::split(product ? product.getValue() : "", " * ")) {
      auto [name, divisor] = factor.split(" / ");
      auto getExtent = [&](StringRef of) { return cast<IntegerAttr>(parameters.get(of)).getInt(); };
      int64_t parts = divisor.empty() ? 1 : getExtent(divisor);
      if (auto elements = perToken.getAs<IntegerAttr>(name))
        size = size / llvm::divideCeil(getExtent(name), parts) * llvm::divideCeil(elements.getInt() * rows, parts);
    }
  }
  shape.front() *= requests;
  return MemRefType::get(shape, memory.getElementType());
}

std::vector<LaunchInfo::Argument> nstf::readOwnMemory(VariantOp variant) {
  std::vector<LaunchInfo::Argument> found;
  for (PartOp part : variant.getParts())
    for (auto kernel : part.getBody().getOps<systolic::KernelOp>())
      for (auto [position, argument] :
           llvm::zip_equal(kernel.getLaunchedArguments(), kernel.getLaunchAttr().getArguments()))
        if (argument.isOwn())
          found.push_back(
              {.kind = getKind(argument.kind),
               .memory = fitToRows(cast<MemRefType>(kernel.getArgumentTypes()[position]), kernel.getParams(),
                                   kernel.getLaunchAttr().getPerToken(), kernel.getMaxRequests(), variant),
               .name = argument.name.str(),
               .access = "read_write"});
  return found;
}

LaunchInfo nstf::readLaunchInfo(VariantOp variant) {
  auto launch = variant->getAttrOfType<systolic::LaunchAttr>(systolic::launchAttributeName);
  if (!launch)
    throw std::runtime_error("expected kernel " + variant.getSymName().str() +
                             " to say how it is launched (systolic-to-gpu-join-parts) but it does not");
  LaunchInfo info;
  SmallVector<MemRefType> own; // of all parts, in the launch's order
  for (PartOp part : variant.getParts()) {
    auto geometry = part->getAttrOfType<systolic::GeometryAttr>(systolic::geometryAttributeName);
    for (const systolic::LaunchArgument &argument : geometry.getLaunch().getArguments())
      if (argument.isOwn())
        own.push_back(fitToRows(argument.memory, geometry.getParams(), geometry.getLaunch().getPerToken(),
                                geometry.getRequests(), variant));
  }
  size_t nextOwn = 0;
  for (const systolic::LaunchArgument &from : launch.getArguments()) {
    LaunchInfo::Argument argument;
    argument.name = from.name.str();
    argument.index = from.index;
    if (from.isOwn())
      argument.memory = own[nextOwn++];
    argument.kind = getKind(from.kind);
    argument.access = from.kind == systolic::LaunchArgument::Result                    ? "write"
                      : from.kind == systolic::LaunchArgument::InPlace || from.isOwn() ? "read_write"
                                                                                       : "read";
    info.arguments.push_back(argument);
  }
  for (PartOp part : variant.getParts()) {
    auto geometry = part->getAttrOfType<systolic::GeometryAttr>(systolic::geometryAttributeName);
    info.parts.push_back(readPart(geometry));
    info.readsTokens |= geometry.getReadsTokens();
    info.readsPosition |= geometry.getReadsPosition();
    info.waveSize = geometry.getWaveSize();
    info.waves = std::max(info.waves, geometry.getCrews() * geometry.getArray().getNumWaves());
  }
  return info;
}
