#include "runtime/emulator/hip_api/Stream.h"
#include "runtime/emulator/hip_api/Timing.h"

#include <algorithm>
#include <map>

namespace nstf::emulator {

// Never destroyed: programs destroy streams in their own destructors.
Handles<Stream> &streams() {
  static auto *handles = new Handles<Stream>;
  return *handles;
}
Handles<Event> &events() {
  static auto *handles = new Handles<Event>;
  return *handles;
}

Stream &getStream(hipStream_t handle) {
  static auto *null = new Stream{.queue = {.kind = timing::DeviceTimeline::Queue::Kind::Null}};
  static thread_local Stream perThread;
  if (!handle || handle == reinterpret_cast<hipStream_t>(1)) // 1: hipStreamLegacy of HIP 6
    return *null;
  if (handle == hipStreamPerThread)
    return perThread;
  return streams().get(handle);
}

void submit(hipStream_t handle, Operation operation) {
  Stream &stream = getStream(handle);
  check(operation);
  if (!stream.capture) {
    const timing::TimedOperation timed = run(operation);
    if (DeviceTiming *timing = Device::get().timing.get())
      timing->timeline()->submit(stream.queue, timed);
    return;
  }
  if (stream.capture->invalid)
    throw HipError(hipErrorStreamCaptureInvalidated, "an earlier call has made this capture invalid");
  GraphNode &node = stream.capture->graph->add(std::move(operation), std::move(stream.captured));
  stream.captured = {&node};
}

void synchronize(Stream &stream) {
  Device::get().fault.check();
  if (DeviceTiming *timing = Device::get().timing.get())
    timing->timeline()->synchronize(stream.queue);
}

namespace {
/// Captures that forbid synchronous calls (begun in any mode but relaxed).
std::vector<std::weak_ptr<Capture>> &strictCaptures() {
  static auto *captures = new std::vector<std::weak_ptr<Capture>>;
  return *captures;
}
std::mutex captureMutex;
uint64_t captureCount = 0;
thread_local hipStreamCaptureMode threadMode = hipStreamCaptureModeGlobal;
} // namespace

void refuseDuringCapture() {
  if (threadMode == hipStreamCaptureModeRelaxed)
    return;
  std::lock_guard lock(captureMutex);
  bool any = false;
  for (std::weak_ptr<Capture> &weak : strictCaptures())
    if (std::shared_ptr<Capture> capture = weak.lock()) {
      capture->invalid = true;
      any = true;
    }
  if (any)
    throw HipError(hipErrorStreamCaptureUnsupported, "a stream is capturing, and this call can't be part of a graph");
}

} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority) {
  return guarded("hipStreamCreateWithPriority", [&] {
    require(stream != nullptr, "stream is null");
    require(flags == hipStreamDefault || flags == hipStreamNonBlocking, "unknown flags");
    Device::get();
    auto object = std::make_unique<Stream>();
    object->flags = flags;
    object->priority = object->queue.priority = std::clamp(priority, -1, 1);
    if (flags == hipStreamNonBlocking)
      object->queue.kind = timing::DeviceTimeline::Queue::Kind::NonBlocking;
    *stream = streams().add<hipStream_t>(std::move(object));
  });
}
NSTF_HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
NSTF_HIP_API hipError_t hipStreamCreate(hipStream_t *stream) {
  return hipStreamCreateWithPriority(stream, hipStreamDefault, 0);
}
NSTF_HIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
  return guarded("hipStreamDestroy", [&] {
    require(stream != nullptr, "stream is null");
    streams().remove(stream);
  });
}
NSTF_HIP_API hipError_t hipStreamSynchronize(hipStream_t stream) {
  return guarded("hipStreamSynchronize", [&] {
    Stream &object = getStream(stream);
    if (object.capture) {
      object.capture->invalid = true;
      throw HipError(hipErrorStreamCaptureUnsupported, "the stream is capturing");
    }
    synchronize(object);
  });
}
NSTF_HIP_API hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }
NSTF_HIP_API hipError_t hipDeviceSynchronize(void) {
  return guarded("hipDeviceSynchronize", [&] {
    Device &device = Device::get();
    refuseDuringCapture();
    device.fault.check();
    if (device.timing)
      device.timing->timeline()->synchronize();
  });
}
NSTF_HIP_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
  return guarded("hipStreamGetFlags", [&] {
    require(flags != nullptr, "flags is null");
    *flags = getStream(stream).flags;
  });
}
NSTF_HIP_API hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
  return guarded("hipStreamGetPriority", [&] {
    require(priority != nullptr, "priority is null");
    *priority = getStream(stream).priority;
  });
}
NSTF_HIP_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) {
  return guarded("hipStreamGetDevice", [&] {
    require(device != nullptr, "device is null");
    getStream(stream);
    *device = 0;
  });
}
NSTF_HIP_API int hipGetStreamDeviceId(hipStream_t) { return 0; }
NSTF_HIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return guarded("hipDeviceGetStreamPriorityRange", [&] {
    if (least)
      *least = 1;
    if (greatest)
      *greatest = -1;
  });
}
NSTF_HIP_API hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned) {
  return guarded("hipStreamAddCallback", [&] {
    require(callback != nullptr, "callback is null");
    submit(stream, HostOperation{[=] { callback(stream, hipSuccess, data); }});
  });
}
// HIP 5.3.
NSTF_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *data) {
  return guarded("hipLaunchHostFunc", [&] {
    require(function != nullptr, "function is null");
    submit(stream, HostOperation{[=] { function(data); }});
  });
}

