#include "runtime/emulator/launch/Report.h"

#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "runtime/emulator/launch/TimingReport.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/Fidelity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

namespace nstf::emulator {
namespace {
using Json = nlohmann::ordered_json;

constexpr std::pair<InstructionClass, const char *> classNames[] = {
    {InstructionClass::Matrix, "matrix"}, {InstructionClass::Vector, "vector"},
    {InstructionClass::Lds, "lds"},       {InstructionClass::VectorMemory, "vector_memory"},
    {InstructionClass::Scalar, "scalar"}, {InstructionClass::ScalarMemory, "scalar_memory"},
    {InstructionClass::Branch, "branch"}, {InstructionClass::Other, "other"},
};
constexpr std::pair<MemorySpace, const char *> spaceNames[] = {
    {MemorySpace::Global, "global"},
    {MemorySpace::Lds, "lds"},
    {MemorySpace::Scratch, "scratch"},
    {MemorySpace::Scalar, "scalar"},
};

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Json instructionsJson(const ExecutionStatistics &statistics) {
  Json classes = Json::object();
  for (auto [c, name] : classNames)
    classes[name] = statistics[c];
  return {{"total", countInstructions(statistics)}, {"by_class", classes}};
}

Json ldsJson(const ExecutionStatistics &statistics) {
  Json conflicts = Json::object();
  for (unsigned i = 0; i < opcodeCount; ++i)
    if (statistics.executed[i] && getClass(Opcode(i)) == InstructionClass::Lds)
      conflicts[getMnemonic(Opcode(i))] = statistics.conflictClocks[i];
  return {{"conflict_clocks", std::move(conflicts)}};
}

Json storesJson(const ExecutionStatistics &statistics) {
  Json stores = Json::object();
  for (unsigned i = 0; i < opcodeCount; ++i)
    if (statistics.storedBy[i])
      stores[getMnemonic(Opcode(i))] = {{"instructions", statistics.executed[i]}, {"bytes", statistics.storedBy[i]}};
  return stores;
}

Json fidelityJson(const LaunchSession &session, const PreparedLaunch &launch, const ExecutionStatistics &statistics) {
  Json rows = Json::array();
  for (const FidelityRow &row : getFidelity(statistics, launch.matrix, session.target())) {
    Json entry{{"instruction", row.instruction}, {"count", row.count}, {"exact", row.fidelity.exact}};
    if (!row.fidelity.exact) {
      entry["bound"] = row.fidelity.bound;
      entry["why"] = row.fidelity.why;
    }
    rows.push_back(std::move(entry));
  }
  return rows;
}

Json kernelJson(const LaunchSession &session, const PreparedLaunch &launch) {
  const Kernel &kernel = *launch.kernel;
  const LaunchShape &shape = launch.shape;
  uint32_t items = shape.block[0] * shape.block[1] * shape.block[2];
  const support::Occupancy occupancy = getOccupancy(session.model(), kernel, items, shape.dynamicLds);
  return {{"vgprs", kernel.descriptor.vgprs},
          {"agprs", kernel.accumulationVgprs()},
          {"sgprs", kernel.sgprCount},
          {"vgpr_spills", kernel.vgprSpills},
          {"sgpr_spills", kernel.sgprSpills},
          {"static_lds_bytes", kernel.ldsSize},
          {"dynamic_lds_bytes", shape.dynamicLds},
          {"scratch_bytes_per_lane", kernel.scratchSize},
          {"occupancy",
           {{"workgroups_per_compute_unit", occupancy.workgroups},
            {"waves_per_simd", occupancy.wavesPerSimd},
            {"bound_by", occupancy.bound}}}};
}

} // namespace

uint64_t countInstructions(const ExecutionStatistics &statistics) {
  return std::accumulate(statistics.instructions.begin(), statistics.instructions.end(), uint64_t(0));
}

Json toJson(const LaunchSession &session, const Finding &finding) {
  Json lanes = Json::array();
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    if (finding.lanes >> lane & 1)
      lanes.push_back(lane);
  Json json{{"check", finding.check},
            {"rule", finding.rule},
            {"what", finding.what},
            {"kernel", finding.kernel},
            {"pc", hex(finding.pc)},
            {"offset", finding.offset},
            {"instruction", finding.instruction},
            {"source", finding.source},
            {"workgroup", finding.workgroup},
            {"wave", finding.wave},
            {"lanes", std::move(lanes)}};
  if (finding.hasAddress)
    json["address"] = hex(finding.address);
  json["allocation"] = finding.allocation;
  if (finding.hasAddress)
    json["buffer"] = session.describeAddress(finding.address);
  json["count"] = finding.count;
  json["others"] = finding.others;
  return json;
}

Report::Report(const LaunchSession &session)
    : session(session), launches(new Json(Json::array())), expectations(new Json(Json::array())) {}
Report::~Report() = default;

void Report::add(const PreparedLaunch &launch, const LaunchResult &result) {
  const LaunchShape &shape = launch.shape;
  const ExecutionStatistics &statistics = result.statistics;
  uint64_t workgroups = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2];
  uint64_t items = uint64_t(shape.block[0]) * shape.block[1] * shape.block[2];
  Json entry{{"kernel", launch.kernel->name},
             {"name", demangled(launch.kernel->name)},
             {"grid", shape.grid},
             {"block", shape.block},
             {"workgroups", workgroups},
             {"waves", workgroups * ((items + Wave::width - 1) / Wave::width)},
             {"repeat", launch.description->repeat},
             {"matrix_mode", launch.matrix == MatrixMode::Exact ? "exact" : "fast"}};
  entry.update(kernelJson(session, launch));
  entry["emulator_seconds"] = result.seconds;
  entry["instructions"] = instructionsJson(statistics);
  Json opcodes = Json::object();
  std::vector<FidelityRow> rows = getFidelity(statistics, launch.matrix, session.target());
  std::ranges::sort(rows, [](const FidelityRow &a, const FidelityRow &b) {
    return a.count != b.count ? a.count > b.count : a.instruction < b.instruction;
  });
  for (const FidelityRow &row : rows)
    opcodes[row.instruction] = row.count;
  entry["instructions"]["by_opcode"] = std::move(opcodes);
  Json bytes = Json::object();
  for (auto [space, name] : spaceNames)
    bytes[name] = {{"loaded", statistics[space].loaded}, {"stored", statistics[space].stored}};
  entry["bytes"] = std::move(bytes);
  entry["lds"] = ldsJson(statistics);
  entry["stores"] = storesJson(statistics);
  entry["fidelity"] = fidelityJson(session, launch, statistics);
  Json findings = Json::array();
  for (const Finding &finding : result.findings)
    findings.push_back(toJson(session, finding));
  entry["findings"] = std::move(findings);
  if (result.fault)
    entry["fault"] = toJson(session, *result.fault);
  launches->push_back(std::move(entry));
}

