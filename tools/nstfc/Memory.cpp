// nstfc memory: prints how much of a chip's memory a package would use, without compiling it.
#include "compiler/driver/MemoryFit.h"
#include "support/ByteSize.h"
#include "support/Escape.h"
#include "tools/nstfc/CommandLine.h"
#include "tools/nstfc/Commands.h"
#include "tools/nstfc/Options.h"

#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace nstf;
using Json = nlohmann::ordered_json;
using manifest::BufferKind;

namespace {

struct MemoryLine {
  CompileOptions compile;
  std::string precision = "auto";
  bool json = false;

  void add(CLI::App &app) {
    addModelOptions(app, compile, precision);
    app.add_flag("--json", json, "a document of tools/nstfc/memory-plan.schema.json, with every buffer");
    app.footer("Exit status: 0 it fits, 1 it doesn't.");
  }
};

std::string getPurpose(BufferKind kind) {
  switch (kind) {
  case BufferKind::Weights:
    return "numbers of the model";
  case BufferKind::Arena:
    return "results of launches that later ones of the step read";
  case BufferKind::Counters:
    return "of launches by themselves, zero between them: which parts have arrived";
  case BufferKind::Scratch:
    return "of launches by themselves: parts of attention";
  case BufferKind::Control:
    return "rows and position of the step, and of each request";
  case BufferKind::Input:
    return "what a step is given";
  case BufferKind::Output:
    return "what it gives";
  case BufferKind::State:
    return "caches of keys and values";
  }
  return "";
}

/// Consecutive buffers of one kind.
struct Group {
  BufferKind kind;
  uint64_t count = 0, offset = 0, bytes = 0;
};

std::vector<Group> groupBuffers(const manifest::Manifest &plan) {
  std::vector<Group> groups;
  uint64_t offset = 0;
  for (const manifest::Buffer &buffer : plan.buffers) {
    if (groups.empty() || groups.back().kind != buffer.kind)
      groups.push_back({buffer.kind, 0, offset, 0});
    ++groups.back().count;
    groups.back().bytes += buffer.size;
    offset += buffer.size;
  }
  return groups;
}

std::string getChip(const manifest::Target &target) { return target.name.empty() ? target.id : target.name; }

bool fits(const manifest::Manifest &plan, const manifest::Target &target) {
  return plan.deviceMemory().total() <= target.deviceMemory;
}

std::string withCommas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;)
    text.insert(at -= 3, ",");
  return text;
}

/// "gfx90a has 64.0 GiB: does not fit, 5.2 GiB are missing; alone would: …"
std::string describeFit(const MemoryLine &line, const manifest::Manifest &plan, const manifest::Target &target) {
  const uint64_t total = plan.deviceMemory().total();
  std::string text = getChip(target) + " has " + support::formatBytes(target.deviceMemory);
  if (fits(plan, target))
    return text + ": fits, " + support::formatBytes(target.deviceMemory - total) + " are left";
  text += ": does not fit, " + support::formatBytes(total - target.deviceMemory) + " are missing; alone would: ";
  std::string options;
  for (const MemoryOption &option : findFittingOptions(line.compile, plan, target.deviceMemory))
    options += (options.empty() ? "" : ", ") + option.option + " (" + support::formatBytes(option.bytes) + ")";
  return text + (options.empty() ? "no context, no batch and no format" : options);
}

void printTable(const MemoryLine &line, const manifest::Manifest &plan, const PrecisionChoice &precision) {
  std::cout << support::escape(plan.model.name) << ": context " << plan.model.context.value_or(0)
            << (plan.control.requests > 1 ? ", " + std::to_string(plan.control.requests) + " requests" : "")
            << ", precision " << getName(precision.type).str() << ": " << precision.reason << "\n";
  auto row = [](const std::string &kind, const std::string &count, const std::string &offset, const std::string &bytes,
                const std::string &purpose) {
    std::cout << std::left << std::setw(9) << kind << std::right << std::setw(8) << count << std::setw(18) << offset
              << std::setw(18) << bytes << "  " << purpose << "\n";
  };
  row("kind", "buffers", "offset", "bytes", "purpose");
  for (const Group &group : groupBuffers(plan))
    row(std::string(nameOf(group.kind)), std::to_string(group.count), withCommas(group.offset), withCommas(group.bytes),
        getPurpose(group.kind));
  const uint64_t total = plan.deviceMemory().total();
  row("total", std::to_string(plan.buffers.size()), "", withCommas(total), support::formatBytes(total));
  for (const manifest::Target &target : plan.targets)
    std::cout << describeFit(line, plan, target) << "\n";
}

void printJson(const MemoryLine &line, const manifest::Manifest &plan, const PrecisionChoice &precision) {
  const manifest::DeviceMemory memory = plan.deviceMemory();
  Json json = {{"format", "nstf-memory-plan"},       {"version", 1},
               {"model", plan.model.name},           {"context", plan.model.context.value_or(0)},
               {"max_batch", plan.control.requests}, {"precision", getName(precision.type).str()}};
  Json &buffers = json["buffers"] = Json::array();
  uint64_t offset = 0;
  for (const manifest::Buffer &buffer : plan.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"kind", nameOf(buffer.kind)},
                       {"purpose", getPurpose(buffer.kind)},
                       {"offset", offset},
                       {"bytes", buffer.size}});
    offset += buffer.size;
  }
  json["total"] = memory.total();
  Json &targets = json["targets"] = Json::array();
  for (const manifest::Target &target : plan.targets) {
    Json entry = {{"chip", getChip(target)}, {"device_memory", target.deviceMemory}, {"fits", fits(plan, target)}};
    if (!fits(plan, target)) {
      Json &options = entry["fitting"] = Json::array();
      for (const MemoryOption &option : findFittingOptions(line.compile, plan, target.deviceMemory))
        options.push_back({{"option", option.option}, {"total", option.bytes}});
    }
    targets.push_back(std::move(entry));
  }
  std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

int run(MemoryLine &line) {
  parseModelOptions(line.compile, line.precision);
  if (line.compile.targets.empty())
    throw std::runtime_error(noTargetMessage);
  PrecisionChoice precision;
  std::optional<manifest::Manifest> plan = planMemory(line.compile, &precision);
  if (!plan)
    return 1;
  (line.json ? printJson : printTable)(line, *plan, precision);
  return llvm::all_of(plan->targets, [&](const manifest::Target &target) { return fits(*plan, target); }) ? 0 : 1;
}

constexpr char about[] = "Says what device memory a package would take, and whether a chip has it: weights, caches, "
                         "results between launches. Needs a model's config.json alone, and compiles nothing.";

} // namespace

int nstf::runMemoryCommand(int argc, char **argv) { return runCommand<MemoryLine>(argc, argv, about); }

support::CompletionCommand nstf::describeMemoryCommand() { return describeCommand<MemoryLine>("memory", about); }
