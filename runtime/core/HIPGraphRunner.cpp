// Captures launches once and replays them. Capture executes nothing, so the first run captures and then launches the
// resulting graph.
#include "runtime/core/Device.h"

namespace nstf {
namespace {
constexpr int captureThreadLocal = 1; // hipStreamCaptureModeThreadLocal: does not restrict other threads
} // namespace

HIPGraphRunner::HIPGraphRunner(const Backend &backend, std::vector<Launch> launches)
    : device_(backend.device()), launches_(std::move(launches)) {
  for (const Launch &launch : launches_)
    if (!launch.kernel)
      throw Error("a launch has no kernel");
}

HIPGraphRunner::~HIPGraphRunner() { release(); }

HIPGraphRunner::HIPGraphRunner(HIPGraphRunner &&other) noexcept
    : device_(std::move(other.device_)), launches_(std::move(other.launches_)),
      graphExec_(std::exchange(other.graphExec_, nullptr)), tried_(other.tried_),
      fallbackReason_(std::move(other.fallbackReason_)) {}

HIPGraphRunner &HIPGraphRunner::operator=(HIPGraphRunner &&other) noexcept {
  if (this != &other) {
    release();
    device_ = std::move(other.device_);
    launches_ = std::move(other.launches_);
    graphExec_ = std::exchange(other.graphExec_, nullptr);
    tried_ = other.tried_;
    fallbackReason_ = std::move(other.fallbackReason_);
  }
  return *this;
}

void HIPGraphRunner::release() noexcept {
  if (graphExec_)
    (void)device_->hip().hipGraphExecDestroy(graphExec_);
  graphExec_ = nullptr;
}

void HIPGraphRunner::submit(Stream &stream) const {
  for (const Launch &one : launches_)
    detail::submit(*device_, stream, one);
}

void HIPGraphRunner::capture(Stream &stream) {
  const detail::HIPLibrary &hip = device_->hip();
  if (!hip.hipStreamBeginCapture || !hip.hipStreamEndCapture || !hip.hipGraphInstantiate || !hip.hipGraphLaunch ||
      !hip.hipGraphExecDestroy || !hip.hipGraphDestroy) {
    fallbackReason_ = hip.path() + " has no graph functions";
    return;
  }
  if (int code = hip.hipStreamBeginCapture(stream.handle(), captureThreadLocal)) {
    fallbackReason_ = "hipStreamBeginCapture: " + hip.describe(code);
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
    fallbackReason_ = "hipStreamEndCapture: " + hip.describe(code);
    return;
  }
  if (int code = hip.hipGraphInstantiate(&graphExec_, graph, nullptr, nullptr, 0)) {
    graphExec_ = nullptr;
    fallbackReason_ = "hipGraphInstantiate: " + hip.describe(code);
  }
  (void)hip.hipGraphDestroy(graph);
}

void HIPGraphRunner::run(Stream &stream) {
  device_->activate();
  if (!tried_ && !launches_.empty()) {
    capture(stream);
    tried_ = true;
  }
  if (!graphExec_) {
    submit(stream);
    return;
  }
  device_->hip().check(device_->hip().hipGraphLaunch(graphExec_, stream.handle()), "a step failed");
}

} // namespace nstf
