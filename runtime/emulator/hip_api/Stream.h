// Streams, events and graphs. Everything a stream is given runs at once, in the order of submission, which is an order
// every set of streams and events allows. While a stream captures, what it is given goes into a graph instead.
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
  /// The nodes in an order that keeps the dependencies. Throws HipError on a cycle.
  std::vector<const GraphNode *> ordered() const;
};

struct GraphExec {
  std::vector<Operation> operations;
  std::vector<const GraphNode *> nodes;    // which node each came from, for updates
  std::vector<std::vector<size_t>> behind; // the operations that each one waits for
};

struct Stream;
/// One capture: begun on `origin`, joined by streams that wait for an event recorded in it. All of them append to one
/// graph: a node behind the one before it on its stream, and behind the events that the stream waited for.
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
  std::vector<GraphNode *> captured;   // the nodes that the capture's next one on this stream is behind
  timing::DeviceTimeline::Queue queue; // its order in predicted time
};

struct Event {
  unsigned flags = hipEventDefault;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  timing::DeviceTimeline::Task task; // in predicted time
  std::weak_ptr<Capture> capture;    // recorded while capturing
  std::vector<GraphNode *> captured; // what it then stood behind
};

Handles<Stream> &streams();
Handles<Event> &events();
Handles<Graph> &graphs();
Handles<GraphExec> &graphExecs();

/// The stream of a handle; null and hipStreamPerThread are streams that are always there.
Stream &streamOf(hipStream_t handle);
/// Runs the operation, or adds it to the graph that the stream captures.
void submit(hipStream_t stream, Operation operation);
/// The host waits for the stream: in predicted time, as all work is done.
void synchronize(Stream &stream);
/// For calls that a capture can't hold (synchronous copies, synchronisation): throws hipErrorStreamCaptureUnsupported
/// while a capture in progress forbids them, and invalidates that capture.
void refuseDuringCapture();

} // namespace nstf::emulator
