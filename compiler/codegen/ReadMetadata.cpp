// Reads kernel metadata from a code object: the NT_AMDGPU_METADATA notes (one for each linked object), which hold
// MessagePack maps as the AMDGPU back end documents them (llvm.org/docs/AMDGPUUsage, code object v5 metadata).
#include "compiler/codegen/Codegen.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

namespace nstf {

using llvm::msgpack::ArrayDocNode;
using llvm::msgpack::DocNode;
using llvm::msgpack::MapDocNode;
using llvm::msgpack::Type;

static uint32_t number(MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  if (found == map.end())
    return 0;
  if (found->second.getKind() == Type::Int)
    return found->second.getInt();
  return found->second.getKind() == Type::UInt ? found->second.getUInt() : 0;
}

static std::string text(MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  return found != map.end() && found->second.isString() ? found->second.getString().str() : "";
}

static KernelArgumentMetadata readArgument(MapDocNode &map) {
  KernelArgumentMetadata argument;
  argument.name = text(map, ".name");
  argument.valueKind = text(map, ".value_kind");
  argument.access = text(map, ".actual_access");
  argument.offset = number(map, ".offset");
  argument.size = number(map, ".size");
  return argument;
}

static KernelMetadata readKernel(MapDocNode &map) {
  KernelMetadata kernel;
  kernel.symbol = text(map, ".name");
  kernel.kernargSize = number(map, ".kernarg_segment_size");
  kernel.kernargAlignment = number(map, ".kernarg_segment_align");
  kernel.ldsSize = number(map, ".group_segment_fixed_size");
  kernel.scratchSize = number(map, ".private_segment_fixed_size");
  kernel.agprs = number(map, ".agpr_count");
  kernel.vgprs = number(map, ".vgpr_count") - kernel.agprs; // the metadata counts both together
  kernel.sgprs = number(map, ".sgpr_count");
  kernel.vgprSpills = number(map, ".vgpr_spill_count");
  kernel.sgprSpills = number(map, ".sgpr_spill_count");
  kernel.waveSize = number(map, ".wavefront_size");
  kernel.maxWorkgroupSize = number(map, ".max_flat_workgroup_size");
  if (auto found = map.find(".reqd_workgroup_size"); found != map.end() && found->second.isArray()) {
    ArrayDocNode &sizes = found->second.getArray();
    for (size_t i = 0; i < 3 && i < sizes.size(); ++i)
      kernel.workgroupSize[i] = sizes[i].getUInt();
  }
  if (auto found = map.find(".args"); found != map.end() && found->second.isArray())
    for (DocNode &argument : found->second.getArray())
      if (argument.isMap())
        kernel.arguments.push_back(readArgument(argument.getMap()));
  return kernel;
}

static llvm::Error readNote(llvm::StringRef blob, std::vector<KernelMetadata> &kernels) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return llvm::createStringError("expected kernel metadata in MessagePack but got something else");
  MapDocNode &root = document.getRoot().getMap();
  auto list = root.find("amdhsa.kernels");
  if (list == root.end() || !list->second.isArray())
    return llvm::Error::success(); // an object without kernels
  for (DocNode &kernel : list->second.getArray())
    if (kernel.isMap())
      kernels.push_back(readKernel(kernel.getMap()));
  return llvm::Error::success();
}

llvm::Expected<std::vector<KernelMetadata>> readKernelMetadata(llvm::StringRef codeObject) {
  auto object =
      llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(llvm::MemoryBufferRef(codeObject, "code object"));
  if (!object)
    return object.takeError();
  const auto &elf = object->getELFFile();
  auto segments = elf.program_headers();
  if (!segments)
    return segments.takeError();
  std::vector<KernelMetadata> kernels;
  for (const auto &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : elf.notes(segment, error))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA) {
        if (llvm::Error failed = readNote(note.getDescAsStringRef(segment.p_align), kernels)) {
          llvm::consumeError(std::move(error));
          return failed;
        }
      }
    if (error)
      return error;
  }
  return kernels;
}

} // namespace nstf
