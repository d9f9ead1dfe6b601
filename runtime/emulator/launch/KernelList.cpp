#include "runtime/emulator/launch/KernelList.h"

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "runtime/emulator/memory/CodeObjectFile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace nstf::emulator {
namespace {
using Json = nlohmann::ordered_json;

/// The number of waves that fit, if the emulator knows the chip.
struct Fit {
  const DeviceModel *model = nullptr;
  uint32_t block = 0, byRegisters = 0;
  support::Occupancy occupancy;
};

Fit fitOf(const Kernel &kernel, const TargetId &target, const ListOptions &options) {
  Fit fit;
  if (!Target::find(target.processor) || kernel.waveSize != 64)
    return fit;
  fit.model = &DeviceModel::of(target.processor);
  const auto &required = kernel.requiredWorkgroupSize;
  fit.block = options.block ? options.block
              : required[0] ? required[0] * required[1] * required[2]
                            : kernel.maxFlatWorkgroupSize;
  fit.block = std::clamp(fit.block, 1u, fit.model->maxWorkgroupSize);
  fit.occupancy = getOccupancy(*fit.model, kernel, fit.block, options.dynamicLds);
  Kernel registersOnly = kernel;
  registersOnly.ldsSize = 0;
  fit.byRegisters = getOccupancy(*fit.model, registersOnly, 64, 0).wavesPerSimd;
  return fit;
}

Json argumentJson(const KernelArgument &argument) {
  Json json{{"offset", argument.offset}, {"size", argument.size}, {"kind", argument.valueKind}};
  if (!argument.name.empty())
    json["name"] = argument.name;
  if (!argument.typeName.empty())
    json["type"] = argument.typeName;
  if (!argument.addressSpace.empty())
    json["address_space"] = argument.addressSpace;
  if (!argument.access.empty())
    json["access"] = argument.access;
  return json;
}

Json kernelJson(const Kernel &kernel, const TargetId &target, const ListOptions &options) {
  Json arguments = Json::array();
  for (const KernelArgument &argument : kernel.arguments)
    arguments.push_back(argumentJson(argument));
  Json json{{"kernel", kernel.name},
            {"name", demangled(kernel.name)},
            {"has_metadata", kernel.hasMetadata},
            {"kernarg_bytes", kernel.kernargSize},
            {"arguments", std::move(arguments)},
            {"vgprs", kernel.descriptor.vgprs},
            {"agprs", kernel.accumulationVgprs()},
            {"sgprs", kernel.sgprCount},
            {"vgpr_spills", kernel.vgprSpills},
            {"sgpr_spills", kernel.sgprSpills},
            {"lds_bytes", kernel.ldsSize},
            {"scratch_bytes_per_lane", kernel.scratchSize},
            {"dynamic_stack", kernel.descriptor.dynamicStack},
            {"wave_size", kernel.waveSize},
            {"max_workgroup_size", kernel.maxFlatWorkgroupSize}};
  if (kernel.requiredWorkgroupSize[0])
    json["required_workgroup_size"] = kernel.requiredWorkgroupSize;
  if (Fit fit = fitOf(kernel, target, options); fit.model)
    json["occupancy"] = {{"waves_per_simd_by_registers", fit.byRegisters},
                         {"workgroup_size", fit.block},
                         {"workgroups_per_compute_unit", fit.occupancy.workgroups},
                         {"waves_per_simd", fit.occupancy.wavesPerSimd},
                         {"bound_by", fit.occupancy.bound}};
  return json;
}

void printArgument(const KernelArgument &argument, std::ostream &out) {
  out << "    " << argument.offset << ": " << argument.size << (argument.size == 1 ? " byte, " : " bytes, ")
      << argument.valueKind;
  if (!argument.name.empty())
    out << ", '" << argument.name << "'";
  if (!argument.typeName.empty())
    out << ", " << argument.typeName;
  if (!argument.addressSpace.empty())
    out << ", " << argument.addressSpace;
  if (!argument.access.empty())
    out << ", " << argument.access;
  out << "\n";
}

void printKernel(const Kernel &kernel, const TargetId &target, const ListOptions &options, std::ostream &out) {
  out << "  " << kernel.name;
  if (std::string name = demangled(kernel.name); name != kernel.name)
    out << "  (" << name << ")";
  out << "\n";
  if (options.brief)
    return;
  size_t hidden = std::ranges::count_if(kernel.arguments, &KernelArgument::hidden);
  out << "    arguments: " << kernel.arguments.size() - hidden << " and " << hidden << " hidden, " << kernel.kernargSize
      << " bytes" << (kernel.hasMetadata ? "" : " (no metadata: launch with 'at')") << "\n";
  for (const KernelArgument &argument : kernel.arguments)
    if (!argument.hidden()) {
      out << "  ";
      printArgument(argument, out);
    }
  out << "    registers: " << kernel.descriptor.vgprs << " VGPRs";
  if (const uint32_t agprs = kernel.accumulationVgprs())
    out << " (" << agprs << " of them AGPRs)";
  out << ", " << kernel.sgprCount << " SGPRs";
  if (kernel.vgprSpills || kernel.sgprSpills)
    out << "; " << kernel.vgprSpills << " VGPRs and " << kernel.sgprSpills << " SGPRs spilled";
  out << "\n    memory: " << kernel.ldsSize << " bytes of LDS, " << kernel.scratchSize << " bytes of scratch a lane"
      << (kernel.descriptor.dynamicStack ? ", more by calls" : "") << "\n    workgroup: ";
  if (const auto &required = kernel.requiredWorkgroupSize; required[0])
    out << required[0] << "x" << required[1] << "x" << required[2] << " work-items";
  else
    out << "at most " << kernel.maxFlatWorkgroupSize << " work-items";
  if (kernel.waveSize != 64)
    out << ", waves of " << kernel.waveSize;
  out << "\n";
  if (Fit fit = fitOf(kernel, target, options); fit.model)
    out << "    occupancy: " << fit.byRegisters << " waves a SIMD by registers; " << fit.occupancy.wavesPerSimd
        << " in workgroups of " << fit.block << ", bound by " << fit.occupancy.bound << "\n";
}

class List {
public:
  List(const ListOptions &options, std::ostream &out) : options(options), out(out) {
    if (!options.target.empty())
      device = getDevice(TargetId::parse(options.target));
  }

