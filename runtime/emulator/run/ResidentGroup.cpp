#include "runtime/emulator/run/ResidentGroup.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/WaveStart.h"

#include <map>
#include <sstream>

namespace nstf::emulator {

static thread_local std::unique_ptr<ResidentGroup> spare;

std::unique_ptr<ResidentGroup> ResidentGroup::start(const Launch &launch, uint64_t index, uint64_t scratch) {
  std::unique_ptr<ResidentGroup> resident = std::move(spare);
  if (!resident)
    resident = std::make_unique<ResidentGroup>();
  Workgroup &group = resident->group;
  const uint32_t *grid = launch.arguments->grid;
  resident->scratch = scratch;
  // The counters and monitor of the previous use may not exist any more.
  group = {.launch = &launch, .index = index, .waves = std::move(group.waves)};
  group.id[0] = uint32_t(index % grid[0]);
  group.id[1] = uint32_t(index / grid[0] % grid[1]);
  group.id[2] = uint32_t(index / grid[0] / grid[1]);
  uint32_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    const uint32_t remainder = launch.arguments->remainder[i];
    group.size[i] = remainder && group.id[i] + 1 == grid[i] ? remainder : launch.arguments->block[i];
    items *= group.size[i];
  }
  const uint32_t waves = (items + Wave::width - 1) / Wave::width;
  resident->lds.assign((launch.ldsBytes + 63) / 64 + 1, Lines());
  group.lds = resident->lds.data()->bytes;
  while (resident->waves.size() < waves)
    resident->waves.push_back(std::make_unique_for_overwrite<Wave>());
  group.waves.clear();
  for (unsigned i = 0; i < waves; ++i) {
    group.waves.push_back(resident->waves[i].get());
    startWave(*group.waves[i], group, i, scratch + uint64_t(i) * launch.scratchBytes * Wave::width);
  }
  return resident;
}

void ResidentGroup::release(std::unique_ptr<ResidentGroup> group) { spare = std::move(group); }

Turn ResidentGroup::run() {
  Wave *faulting = nullptr;
  try {
    return runTurn(group, faulting);
  } catch (const WaveFault &fault) {
    throw getFault(fault, *faulting);
  }
}

Fault getFault(const WaveFault &fault, const Wave &wave) {
  Finding finding = findingAt(wave, fault.op, fault.check, fault.what);
  finding.lanes = fault.lanes ? fault.lanes : fault.lane >= 0 ? uint64_t(1) << fault.lane : 0;
  finding.hasAddress = fault.hasAddress;
  finding.address = fault.address;
  if (fault.hasAddress)
    finding.allocation = wave.group->launch->memory->describe(fault.address);
  return Fault(std::move(finding), fault.hasAddress);
}

std::string whereWavesStand(std::span<const ResidentGroup *const> groups) {
  struct Place {
    uint64_t waves = 0;
    const Wave *first = nullptr;
  };
  std::map<std::pair<const MicroOp *, bool>, Place> places;
  for (const ResidentGroup *resident : groups)
    for (const Wave *wave : resident->group.waves)
      if (wave->status != WaveStatus::Ended) {
        Place &place = places[{wave->next, wave->status == WaveStatus::AtBarrier}];
        if (!place.waves++)
          place.first = wave;
      }
  std::ostringstream text;
  for (const auto &[at, place] : places) {
    const Workgroup &group = *place.first->group;
    const DecodedProgram &program = *group.launch->program;
    text << (text.tellp() ? "; " : "") << place.waves << (place.waves == 1 ? " wave " : " waves ")
         << (at.second ? "at the barrier before pc 0x" : "at pc 0x") << std::hex << program.getAddress(at.first)
         << std::dec << " '" << program.getText(at.first) << "' (" << (place.waves == 1 ? "" : "the first: ")
         << "workgroup (" << group.id[0] << ", " << group.id[1] << ", " << group.id[2] << "), wave "
         << place.first->number << ")";
  }
  return text.str();
}

Fault stoppedFault(std::span<const ResidentGroup *const> groups, const std::string &what) {
  std::string where = whereWavesStand(groups);
  for (const ResidentGroup *resident : groups)
    for (const Wave *wave : resident->group.waves)
      if (wave->status != WaveStatus::Ended)
        return Fault(findingAt(*wave, wave->next, "progress", what + (where.empty() ? "" : " (" + where + ")")));
  Finding finding;
  finding.check = "progress";
  finding.what = what;
  return Fault(std::move(finding));
}

} // namespace nstf::emulator