NSTF_HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  return guarded("hipEventCreateWithFlags", [&] {
    require(event != nullptr, "event is null");
    Device::get();
    auto object = std::make_unique<Event>();
    object->flags = flags;
    *event = events().add<hipEvent_t>(std::move(object));
  });
}
NSTF_HIP_API hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, hipEventDefault); }
NSTF_HIP_API hipError_t hipEventDestroy(hipEvent_t event) {
  return guarded("hipEventDestroy", [&] { events().remove(event); });
}
NSTF_HIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return guarded("hipEventRecord", [&] {
    Event &object = events().get(event);
    Stream &on = getStream(stream);
    Device::get().fault.check();
    object.capture = on.capture;
    object.captured = on.captured;
    object.recorded = true;
    object.time = std::chrono::steady_clock::now();
    if (DeviceTiming *timing = Device::get().timing.get(); timing && !on.capture)
      object.task = timing->timeline()->record(on.queue);
  });
}
NSTF_HIP_API hipError_t hipEventSynchronize(hipEvent_t event) {
  return guarded("hipEventSynchronize", [&] {
    const Event &object = events().get(event);
    if (object.capture.lock())
      throw HipError(hipErrorCapturedEvent, "the event was recorded while capturing");
    Device::get().fault.check();
    if (DeviceTiming *timing = Device::get().timing.get())
      timing->timeline()->synchronize(object.task);
  });
}
NSTF_HIP_API hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }
NSTF_HIP_API hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  return guarded("hipEventElapsedTime", [&] {
    require(milliseconds != nullptr, "the result is null");
    Event &from = events().get(start), &to = events().get(stop);
    Device::get().fault.check();
    if (!from.recorded || !to.recorded || ((from.flags | to.flags) & hipEventDisableTiming))
      throw HipError(hipErrorInvalidHandle, "an event was not recorded, or made without timing");
    if (DeviceTiming *timing = Device::get().timing.get()) {
      DeviceTiming::Locked timeline = timing->timeline();
      const double begin = timeline->synchronize(from.task);
      *milliseconds = float((timeline->synchronize(to.task) - begin) * 1e-6);
    } else {
      *milliseconds = std::chrono::duration<float, std::milli>(to.time - from.time).count();
    }
  });
}
NSTF_HIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return guarded("hipStreamWaitEvent", [&] {
    Stream &object = getStream(stream);
    const Event &awaited = events().get(event);
    Device::get().fault.check();
    std::shared_ptr<Capture> capture = awaited.capture.lock();
    if (!capture) {
      if (DeviceTiming *timing = Device::get().timing.get(); timing && !object.capture)
        timing->timeline()->waitFor(object.queue, awaited.task);
      return;
    }
    if (object.capture && object.capture != capture) {
      object.capture->invalid = capture->invalid = true;
      throw HipError(hipErrorStreamCaptureMerge, "the event belongs to another capture");
    }
    object.capture = capture;
    for (GraphNode *node : awaited.captured)
      if (std::ranges::find(object.captured, node) == object.captured.end())
        object.captured.push_back(node);
  });
}

NSTF_HIP_API hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return guarded("hipStreamBeginCapture", [&] {
    if (!stream)
      throw HipError(hipErrorStreamCaptureUnsupported, "the null stream can't capture");
    Stream &object = getStream(stream);
    if (object.capture)
      throw HipError(hipErrorIllegalState, "the stream captures already");
    require(mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed, "unknown capture mode");
    std::lock_guard lock(captureMutex);
    auto capture = std::make_shared<Capture>();
    capture->origin = &object;
    capture->graph = std::make_unique<Graph>();
    capture->mode = mode;
    capture->id = ++captureCount;
    object.capture = capture;
    std::erase_if(strictCaptures(), [](const std::weak_ptr<Capture> &weak) { return weak.expired(); });
    if (mode != hipStreamCaptureModeRelaxed)
      strictCaptures().push_back(capture);
  });
}
NSTF_HIP_API hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  return guarded("hipStreamEndCapture", [&] {
    require(graph != nullptr, "graph is null");
    *graph = nullptr;
    Stream &object = getStream(stream);
    std::shared_ptr<Capture> capture = object.capture;
    if (!capture)
      throw HipError(hipErrorIllegalState, "the stream does not capture");
    if (capture->origin != &object)
      throw HipError(hipErrorStreamCaptureUnmatched, "this capture began on another stream");
    auto leave = [](Stream &stream) {
      stream.capture = nullptr;
      stream.captured.clear();
    };
    leave(object);
    streams().forEach([&](Stream &other) {
      if (other.capture == capture)
        leave(other);
    });
    if (capture->invalid)
      throw HipError(hipErrorStreamCaptureInvalidated, "an earlier call has made this capture invalid");
    *graph = graphs().add<hipGraph_t>(std::move(capture->graph));
  });
}
NSTF_HIP_API hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  return guarded("hipStreamIsCapturing", [&] {
    require(status != nullptr, "status is null");
    const std::shared_ptr<Capture> &capture = getStream(stream).capture;
    *status = !capture           ? hipStreamCaptureStatusNone
              : capture->invalid ? hipStreamCaptureStatusInvalidated
                                 : hipStreamCaptureStatusActive;
  });
}
NSTF_HIP_API hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                                unsigned long long *id) {
  return guarded("hipStreamGetCaptureInfo", [&] {
    if (hipError_t code = hipStreamIsCapturing(stream, status); code != hipSuccess)
      throw HipError(code);
    if (const std::shared_ptr<Capture> &capture = getStream(stream).capture; capture && id)
      *id = capture->id;
  });
}
NSTF_HIP_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  return guarded("hipThreadExchangeStreamCaptureMode", [&] {
    require(mode != nullptr, "mode is null");
    std::swap(*mode, threadMode);
  });
}
