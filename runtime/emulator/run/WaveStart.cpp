// Initial register values of a wave.
//
// Source: LLVM's "User Guide for AMDGPU Backend", "Initial Kernel Execution State": user SGPRs in the order of the
// descriptor's flags, preloaded kernel arguments, then the system SGPRs; work-item ids packed in v0.
#include "runtime/emulator/run/WaveStart.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <algorithm>

namespace nstf::emulator {
namespace {

/// Clears the rows of the unified register file that the kernel owns: VGPRs from row 0, AGPRs from agprRow.
void clearRegisters(Wave &w, const KernelDescriptor &d) {
  unsigned vgprs = std::min(d.accumOffset ? std::min(d.accumOffset, d.vgprs) : d.vgprs, vgprRows);
  unsigned agprs = d.accumOffset && d.vgprs > d.accumOffset ? std::min(d.vgprs - d.accumOffset, vgprRows) : 0;
  std::memset(w.rows[0], 0, vgprs * sizeof(w.rows[0]));
  std::memset(w.rows[agprRow], 0, agprs * sizeof(w.rows[0]));
  std::memset(w.scalars, 0, sizeof(w.scalars));
}

uint32_t startMode(const KernelDescriptor &d) {
  return d.roundMode32 << mode::round32 | d.roundMode16_64 << mode::round16_64 | d.denormMode32 << mode::denormal32 |
         d.denormMode16_64 << mode::denormal16_64 | uint32_t(d.dx10Clamp) << mode::dx10Clamp |
         uint32_t(d.ieeeMode) << mode::ieee | uint32_t(d.fp16Overflow) << 23;
}

void setWorkItems(Wave &w, unsigned dimensions) {
  const uint32_t (&block)[3] = w.group->size;
  uint32_t total = block[0] * block[1] * block[2], first = w.number * Wave::width;
  uint32_t x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
  const unsigned lanes = std::min(total - first, uint32_t(Wave::width));
  for (unsigned lane = 0; lane < lanes;) {
    const uint32_t row = (dimensions > 1 ? y << 10 : 0) | (dimensions > 2 ? z << 20 : 0);
    const unsigned end = std::min(lanes, lane + block[0] - x);
    while (lane < end)
      w.rows[0][lane++] = x++ | row;
    x = 0;
    if (++y == block[1]) {
      y = 0;
      ++z;
    }
  }
  w.setExec(~uint64_t(0) >> (Wave::width - lanes));
}

} // namespace

void startWave(Wave &w, Workgroup &group, unsigned number, uint64_t scratch) {
  const Launch &launch = *group.launch;
  const KernelDescriptor &d = launch.kernel->descriptor;
  w.group = &group;
  w.number = number;
  w.scratch = scratch;
  w.hint = nullptr;
  w.clock = 0;
  w.status = WaveStatus::Running;
  w.fuel = 0;
  w.mode = startMode(d);
  w.vectorBase[0] = reinterpret_cast<const char *>(w.rows);
  w.vectorBase[1] = reinterpret_cast<const char *>(launch.program->vectorConstants());
  w.scalarBase[0] = reinterpret_cast<const char *>(w.scalars);
  w.scalarBase[1] = reinterpret_cast<const char *>(launch.program->scalarConstants());
  w.next = launch.entry;
  clearRegisters(w, d);
  setWorkItems(w, d.workitemIdDimensions);

  w.setScalar64(sgpr::sharedBase, uint64_t(sharedApertureHigh) << 32);
  w.setScalar64(sgpr::sharedLimit, uint64_t(sharedApertureHigh) << 32 | 0xffffffff);
  w.setScalar64(sgpr::privateBase, uint64_t(privateApertureHigh) << 32);
  w.setScalar64(sgpr::privateLimit, uint64_t(privateApertureHigh) << 32 | 0xffffffff);

  unsigned at = 0;
  auto add64 = [&](uint64_t value) {
    w.setScalar64(at, value);
    at += 2;
  };
  if (d.privateSegmentBuffer) {
    // Swizzled over the lanes in dwords: index stride 64, element size 4, the lane added to the index.
    add64(scratch | uint64_t(1) << 63);
    add64(0xffffffffu | uint64_t(3u << 21 | 1u << 19 | 1u << 23) << 32);
  }
  if (d.dispatchPtr)
    add64(launch.dispatchPacket);
  if (d.queuePtr)
    add64(launch.queue);
  if (d.kernargSegmentPtr)
    add64(launch.kernarg);
  if (d.dispatchId)
    add64(0);
  if (d.flatScratchInit)
    add64(scratch);
  if (d.privateSegmentSize)
    w.scalars[at++] = launch.scratchBytes;
  for (unsigned i = 0; i < d.preloadDwords && at < sgpr::flatScratch; ++i)
    std::memcpy(&w.scalars[at++], reinterpret_cast<const char *>(launch.kernarg) + (d.preloadOffset + i) * 4, 4);
  at = d.userSgprs;
  if (d.workgroupIdX)
    w.scalars[at++] = group.id[0];
  if (d.workgroupIdY)
    w.scalars[at++] = group.id[1];
  if (d.workgroupIdZ)
    w.scalars[at++] = group.id[2];
  if (d.workgroupInfo)
    w.scalars[at++] = launch.wavesPerGroup;
  if (d.privateSegmentWaveOffset && !launch.target->architectedFlatScratch)
    w.scalars[at++] = 0; // the base above is already the wave's own
  if (launch.target->architectedFlatScratch)
    w.setScalar64(sgpr::flatScratch, scratch);
}

} // namespace nstf::emulator
