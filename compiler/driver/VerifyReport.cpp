#include "compiler/driver/VerifyReport.h"

#include <cmath>
#include <dlfcn.h>
#include <iomanip>
#include <limits>

using namespace nstf;
using namespace nstf::reference;
using Json = nlohmann::ordered_json;

void VerifyReport::add(const std::string &kind, const std::string &name, const Comparison &comparison) {
  Worst &known = worst[kind][name];
  // An error of 0 counts as a share of 0, even if no error is allowed.
  auto share = [](const Comparison &c) { return c.largestError == 0 ? 0 : c.largestError / c.allowed; };
  if (known.count++ == 0 || share(comparison) > share(known.comparison))
    known.comparison = comparison;
}

void VerifyReport::countLaunches(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!handle)
    return;
  observe = reinterpret_cast<NSTFObserveDispatches *>(dlsym(handle, "nstfEmulatorObserveDispatches"));
  dlclose(handle); // the session keeps the library loaded
  if (observe)
    observe(note, this);
}

VerifyReport::~VerifyReport() {
  if (observe)
    observe(nullptr, nullptr);
}

void VerifyReport::note(void *self, const NSTFDispatchStatistics *launch) {
  if (launch->size < sizeof(*launch)) // an older library, whose struct lacks fields
    return;
  Executed &entry = static_cast<VerifyReport *>(self)->executed[launch->kernel];
  ++entry.launches;
#define ADD(field) entry.sum.field += launch->field;
  NSTF_DISPATCH_STATISTICS(ADD)
#undef ADD
}

Json VerifyReport::toJson() const {
  Json compared = Json::array(), counted = Json::array();
  for (const auto &[kind, names] : worst)
    for (const auto &[name, found] : names) {
      const Comparison &c = found.comparison;
      compared.push_back({{"kind", kind},
                          {"name", name},
                          {"count", found.count},
                          {"error", c.largestError}, // infinity becomes null
                          {"largest", c.largestWant},
                          {"allowed", c.allowed}});
    }
  for (const auto &[kernel, entry] : executed) {
    Json one{{"kernel", kernel}, {"launches", entry.launches}};
#define PUT(field) one[#field] = entry.sum.field;
    NSTF_DISPATCH_STATISTICS(PUT)
#undef PUT
    counted.push_back(std::move(one));
  }
  return {{"compared", compared}, {"executed", counted}};
}

int nstf::printReport(const std::string &target, const Json &report, std::ostream &os) {
  int failures = 0;
  for (const Json &line : report.at("compared")) {
    bool isNumber = line.at("error").is_number();
    double error = isNumber ? line.at("error").get<double>() : std::numeric_limits<double>::infinity();
    double largest = line.at("largest"), allowed = line.at("allowed");
    bool passes = error <= allowed;
    failures += !passes;
    os << "verify: " << target << " " << line.at("kind").get<std::string>() << " " << line.at("name").get<std::string>()
       << ": " << line.at("count").get<int64_t>() << " compared, largest error " << std::setprecision(3) << error
       << " of largest value " << largest;
    if (largest > 0)
      os << " (relative " << error / largest << ")";
    os << ", allowed " << allowed << (passes ? "" : " PAST TOLERANCE") << "\n";
  }
  return failures;
}