void Report::add(const PreparedLaunch &launch, const PredictedLaunch &predicted, const LaunchPredictor &predictor) {
  add(launch, predicted.result);
  if (!predictor.executesAll())
    for (const char *counted : {"bytes", "lds", "stores"}) // predictions have their own counts
      launches->back().erase(counted);
  Json predictions = Json::array();
  for (const ClockPrediction &prediction : predicted.predictions)
    predictions.push_back(toJson(predictor, launch, prediction));
  launches->back()["predictions"] = std::move(predictions);
}

void Report::add(const Comparison &comparison) {
  Json entry{{"buffer", comparison.buffer},
             {"passed", comparison.passed()},
             {"elements", comparison.elements},
             {"mismatches", comparison.mismatches},
             {"nans", comparison.nans},
             {"max_absolute_error", comparison.maxAbsolute},
             {"max_relative_error", comparison.maxRelative},
             {"atol", comparison.absolute},
             {"rtol", comparison.relative}};
  auto toJson = [](const Comparison::Element &e) { // numbers as text: JSON has neither NaN nor all of 64 bits
    return Json{{"index", e.index}, {"expected", e.expected}, {"got", e.got}};
  };
  if (!comparison.passed()) {
    Json first = Json::array();
    for (const Comparison::Element &element : comparison.first)
      first.push_back(toJson(element));
    entry["first_mismatches"] = std::move(first);
    entry["furthest"] = toJson(comparison.worst);
  }
  expectations->push_back(std::move(entry));
}

std::string Report::text(int status, const std::string &error) const {
  Json outputs = Json::array();
  for (const OutputDescription &output : session.file().outputs)
    outputs.push_back({{"buffer", output.buffer}, {"file", session.file().resolve(output.file).string()}});
  Json report{{"launch_file", session.file().path.string()},
              {"target", session.device().str()},
              {"host_vectors", hostVectorTarget()},
              {"status", status}};
  if (!error.empty())
    report["error"] = error;
  report["dropped_findings"] = session.droppedFindings();
  Json advice = Json::array();
  for (const Finding &finding : session.advice())
    advice.push_back(toJson(session, finding));
  report["advice"] = std::move(advice);
  report["launches"] = *launches;
  report["outputs"] = std::move(outputs);
  report["expectations"] = *expectations;
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nstf::emulator
