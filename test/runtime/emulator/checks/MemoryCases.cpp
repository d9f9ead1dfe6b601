#include "test/runtime/emulator/checks/MemoryCases.h"
#include "runtime/emulator/checks/Checker.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

namespace nstf::emulator::test {
namespace {

std::string kernelName(size_t i) { return "k" + std::to_string(i); }

std::string assemblyOf(const std::string &target, const std::vector<MemoryCase> &cases) {
  std::ostringstream text, metadata;
  text << ".amdgcn_target \"amdgcn-amd-amdhsa--" << target << "\"\n.amdhsa_code_object_version 5\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string name = kernelName(i);
    text << ".text\n.globl " << name << "\n.p2align 8\n.type " << name << ",@function\n"
         << name << ":\n"
         << "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_load_dwordx2 s[8:9], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)\n"
         << "v_lshlrev_b32_e32 v1, 2, v0\ns_nop 0\n"
         << cases[i].body << "\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel " << name << "\n"
         << ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_next_free_vgpr 64\n.amdhsa_accum_offset 32\n"
         << ".amdhsa_next_free_sgpr 32\n.amdhsa_group_segment_fixed_size 1024\n"
         << ".amdhsa_private_segment_fixed_size 64\n"
         << (target == "gfx942" ? ".amdhsa_enable_private_segment 1\n" : "") << ".end_amdhsa_kernel\n";
    metadata << "  - .name: " << name << "\n    .symbol: " << name << ".kd\n"
             << "    .kernarg_segment_size: 24\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 1024\n"
             << "    .private_segment_fixed_size: 64\n    .wavefront_size: 64\n    .sgpr_count: 32\n"
             << "    .vgpr_count: 64\n    .max_flat_workgroup_size: 1024\n    .args:\n";
    for (int argument = 0; argument < 3; ++argument)
      metadata << "      - .size: 8\n        .offset: " << 8 * argument
               << "\n        .value_kind: global_buffer\n        .address_space: global\n";
  }
  text << ".amdgpu_metadata\n---\namdhsa.version:\n  - 1\n  - 2\namdhsa.kernels:\n"
       << metadata.str() << "...\n.end_amdgpu_metadata\n";
  return text.str();
}

/// Replaces what differs from run to run.
std::string normalized(const std::string &text) {
  static const std::regex nowhere("address 0x[0-9a-f]+: 0x[0-9a-f]+ is near"), // may be small
      address("0x[0-9a-f]{8,}"), number("allocation [0-9]+");
  std::string result = std::regex_replace(text, nowhere, "address P: P is near");
  return std::regex_replace(std::regex_replace(result, address, "P"), number, "allocation N");
}

} // namespace

std::vector<std::vector<std::string>> findInMemoryCases(const std::string &target, const std::string &names,
                                                        const std::vector<MemoryCase> &cases) {
  CompiledKernels kernels(target, assemblyOf(target, cases), "", "assembler");
  std::vector<std::vector<std::string>> foundInAll;
  for (size_t i = 0; i < cases.size(); ++i) {
    const MemoryCase &test = cases[i];
    std::unique_ptr<checks::Checker> checker =
        checks::makeChecker(checks::CheckSet::parse(names, "test"), kernels.target, kernels.memory);
    void *written = kernels.memory.allocate(4096), *unwritten = kernels.memory.allocate(4096);
    void *freed = kernels.memory.allocate(256);
    kernels.memory.hostWrites(written, 4096);
    kernels.memory.free(freed);
    kernels.options = LaunchOptions();
    kernels.options->monitor = checker.get();
    std::vector<std::string> &found = foundInAll.emplace_back();
    std::string fault;
    try {
      launchBytes(kernels, kernelName(i), {test.grid}, {test.block}, 0,
                  {getBytes(written), getBytes(unwritten), getBytes(freed)});
    } catch (const Fault &caught) {
      fault = caught.finding.check + ": " + normalized(caught.what());
    }
    for (const Finding &finding : checker->findings())
      found.push_back(finding.check + ": " + normalized(finding.text()));
    if (!fault.empty())
      found.push_back(fault);
    kernels.memory.free(written);
    kernels.memory.free(unwritten);
  }
  return foundInAll;
}

void runMemoryCases(const std::string &target, const std::string &names, const std::vector<MemoryCase> &cases) {
  const auto found = findInMemoryCases(target, names, cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(target + ": " + cases[i].name);
    EXPECT_THAT(found[i], testing::ElementsAreArray(cases[i].found));
  }
}

} // namespace nstf::emulator::test
