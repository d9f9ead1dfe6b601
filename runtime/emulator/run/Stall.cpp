#include "runtime/emulator/run/Stall.h"
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/StoreLog.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {

constexpr uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}
uint64_t mixBytes(uint64_t hash, const void *data, size_t bytes) {
  const char *at = static_cast<const char *>(data);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = mix(hash, word);
  }
  return hash;
}

} // namespace

uint64_t getState(const Wave &w) {
  const Launch &launch = *w.group->launch;
  const unsigned registers = launch.kernel ? std::min(launch.kernel->descriptor.vgprs, 2 * vgprRows) : 2 * vgprRows;
  // VGPRs and AGPRs share the count in some split; each kind is below it in its own rows.
  const size_t rows = std::min(registers, vgprRows);
  uint64_t hash = mix(reinterpret_cast<uint64_t>(w.next), uint64_t(w.status) << 32 | w.mode);
  hash = mixBytes(hash, w.scalars, sizeof(w.scalars));
  hash = mixBytes(hash, w.rows[0], rows * sizeof(w.rows[0]));
  return mixBytes(hash, w.rows[agprRow], rows * sizeof(w.rows[0]));
}

uint64_t getState(const Workgroup &group) {
  uint64_t hash = 0;
  for (const Wave *wave : group.waves)
    if (wave->status != WaveStatus::Ended)
      hash = mix(hash, getState(*wave));
  return hash;
}

bool neverMoves(std::span<ResidentGroup *const> groups) {
  // A turn ends after a number of branches, so a loop with several branches is at a different one each time.
  constexpr unsigned rounds = 64;
  StoreLog log;
  struct Watched {
    Watched(std::span<ResidentGroup *const> groups, StoreLog &log) : groups(groups), log(log) {
      log.other = groups.front()->group.monitor;
      for (ResidentGroup *resident : groups)
        resident->group.monitor = &log;
    }
    ~Watched() {
      for (ResidentGroup *resident : groups)
        resident->group.monitor = log.other;
    }
    std::span<ResidentGroup *const> groups;
    StoreLog &log;
  } watched(groups, log);

  auto stateOfAll = [&] {
    uint64_t hash = 0;
    for (const ResidentGroup *resident : groups)
      hash = mix(hash, getState(resident->group));
    return hash;
  };
  const uint64_t begin = stateOfAll();
  for (unsigned round = 0; round < rounds; ++round) {
    for (ResidentGroup *resident : groups)
      if (resident->run() != Turn::Yielded)
        return false;
    if (stateOfAll() == begin && log.unchanged())
      return true;
  }
  return false;
}

bool waitsForWaves(const Workgroup &group) {
  return std::ranges::all_of(group.waves, [](const Wave *wave) {
    return wave->status == WaveStatus::Ended || wave->status == WaveStatus::AtBarrier ||
           (wave->status == WaveStatus::Yielded && GlobalWaveSync::isWait(wave->next));
  });
}

bool waitForEachOther(std::span<ResidentGroup *const> groups) {
  auto allWait = [&] {
    return std::ranges::all_of(groups, [](const ResidentGroup *resident) { return waitsForWaves(resident->group); });
  };
  GlobalWaveSync &sync = *groups.front()->group.launch->waveSync;
  const uint64_t passes = sync.passes();
  return allWait() &&
         std::ranges::all_of(groups, [](ResidentGroup *resident) { return resident->run() == Turn::Yielded; }) &&
         allWait() && sync.passes() == passes;
}

} // namespace nstf::emulator
