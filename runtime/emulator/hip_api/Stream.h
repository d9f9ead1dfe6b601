// Streams, events and graphs. A stream runs each operation immediately when it is submitted. This order satisfies the
// dependencies of any streams and events. While a stream captures, its operations are added to a graph instead.
#pragma once

#include "runtime/emulator/hip_api/Operation.h"

#include <chrono>
#include <memory>
#include <vector>

namespace nstf::emulator {

struct Graph;

struct GraphNode {
  Operation operation;
  std::vector<GraphNode *> dependencies;
  Graph *graph = nullptr;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes; // in the order they were added

  GraphNode &add(Operation operation, std::vector<GraphNode *> dependencies);
  /// The nodes in an order that respects the dependencies. Throws HipError on a cycle.
  std::vector<const GraphNode *> ordered() const;
};

struct GraphExec {
  std::vector<Operation> operations;
  std::vector<const GraphNode *> nodes;    // node of each operation, for updates
  std::vector<std::vector<size_t>> behind; // indices of the operations that each one waits for
};

struct Stream;
/// One capture: begun on `origin`, and joined by streams that wait for an event recorded in it. All of them append to
/// one graph. A node depends on the previous node of its stream and on the events that the stream waited for.
struct Capture {
  Stream *origin = nullptr;
  std::unique_ptr<Graph> graph;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  uint64_t id = 0;
  bool invalid = false;
};

struct Stream {
  unsigned flags = hipStreamDefault;
  int priority = 0;
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> captured;   // nodes on which the stream's next captured node depends
  timing::DeviceTimeline::Queue queue; // its queue in predicted time
};

struct Event {
  unsigned flags = hipEventDefault;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  timing::DeviceTimeline::Task task; // in predicted time
  std::weak_ptr<Capture> capture;    // if recorded while capturing
  std::vector<GraphNode *> captured; // nodes on which the event depended then
};

Handles<Stream> &streams();
Handles<Event> &events();
Handles<Graph> &graphs();
Handles<GraphExec> &graphExecs();

/// The stream of a handle; null and hipStreamPerThread name streams that always exist.
Stream &getStream(hipStream_t handle);
/// Runs the operation, or adds it to the graph that the stream captures into.
void submit(hipStream_t stream, Operation operation);
/// The host waits for the stream. All work has already run, so the wait is only one of predicted time.
void synchronize(Stream &stream);
/// For calls that cannot be captured (synchronous copies, synchronisation): throws hipErrorStreamCaptureUnsupported and
/// invalidates the capture, if a capture in progress forbids the call.
void refuseDuringCapture();

} // namespace nstf::emulator
