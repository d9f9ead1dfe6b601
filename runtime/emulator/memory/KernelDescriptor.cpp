// Field positions: LLVM's AMDHSAKernelDescriptor.h, meanings: AMDGPUUsage, "Kernel Descriptor" (gfx90a and gfx942
// rows).
#include "runtime/emulator/memory/CodeObject.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <cstring>

namespace nstf::emulator {

#define NSTF_BITS(word, name) AMDHSA_BITS_GET(word, llvm::amdhsa::name)

KernelDescriptor KernelDescriptor::decode(const std::byte *bytes) {
  using namespace llvm::amdhsa;
  kernel_descriptor_t raw;
  std::memcpy(&raw, bytes, sizeof raw);
  KernelDescriptor d;
  d.rsrc1 = raw.compute_pgm_rsrc1;
  d.rsrc2 = raw.compute_pgm_rsrc2;
  d.rsrc3 = raw.compute_pgm_rsrc3;
  d.properties = raw.kernel_code_properties;
  d.ldsBytes = raw.group_segment_fixed_size;
  d.scratchBytes = raw.private_segment_fixed_size;
  d.kernargBytes = raw.kernarg_size;
  d.entryOffset = raw.kernel_code_entry_byte_offset;
  // gfx90a and later: granules of 8 in a unified file of 512; AGPRs start at accum_offset, in steps of 4.
  d.vgprs = (NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) + 1) * 8;
  d.accumOffset = (NSTF_BITS(d.rsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) * 4;
  d.threadgroupSplit = NSTF_BITS(d.rsrc3, COMPUTE_PGM_RSRC3_GFX90A_TG_SPLIT);
  d.roundMode32 = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32);
  d.roundMode16_64 = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64);
  d.denormMode32 = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32);
  d.denormMode16_64 = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64);
  d.dx10Clamp = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP);
  d.ieeeMode = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE);
  d.fp16Overflow = NSTF_BITS(d.rsrc1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL);
  d.privateSegmentWaveOffset = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  d.userSgprs = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
  d.workgroupIdX = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X);
  d.workgroupIdY = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y);
  d.workgroupIdZ = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z);
  d.workgroupInfo = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO);
  d.workitemIdDimensions = NSTF_BITS(d.rsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID) + 1;
  d.privateSegmentBuffer = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER);
  d.dispatchPtr = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR);
  d.queuePtr = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR);
  d.kernargSegmentPtr = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR);
  d.dispatchId = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID);
  d.flatScratchInit = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT);
  d.privateSegmentSize = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE);
  d.wave32 = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32);
  d.dynamicStack = NSTF_BITS(d.properties, KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK);
  d.preloadDwords = NSTF_BITS(raw.kernarg_preload, KERNARG_PRELOAD_SPEC_LENGTH);
  d.preloadOffset = NSTF_BITS(raw.kernarg_preload, KERNARG_PRELOAD_SPEC_OFFSET);
  return d;
}

} // namespace nstf::emulator
