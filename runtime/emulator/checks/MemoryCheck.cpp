// Finds invalid memory accesses.
//
// Accesses outside all allocations end a launch with or without this check; with it, the finding carries the check's
// name and all lanes. The check adds accesses that the emulator executes silently but hardware does not, or not as
// intended:
//   - atomics on addresses that are not a multiple of their size (the hardware faults; plain accesses may be unaligned,
//     LDS included: ROCm sets the unaligned access mode);
//   - accesses beyond the LDS that the workgroup requested: up to the end of the chip's allocation this is memory that
//     was never written; beyond it, loads return zero and stores are dropped;
//   - scalar loads from addresses that are not a multiple of 4: the hardware ignores the low bits and loads from the
//     address below;
//   - accesses whose base is in one allocation and whose address is in another, so far out of bounds that the gap
//     between allocations does not catch them.
#include "runtime/emulator/checks/MemoryData.h"
#include "runtime/emulator/checks/PlaceReport.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Dispatch.h"

#include <bit>

namespace nstf::emulator::checks {
namespace {

class MemoryCheck final : public Check {
public:
  explicit MemoryCheck(CheckContext &context) : Check(context), reports(context) {}

  void launchEnds(const Launch &) override { reports.flush(); }

  void step(Wave &w, const MicroOp *op) override {
    Opcode opcode = Opcode(op->opcode);
    if (opcode >= Opcode::Trap || getInfo(opcode).form != Form::ScalarMemory)
      return;
    if (getInfo(opcode).name.find("_BUFFER_") != std::string_view::npos)
      return;
    uint64_t address =
        w.scalarSource<uint64_t>(op->source[0]) + w.scalarSource<uint32_t>(op->source[1]) + op->immediate;
    if (address % 4)
      add(w, op, Unaligned, "scalar access at an address that is not a multiple of 4 (the low bits are ignored)", 0,
          &address);
  }

  void access(Wave &w, const MicroOp *op, const MemoryAccess &a) override {
    if (a.kind == AccessKind::Atomic)
      checkAtomic(w, op, a);
    if (a.space == MemorySpace::Lds)
      return checkLds(w, op, a);
    checkRegions(w, op, a);
  }

private:
  enum Kind : unsigned { Unaligned, Elsewhere, OutsideLds };

  void add(Wave &w, const MicroOp *op, Kind kind, std::string what, uint64_t lanes, const uint64_t *address) {
    reports.nextAccess();
    reports.add(op, kind, lanes, [&] {
      Finding finding = findingAt(w, op, "memory", std::move(what));
      finding.lanes = lanes;
      finding.outsideLds = kind == OutsideLds;
      if (address) {
        finding.hasAddress = true;
        finding.address = *address;
        finding.allocation = context.memory.describe(*address);
      }
      return finding;
    });
  }

  template <typename F> static uint64_t lanesWhere(const MemoryAccess &a, F wrong) {
    uint64_t lanes = 0;
    for (uint64_t left = a.lanes; left; left &= left - 1)
      if (wrong(a.addresses[std::countr_zero(left)]))
        lanes |= left & -left;
    return lanes;
  }

  void checkAtomic(Wave &w, const MicroOp *op, const MemoryAccess &a) {
    uint64_t lanes = lanesWhere(a, [&](uint64_t at) { return at % a.bytes != 0; });
    if (!lanes)
      return;
    uint64_t first = a.addresses[std::countr_zero(lanes)];
    bool inLds = a.space == MemorySpace::Lds;
    std::string what = "atomic operation of " + std::to_string(a.bytes) + " bytes at " +
                       (inLds ? "LDS offset " + std::to_string(first) : "an address") +
                       (inLds ? ", which is not a multiple of its size" : " that is not a multiple of its size");
    throw WaveFault{op, what, std::countr_zero(lanes), !inLds, inLds ? 0 : first, "memory", lanes};
  }

  /// The bytes that the launch requested; the chip rounds up.
  static uint64_t askedLds(const Launch &launch) {
    return launch.kernel ? launch.kernel->ldsSize + launch.arguments->dynamicLds : launch.ldsBytes;
  }

  void checkLds(Wave &w, const MicroOp *op, const MemoryAccess &a) {
    uint64_t size = askedLds(*w.group->launch);
    uint64_t lanes = lanesWhere(a, [&](uint64_t at) { return at + a.bytes > size || at + a.bytes < at; });
    if (!lanes)
      return;
    int32_t first = int32_t(uint32_t(a.addresses[std::countr_zero(lanes)])); // negative: before the begin
    std::string what = std::string(a.kind == AccessKind::Load ? "load" : "store") + " of " + std::to_string(a.bytes) +
                       " bytes at LDS offset " + std::to_string(first) + ", outside the " + std::to_string(size) +
                       " bytes of the workgroup";
    add(w, op, OutsideLds, what, lanes, nullptr);
  }

  void checkRegions(Wave &w, const MicroOp *op, const MemoryAccess &a) {
    const RegionTable &regions = *w.group->launch->regions;
    bool writes = a.kind != AccessKind::Load;
    const Region *region = nullptr;
    uint64_t base = 0;
    bool hasBase = baseOf(w, op, a, base);
    const Region *home = hasBase ? regions.find(base) : nullptr;
    if (home && home->kind != RegionKind::Device && home->kind != RegionKind::Managed)
      home = nullptr;
    uint64_t outside = 0, readOnly = 0, elsewhere = 0;
    for (uint64_t left = a.lanes; left; left &= left - 1) {
      uint64_t at = a.addresses[std::countr_zero(left)], bit = left & -left;
      if (!regions.find(at, a.bytes, region))
        outside |= bit;
      else if (writes && !region->writable)
        readOnly |= bit;
      else if (home && region->id != home->id)
        elsewhere |= bit;
    }
    bool isScalar = a.space == MemorySpace::Scalar;
    auto fail = [&](const std::string &what, uint64_t lanes) {
      int lane = std::countr_zero(lanes);
      throw WaveFault{op, what, isScalar ? -1 : lane, true, a.addresses[lane], "memory", isScalar ? 0 : lanes};
    };
    if (outside)
      fail(std::string(writes ? "store" : "load") + " of " + std::to_string(a.bytes) +
               " bytes outside every allocation",
           outside);
    if (readOnly)
      fail(storeToReadOnly(*regions.find(a.addresses[std::countr_zero(readOnly)])), readOnly);
    if (elsewhere)
      add(w, op, Elsewhere,
          "the access ends in another allocation than it starts from: " + context.memory.describe(base), elsewhere,
          &a.addresses[std::countr_zero(elsewhere)]);
  }

  /// The pointer in SGPRs that is the base of an access.
  static bool baseOf(const Wave &w, const MicroOp *op, const MemoryAccess &a, uint64_t &base) {
    if (a.space != MemorySpace::Global)
      return false;
    if (getDataFacts(Opcode(op->opcode)).form == AddressForm::Flat && op->flags & memoryScalarBase) {
      base = w.scalarSource<uint64_t>(op->source[1]);
      return true;
    }
    if (getDataFacts(Opcode(op->opcode)).form == AddressForm::Buffer) {
      base = w.scalarSource<uint64_t>(op->source[1]) & 0xffffffffffff;
      return true;
    }
    return false;
  }

  PlaceReport reports;
};

} // namespace

std::unique_ptr<Check> makeMemoryCheck(CheckContext &context) { return std::make_unique<MemoryCheck>(context); }

} // namespace nstf::emulator::checks