  void add(const ContainedCodeObject &object) {
    if (device && !runsOn(object, *device))
      return;
    ++summary.codeObjects;
    try {
      CodeObjectFile file = readKernels(object.code.bytes, object.where);
      std::erase_if(file.kernels, [&](const Kernel &kernel) {
        return !options.kernel.empty() && !isCalled(kernel.name, options.kernel) &&
               demangled(kernel.name).find(options.kernel) == std::string::npos;
      });
      summary.kernels += file.kernels.size();
      if (!options.kernel.empty() && file.kernels.empty())
        return;
      options.json ? addJson(object, file) : print(object, file);
    } catch (const LoadError &error) {
      countDamaged(error);
      if (options.json)
        put(Json{{"where", object.where}, {"target", object.target}, {"error", error.what()}});
      else
        out << object.where << ": error: " << error.what() << "\n";
    }
  }

  void countDamaged(const LoadError &error) {
    if (!summary.damaged++)
      summary.firstDamage = error.what();
  }

  void addDamaged(size_t part, const LoadError &error) {
    countDamaged(error);
    if (options.json)
      put(Json{{"part", part}, {"error", error.what()}});
    else
      out << "error: " << error.what() << "\n";
  }

  void begin(const CodeObjectContainer &container) {
    if (options.json)
      out << "{\"file\": " << Json(container.name()).dump(-1, ' ', true, Json::error_handler_t::replace)
          << ",\n \"code_objects\": [";
  }
  void end(const CodeObjectContainer &container) {
    if (options.json)
      out << "]}\n";
    else if (!container.leftover().empty())
      out << "note: " << container.leftover() << "\n";
  }

  ListSummary summary;

private:
  void addJson(const ContainedCodeObject &object, const CodeObjectFile &file) {
    Json kernels = Json::array();
    for (const Kernel &kernel : file.kernels)
      kernels.push_back(kernelJson(kernel, file.target, options));
    Json variables = Json::array();
    for (const auto &[name, variable] : file.variables)
      variables.push_back({{"name", name}, {"size", variable.size}});
    put(Json{{"where", object.where},
             {"id", object.id},
             {"target", file.target.str()},
             {"version", file.version},
             {"bytes", object.code.bytes.size()},
             {"kernels", std::move(kernels)},
             {"variables", std::move(variables)}});
  }

  void put(const Json &json) {
    out << (first ? "\n" : ",\n") << json.dump(-1, ' ', true, Json::error_handler_t::replace);
    first = false;
  }

  void print(const ContainedCodeObject &object, const CodeObjectFile &file) {
    out << object.where << ": code object v" << file.version << " for " << file.target.str() << ", "
        << object.code.bytes.size() << " bytes, " << file.kernels.size()
        << (file.kernels.size() == 1 ? " kernel\n" : " kernels\n");
    for (const Kernel &kernel : file.kernels)
      printKernel(kernel, file.target, options, out);
    if (options.kernel.empty() && !options.brief)
      for (const auto &[name, variable] : file.variables)
        out << "  variable " << demangled(name) << ": " << variable.size << " bytes\n";
  }

  const ListOptions &options;
  std::ostream &out;
  std::optional<TargetId> device;
  bool first = true;
};

} // namespace

ListSummary listKernels(const CodeObjectContainer &container, const ListOptions &options, std::ostream &out) {
  List list(options, out);
  list.begin(container);
  for (size_t part = 0; part < container.parts().size(); ++part) {
    try {
      for (const ContainedCodeObject &object : container.read(part))
        list.add(object);
    } catch (const LoadError &error) { // one damaged bundle does not hide the others
      list.addDamaged(part, error);
    }
  }
  list.end(container);
  return list.summary;
}

} // namespace nstf::emulator
