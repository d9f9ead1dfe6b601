// Captures launches once and replays them. Capture executes nothing, so the first run captures and then launches the
// resulting graph.
#include "runtime/core/Device.h"

namespace nstf {
namespace {
constexpr int captureThreadLocal = 1; // hipStreamCaptureModeThreadLocal: does not restrict other threads
} // namespace

HIPGraphRunner::HIPGraphRunner(const Backend &backend, std::vector<Launch> launches)
    : device(backend.device()), sequence(std::move(launches)) {
  for (const Launch &launch : sequence)
    if (!launch.kernel)
      throw Error("a launch has no kernel");
}

HIPGraphRunner::~HIPGraphRunner() { release(); }

HIPGraphRunner::HIPGraphRunner(HIPGraphRunner &&other) noexcept
    : device(std::move(other.device)), sequence(std::move(other.sequence)),
      graphExec(std::exchange(other.graphExec, nullptr)), tried(other.tried), reason(std::move(other.reason)) {}

HIPGraphRunner &HIPGraphRunner::operator=(HIPGraphRunner &&other) noexcept {
  if (this != &other) {
    release();
    device = std::move(other.device);
    sequence = std::move(other.sequence);
    graphExec = std::exchange(other.graphExec, nullptr);
    tried = other.tried;
    reason = std::move(other.reason);
  }
  return *this;
}

void HIPGraphRunner::release() noexcept {
  if (graphExec)
    (void)device->hip().hipGraphExecDestroy(graphExec);
  graphExec = nullptr;
}

void HIPGraphRunner::submit(Stream &stream) const {
  for (const Launch &one : sequence)
    detail::submit(*device, stream, one);
}

void HIPGraphRunner::capture(Stream &stream) {
  const detail::HIPLibrary &hip = device->hip();
  if (!hip.hipStreamBeginCapture || !hip.hipStreamEndCapture || !hip.hipGraphInstantiate || !hip.hipGraphLaunch ||
      !hip.hipGraphExecDestroy || !hip.hipGraphDestroy) {
    reason = hip.path() + " has no graph functions";
    return;
  }
  if (int code = hip.hipStreamBeginCapture(stream.handle(), captureThreadLocal)) {
    reason = "hipStreamBeginCapture: " + hip.describe(code);
    return;
  }
  void *graph = nullptr;
  try {
    submit(stream);
  } catch (...) {
    // A wrong launch also fails without capture: end the capture, and let the launches report the error.
    if (!hip.hipStreamEndCapture(stream.handle(), &graph) && graph)
      (void)hip.hipGraphDestroy(graph);
    throw;
  }
  if (int code = hip.hipStreamEndCapture(stream.handle(), &graph)) {
    reason = "hipStreamEndCapture: " + hip.describe(code);
    return;
  }
  if (int code = hip.hipGraphInstantiate(&graphExec, graph, nullptr, nullptr, 0)) {
    graphExec = nullptr;
    reason = "hipGraphInstantiate: " + hip.describe(code);
  }
  (void)hip.hipGraphDestroy(graph);
}

void HIPGraphRunner::run(Stream &stream) {
  device->activate();
  if (!tried && !sequence.empty()) {
    capture(stream);
    tried = true;
  }
  if (!graphExec) {
    submit(stream);
    return;
  }
  device->hip().check(device->hip().hipGraphLaunch(graphExec, stream.handle()), "a step failed");
}

} // namespace nstf
