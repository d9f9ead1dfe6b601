#include "runtime/emulator/run/Finding.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/SourceFrames.h"
#include "support/Escape.h"

#include <bit>
#include <cstdio>
#include <sstream>

namespace nstf::emulator {

std::string describeLanes(uint64_t lanes) {
  std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
  for (unsigned lane = 0; lane < Wave::width;) {
    if (!(lanes >> lane & 1)) {
      ++lane;
      continue;
    }
    unsigned last = lane;
    while (last + 1 < Wave::width && lanes >> (last + 1) & 1)
      ++last;
    if (text.back() != ' ')
      text += ", ";
    text += std::to_string(lane) + (last > lane ? "-" + std::to_string(last) : "");
    lane = last + 1;
  }
  return text;
}

std::string describeOffset(uint64_t offset) {
  bool before = int64_t(offset) < 0; // a function located before the kernel
  char text[40];
  std::snprintf(text, sizeof(text), "entry %c 0x%llx", before ? '-' : '+',
                static_cast<unsigned long long>(before ? -offset : offset));
  return text;
}

/// Not escaped.
static std::string getPlace(const Finding &finding) {
  std::ostringstream text;
  text << "kernel '" << finding.kernel << "', pc 0x" << std::hex << finding.pc << " (" << describeOffset(finding.offset)
       << "), instruction '" << finding.instruction << "'";
  return text.str();
}

std::string Finding::place() const { return support::escape(getPlace(*this), support::longLimit); }

std::string Finding::text() const {
  std::ostringstream text;
  if (instruction.empty()) { // of the whole launch
    text << what << (kernel.empty() ? "" : ": kernel '" + kernel + "'");
    return support::escape(text.str(), support::longLimit);
  }
  text << what << ": kernel '" << kernel << "', pc 0x" << std::hex << pc << " (" << describeOffset(offset)
       << "), instruction '" << instruction << "', workgroup " << std::dec << '(' << workgroup[0] << ", "
       << workgroup[1] << ", " << workgroup[2] << "), wave " << wave;
  if (lanes)
    text << ", " << describeLanes(lanes);
  if (hasAddress)
    text << ", address 0x" << std::hex << address << std::dec;
  if (!allocation.empty())
    text << ": " << allocation;
  if (!source.empty())
    text << "; " << source;
  if (count > 1)
    text << " (" << count << " times)";
  if (others)
    text << "; " << others << (others == 1 ? " finding" : " findings") << " more of the kind here";
  return support::escape(text.str(), support::longLimit);
}

Finding findingAt(const Wave &wave, const MicroOp *op, std::string check, std::string what) {
  const Workgroup &group = *wave.group;
  const Launch &launch = *group.launch;
  Finding finding;
  finding.check = std::move(check);
  finding.what = std::move(what);
  finding.pc = launch.program->getAddress(op);
  finding.instruction = launch.program->getText(op);
  finding.workgroup = {group.id[0], group.id[1], group.id[2]};
  finding.wave = wave.number;
  if (const Kernel *kernel = launch.kernel) {
    finding.kernel = kernel->name;
    finding.offset = finding.pc - kernel->entry;
    finding.source = describe(findSourceFrames(kernel->program->elf(), finding.pc - kernel->program->base()));
  }
  return finding;
}

} // namespace nstf::emulator
