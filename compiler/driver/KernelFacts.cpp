// Facts of a compiled kernel (KernelFacts.h).
#include "compiler/driver/KernelFacts.h"
#include "support/ControlBlock.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

/// The alignment of every buffer's address that kernels may rely on, in bytes.
static constexpr uint32_t argumentAlignment = 16;

manifest::ElementType nstf::getElementType(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  if (std::optional<manifest::ElementType> known = support::elementTypeFromMlir(name))
    if (manifest::elementTypeFromName(nameOf(*known)))
      return *known;
  throw std::runtime_error("expected a tensor of a type that a package can hold but got " + name);
}

manifest::ElementType nstf::getElementType(RankedTensorType type) { return getElementType(type.getElementType()); }

manifest::Shape nstf::getShape(RankedTensorType type) {
  manifest::Shape shape;
  for (int64_t size : type.getShape())
    shape.dimensions.push_back(ShapedType::isDynamic(size) ? manifest::Shape::tokensDimension : size);
  if (OperandOrderAttr order = OperandOrderAttr::find(type))
    shape.order = order.getOrder();
  return shape;
}

RankedTensorType nstf::getValueType(const KernelVariant &variant, const LaunchInfo::Argument &argument) {
  KernelOp region = variant.region;
  if (argument.isOwn())
    return RankedTensorType::get(argument.memory.getShape(), argument.memory.getElementType());
  return cast<RankedTensorType>(argument.kind == LaunchInfo::Argument::Operand
                                    ? region.getArgumentTypes()[argument.index]
                                    : region.getResultTypes()[argument.index]);
}

support::Occupancy nstf::getOccupancy(const KernelVariant &variant, const Target &target) {
  const KernelMetadata &metadata = variant.metadata;
  return support::getOccupancy({.simds = target.simdsPerComputeUnit,
                                .maxWavesPerSimd = target.maxWavesPerSimd,
                                .vgprsPerLane = target.vgprsPerLane,
                                .vgprGranule = target.vgprGranule,
                                .sgprsPerSimd = target.sgprsPerSimd,
                                .sgprGranule = target.sgprGranule,
                                .ldsBytes = target.ldsBytes,
                                .ldsGranule = target.ldsGranule},
                               {.vgprs = int64_t(metadata.vgprs + metadata.agprs),
                                .sgprs = int64_t(metadata.sgprs),
                                .ldsBytes = int64_t(metadata.ldsSize),
                                .wavesPerGroup = variant.launch.waves});
}

/// The extents and tiles of the grid. For a kernel of several parts or for several requests, which has one bucket, it
/// is the total number of workgroups.
static std::vector<manifest::TiledExtent> getTiling(const KernelVariant &variant) {
  const LaunchInfo &launch = variant.launch;
  if (launch.parts.size() > 1 || launch.getMaxRequests() > 1)
    return {{uint64_t(launch.getWorkItems(VariantOp(variant.op).getTokenRanges().back().second)), false, 1}};
  const LaunchInfo::Part &part = launch.parts.front();
  std::vector<manifest::TiledExtent> tiling;
  for (const auto &[extent, tile] : part.grid) {
    auto growing = part.perToken.find(extent);
    bool perToken = growing != part.perToken.end();
    tiling.push_back({uint64_t(perToken ? growing->second : part.parameters.at(extent)), perToken, uint64_t(tile)});
  }
  return tiling;
}

/// The templates of the parts, each once: "matvec", "rope, kv_append".
static std::string getTemplateNames(VariantOp variant) {
  llvm::SetVector<StringRef> names;
  for (PartOp part : variant.getParts())
    names.insert(part.getBinding().getTemplateName());
  return llvm::join(names, ", ");
}

manifest::Kernel nstf::describeKernel(const KernelVariant &variant, const Target &target) {
  const KernelMetadata &metadata = variant.metadata;
  manifest::Kernel kernel{};
  kernel.symbol = variant.symbol;
  kernel.templateName = getTemplateNames(variant.op);
  kernel.waveSize = variant.launch.waveSize;
  kernel.block = {uint32_t(variant.launch.waveSize * variant.launch.waves), 1, 1};
  kernel.lds = metadata.ldsSize;
  kernel.vgprs = metadata.vgprs;
  kernel.agprs = metadata.agprs;
  kernel.sgprs = metadata.sgprs;
  kernel.scratch = metadata.scratchSize;
  kernel.spills = metadata.vgprSpills + metadata.sgprSpills;
  kernel.kernargSize = metadata.kernargSize;
  kernel.occupancy = getOccupancy(variant, target).wavesPerSimd;
  kernel.tiling = getTiling(variant);
  for (auto [i, argument] : llvm::enumerate(variant.launch.arguments)) {
    const KernelArgumentMetadata &place = metadata.arguments.at(i);
    manifest::KernelArgument entry{argument.name,     place.offset,          place.size, manifest::ElementType::I32, {},
                                   argumentAlignment, manifest::Access::Read};
    if (argument.kind == LaunchInfo::Argument::Control) {
      int64_t requests = variant.launch.getMaxRequests();
      entry.shape.dimensions = {int64_t(sizeof(support::ControlBlock) / 4) * (requests > 1 ? 1 + requests : 1)};
    } else {
      entry.type = getElementType(getValueType(variant, argument));
      entry.shape = getShape(getValueType(variant, argument));
    }
    if (argument.access != "read")
      entry.access = argument.access == "write" ? manifest::Access::Write : manifest::Access::ReadWrite;
    kernel.arguments.push_back(std::move(entry));
  }
  return kernel;
}
