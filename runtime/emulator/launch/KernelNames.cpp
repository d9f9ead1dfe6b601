#include "runtime/emulator/launch/KernelNames.h"

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObjectFile.h"
#include "support/DidYouMean.h"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace nstf::emulator {
namespace {

/// The code objects that run on `device`.
std::vector<ContainedCodeObject> runnable(const CodeObjectContainer &container, const TargetId &device) {
  std::vector<ContainedCodeObject> result;
  for (size_t part = 0; part < container.parts().size(); ++part)
    for (ContainedCodeObject &object : container.read(part))
      if (runsOn(object, device))
        result.push_back(std::move(object));
  return result;
}

std::string withoutParameters(const std::string &name) {
  std::string result = name.substr(0, name.find('('));
  // "void scale<float>": the return type before a template's name
  size_t space = result.substr(0, result.find('<')).rfind(' ');
  return space == std::string::npos ? result : result.substr(space + 1);
}

} // namespace

std::vector<std::string> kernelNames(const CodeObjectContainer &container, const TargetId &device) {
  std::set<std::string> names;
  for (const ContainedCodeObject &object : runnable(container, device))
    for (const Kernel &kernel : readKernels(object.code.bytes, object.where).kernels)
      names.insert(kernel.name);
  return {names.begin(), names.end()};
}

std::string demangled(const std::string &symbol) { return llvm::demangle(symbol); }

bool isCalled(const std::string &symbol, const std::string &name) {
  if (symbol == name)
    return true;
  if (!symbol.starts_with("_Z"))
    return false;
  std::string whole = demangled(symbol);
  return whole == name || withoutParameters(whole) == name;
}

KernelPlace findKernel(const CodeObjectContainer &container, const TargetId &device, const std::string &name) {
  try {
    return {container.select(device, name), name, ""};
  } catch (const LoadError &error) {
    if (error.reason != LoadError::Reason::NotFound)
      throw;
  }
  KernelPlace found;
  std::vector<std::string> symbols, names;
  for (ContainedCodeObject &object : runnable(container, device))
    for (const Kernel &kernel : readKernels(object.code.bytes, object.where).kernels) {
      symbols.push_back(kernel.name);
      names.push_back(kernel.name.starts_with("_Z") ? withoutParameters(demangled(kernel.name)) : kernel.name);
      if (!isCalled(kernel.name, name))
        continue;
      if (!found.kernel.empty() && found.kernel != kernel.name) {
        found.hint = ", which is " + found.kernel + " or " + kernel.name;
        found.kernel.clear();
        return found;
      }
      if (found.kernel.empty()) {
        found.kernel = kernel.name;
        found.object = object;
      }
    }
  if (!found.kernel.empty())
    return found;
  found.hint = support::didYouMean(name, symbols);
  if (found.hint.empty())
    found.hint = support::didYouMean(name, names);
  if (found.hint.empty() && !names.empty())
    found.hint = " (there are " + support::listNames(names) + ")";
  return found;
}

TargetId getDevice(TargetId id) {
  if (id.sramecc == TargetId::Feature::Any)
    id.sramecc = TargetId::Feature::On;
  if (id.xnack == TargetId::Feature::Any)
    id.xnack = TargetId::Feature::Off;
  return id;
}

TargetId deviceFor(const CodeObjectContainer &container, const std::string &key) {
  std::vector<TargetId> devices;
  std::vector<std::string> offered;
  for (size_t part = 0; part < container.parts().size() && devices.empty(); ++part)
    for (const ContainedCodeObject &object : container.read(part)) {
      offered.push_back(object.target.empty() ? "an unknown chip" : object.target);
      for (const Target &chip : Target::all()) {
        try {
          TargetId made = TargetId::parse(object.target), device = made;
          device.processor = chip.name;
          device = getDevice(device);
          bool isKnown = std::any_of(devices.begin(), devices.end(),
                                     [&](const TargetId &other) { return other.processor == chip.name; });
          if (!isKnown && made.runsOn(device))
            devices.push_back(device);
        } catch (const std::runtime_error &) {
          // an unknown chip
        }
      }
    }
  if (devices.empty())
    throw std::runtime_error(container.name() + ": expected code for " + targetNames() + " but got code for " +
                             (offered.empty() ? "no amdgpu target" : support::listNames(offered)));
  if (devices.size() > 1)
    throw std::runtime_error(container.name() + ": expected '" + key + "' to say which of " +
                             support::listNames(offered) + " is to run");
  return devices.front();
}

bool runsOn(const ContainedCodeObject &object, const TargetId &device) {
  try {
    return !object.target.empty() && TargetId::parse(object.target).runsOn(device);
  } catch (const std::runtime_error &) {
    return false;
  }
}

std::string targetNames() {
  std::string names;
  for (const Target &target : Target::all())
    names += (names.empty() ? "" : ", ") + target.name;
  return names;
}

} // namespace nstf::emulator
