// Runs one step of any package: inputs from files, outputs to files.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"

#include <cstdio>
#include <stdexcept>

using namespace nstf;
using namespace nstf::runtime;

void runTensors(Session &session, const Options &options) {
  const manifest::Manifest &manifest = session.manifest();
  // If no input's first dimension is "tokens", the smallest possible step is run.
  int64_t tokens = session.target().buckets.front().minTokens;
  bool known = false;
  for (const auto &[name, file] : options.inputs) {
    HostTensor value = readNpy(file);
    try {
      session.setInput(name, value);
    } catch (const std::runtime_error &error) {
      throw std::runtime_error(file + ": " + error.what());
    }
    if (const manifest::Port *port = manifest.findInput(name); port->shape.hasTokens() && !known) {
      tokens = value.shape.front();
      known = true;
    }
  }
  RunClock clock(session.backend());
  session.run(tokens);
  std::vector<HostTensor> results;
  for (const auto &[name, file] : options.outputs)
    results.push_back(session.output(name));
  const RunTime time = clock.lap();
  for (std::size_t i = 0; i < results.size(); ++i)
    writeNpy(options.outputs[i].second, results[i]);
  if (options.json) {
    auto json = beginResult("tensors", session);
    json["rows"] = tokens;
    json["outputs"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < results.size(); ++i)
      json["outputs"][options.outputs[i].first] = {{"type", manifest::nameOf(results[i].type)},
                                                   {"shape", results[i].shape},
                                                   {"file", options.outputs[i].second}};
    json["seconds"] = time.seconds;
    addPredicted(json, "predicted", time);
    printResult(json);
    std::cout.flush();
  }
  if (options.quiet)
    return;
  std::fprintf(stderr, "step:    %lld rows, %.3f s (%s)\n", static_cast<long long>(tokens), time.seconds,
               session.graphState().c_str());
  printPredicted(time);
}
