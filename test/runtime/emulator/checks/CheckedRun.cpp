#include "test/runtime/emulator/checks/CheckedRun.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Interpreter.h"
#include "runtime/emulator/run/WaveStart.h"
#include "test/runtime/emulator/instructions/Snippet.h"

namespace nstf::emulator::test {

std::vector<Finding> checkedRun(const std::string &targetName, const std::string &text, const std::string &names,
                                unsigned waves) {
  const Target &target = *Target::find(targetName);
  std::vector<uint8_t> code = assemble(targetName, text + "\ns_endpgm\n");
  std::span<const uint8_t> span(code);
  auto program = decodeProgram(target, {&span, 1});
  Memory memory;
  constexpr uint32_t bytes = 1 << 16, ldsBytes = 4096;
  std::vector<uint32_t> data(bytes / 4);
  std::vector<uint8_t> lds(ldsBytes);
  uint64_t address = reinterpret_cast<uint64_t>(data.data());
  std::vector<Region> regions = {{address, address + bytes, true}};
  RegionTable table(regions);
  Launch launch = {};
  launch.target = &target;
  launch.program = program.get();
  launch.memory = &memory;
  launch.regions = &table;
  launch.ldsBytes = ldsBytes;
  launch.wavesPerGroup = waves;
  std::unique_ptr<checks::Checker> checker =
      checks::makeChecker(checks::CheckSet::parse(names, "test"), target, memory);
  Workgroup group;
  group.launch = &launch;
  group.lds = lds.data();
  group.monitor = checker.get();
  checker->launchBegins(launch);
  checker->groupBegins(group);
  std::vector<std::unique_ptr<Wave>> states;
  for (unsigned i = 0; i < waves; ++i) {
    states.push_back(std::make_unique<Wave>());
    Wave &w = *states.back();
    std::memset(static_cast<void *>(&w), 0, sizeof(w));
    w.vectorBase[0] = reinterpret_cast<const char *>(w.rows);
    w.vectorBase[1] = reinterpret_cast<const char *>(program->vectorConstants());
    w.scalarBase[0] = reinterpret_cast<const char *>(w.scalars);
    w.scalarBase[1] = reinterpret_cast<const char *>(program->scalarConstants());
    w.group = &group;
    w.number = i;
    w.mode = mode::floatDefault | 1u << mode::dx10Clamp | 1u << mode::ieee;
    w.setExec(~uint64_t(0));
    w.setScalar64(0, address);
    w.scalars[2] = i;
    w.setScalar64(4, address);
    w.scalars[6] = bytes;
    w.scalars[7] = 0x00027000;
    for (unsigned lane = 0; lane < Wave::width; ++lane) {
      w.rows[0][lane] = 4 * lane;
      w.rows[2][lane] = uint32_t(address + 4 * lane);
      w.rows[3][lane] = uint32_t((address + 4 * lane) >> 32);
    }
    w.next = program->at(reinterpret_cast<uint64_t>(code.data()));
    w.status = WaveStatus::Running;
    group.waves.push_back(&w);
    checker->waveBegins(w);
  }
  Wave *faulting;
  runWorkgroup(group, faulting);
  checker->groupEnds(group);
  checker->launchEnds(launch);
  return checker->findings();
}

} // namespace nstf::emulator::test
