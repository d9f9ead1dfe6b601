// Graphs: captured or built node by node, and instantiated as a list of operations in dependency order.
#include "runtime/emulator/hip_api/Module.h"
#include "runtime/emulator/hip_api/Stream.h"
#include "runtime/emulator/hip_api/Timing.h"

#include <algorithm>
#include <unordered_map>

namespace nstf::emulator {

Handles<Graph> &graphs() {
  static auto *handles = new Handles<Graph>;
  return *handles;
}
Handles<GraphExec> &graphExecs() {
  static auto *handles = new Handles<GraphExec>;
  return *handles;
}

GraphNode &Graph::add(Operation operation, std::vector<GraphNode *> dependencies) {
  for (GraphNode *dependency : dependencies)
    require(dependency && dependency->graph == this, "a dependency is a node of another graph");
  nodes.push_back(std::make_unique<GraphNode>(GraphNode{std::move(operation), std::move(dependencies), this}));
  return *nodes.back();
}

std::vector<const GraphNode *> Graph::ordered() const {
  std::unordered_map<const GraphNode *, size_t> waitingFor;
  std::unordered_map<const GraphNode *, std::vector<const GraphNode *>> dependents;
  for (const auto &node : nodes) {
    waitingFor[node.get()] = node->dependencies.size();
    for (const GraphNode *dependency : node->dependencies)
      dependents[dependency].push_back(node.get());
  }
  std::vector<const GraphNode *> order;
  for (const auto &node : nodes)
    if (!waitingFor[node.get()])
      order.push_back(node.get());
  for (size_t i = 0; i < order.size(); ++i)
    for (const GraphNode *dependent : dependents[order[i]])
      if (--waitingFor[dependent] == 0)
        order.push_back(dependent);
  require(order.size() == nodes.size(), "the graph's dependencies form a cycle");
  return order;
}

namespace {
/// Adds a node for hipGraphAdd…Node.
void addNode(hipGraphNode_t *result, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
             Operation operation) {
  require(result != nullptr, "the node's place is null");
  require(dependencies || !count, "dependencies is null");
  check(operation);
  std::vector<GraphNode *> behind;
  for (size_t i = 0; i < count; ++i)
    behind.push_back(reinterpret_cast<GraphNode *>(dependencies[i]));
  *result = reinterpret_cast<hipGraphNode_t>(&graphs().get(graph).add(std::move(operation), std::move(behind)));
}

KernelOperation getKernel(const hipKernelNodeParams *params) {
  require(params && params->func, "the kernel's parameters are null");
  // A host stub's address, or a hipFunction_t.
  hipFunction_t function;
  try {
    function = functionOfHostStub(params->func);
  } catch (const HipError &) {
    function = static_cast<hipFunction_t>(params->func);
  }
  return makeLaunch(functions().get(function, hipErrorInvalidDeviceFunction), params->gridDim, params->blockDim,
                    params->sharedMemBytes, {params->kernelParams, params->extra});
}

FillOperation fillOf(const hipMemsetParams *params) {
  require(params != nullptr, "the memset's parameters are null");
  return {params->dst, params->value, params->elementSize, params->width, params->height, params->pitch};
}

/// Replaces the operation of `node` in an instantiated graph.
void replace(hipGraphExec_t exec, hipGraphNode_t node, Operation operation) {
  GraphExec &object = graphExecs().get(exec);
  check(operation);
  auto it = std::find(object.nodes.begin(), object.nodes.end(), reinterpret_cast<GraphNode *>(node));
  require(it != object.nodes.end(), "the node is not of the graph that was instantiated");
  Operation &place = object.operations[it - object.nodes.begin()];
  require(place.index() == operation.index(), "the node is of another type");
  place = std::move(operation);
}
} // namespace
} // namespace nstf::emulator

using namespace nstf::emulator;

NSTF_HIP_API hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  return guarded("hipGraphCreate", [&] {
    require(graph && !flags, "graph is null or flags is not 0");
    *graph = graphs().add<hipGraph_t>(std::make_unique<Graph>());
  });
}
NSTF_HIP_API hipError_t hipGraphDestroy(hipGraph_t graph) {
  return guarded("hipGraphDestroy", [&] {
    std::unique_ptr<Graph> object = graphs().remove(graph);
    std::unique_lock lock(Device::get().running); // the graph may hold the last reference to a module's image
    object = nullptr;
  });
}
NSTF_HIP_API hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *, char *log,
                                            size_t logBytes) {
  return guarded("hipGraphInstantiate", [&] {
    require(exec != nullptr, "the result is null");
    if (log && logBytes)
      *log = 0;
    auto object = std::make_unique<GraphExec>();
    object->nodes = graphs().get(graph).ordered();
    std::unordered_map<const GraphNode *, size_t> places;
    for (const GraphNode *node : object->nodes) {
      places[node] = object->operations.size();
      object->operations.push_back(node->operation);
      std::vector<size_t> &behind = object->behind.emplace_back();
      for (const GraphNode *dependency : node->dependencies)
        behind.push_back(places.at(dependency));
    }
    *exec = graphExecs().add<hipGraphExec_t>(std::move(object));
  });
}
NSTF_HIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long) {
  return hipGraphInstantiate(exec, graph, nullptr, nullptr, 0);
}
// HIP 5.3.
NSTF_HIP_API hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  return guarded("hipGraphUpload", [&] {
    graphExecs().get(exec);
    getStream(stream);
  });
}
NSTF_HIP_API hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return guarded("hipGraphLaunch", [&] {
    GraphExec &object = graphExecs().get(exec);
    Stream &on = getStream(stream);
    if (on.capture) { // the graph becomes part of the one being captured
      for (const Operation &operation : object.operations)
        submit(stream, operation);
      return;
    }
    Device::get().fault.check();
    const std::vector<Operation> &operations = object.operations;
    std::vector<timing::TimedNode> timed;
    for (size_t i = 0; i < operations.size(); ++i) {
      try {
        timed.push_back({run(operations[i]), object.behind[i]});
      } catch (const HipError &error) { // one kernel may occur many times in a graph
        throw HipError(error.code,
                       "node " + std::to_string(i + 1) + " of " + std::to_string(operations.size()) + ": " +
                           error.what(),
                       error.print);
      }
    }
    if (DeviceTiming *timing = Device::get().timing.get())
      timing->timeline()->submitGraph(on.queue, timed);
  });
}
NSTF_HIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  return guarded("hipGraphExecDestroy", [&] {
    std::unique_ptr<GraphExec> object = graphExecs().remove(exec);
    std::unique_lock lock(Device::get().running);
    object = nullptr;
  });
}

NSTF_HIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *behind,
                                              size_t count, const hipKernelNodeParams *params) {
  return guarded("hipGraphAddKernelNode", [&] { addNode(node, graph, behind, count, getKernel(params)); });
}
NSTF_HIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *behind,
                                                size_t count, void *to, const void *from, size_t bytes,
                                                hipMemcpyKind kind) {
  return guarded("hipGraphAddMemcpyNode1D",
                 [&] { addNode(node, graph, behind, count, CopyOperation{to, from, bytes, 1, 0, 0, kind}); });
}
NSTF_HIP_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *behind,
                                              size_t count, const hipMemsetParams *params) {
  return guarded("hipGraphAddMemsetNode", [&] { addNode(node, graph, behind, count, fillOf(params)); });
}
NSTF_HIP_API hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *behind,
                                            size_t count, const hipHostNodeParams *params) {
  return guarded("hipGraphAddHostNode", [&] {
    require(params && params->fn, "the function is null");
    hipHostNodeParams call = *params;
    addNode(node, graph, behind, count, HostOperation{[call] { call.fn(call.userData); }});
  });
}
NSTF_HIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *behind,
                                             size_t count) {
  return guarded("hipGraphAddEmptyNode", [&] { addNode(node, graph, behind, count, EmptyOperation{}); });
}
NSTF_HIP_API hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                                size_t count) {
  return guarded("hipGraphAddDependencies", [&] {
    Graph &object = graphs().get(graph);
    require((from && to) || !count, "from or to is null");
    for (size_t i = 0; i < count; ++i) {
      auto *before = reinterpret_cast<GraphNode *>(from[i]), *after = reinterpret_cast<GraphNode *>(to[i]);
      require(before && after && before->graph == &object && after->graph == &object, "a node is not of this graph");
      after->dependencies.push_back(before);
    }
  });
}
NSTF_HIP_API hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  return guarded("hipGraphGetNodes", [&] {
    require(count != nullptr, "count is null");
    Graph &object = graphs().get(graph);
    for (size_t i = 0; nodes && i < std::min(*count, object.nodes.size()); ++i)
      nodes[i] = reinterpret_cast<hipGraphNode_t>(object.nodes[i].get());
    *count = nodes ? std::min(*count, object.nodes.size()) : object.nodes.size();
  });
}
NSTF_HIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
  return guarded("hipGraphNodeGetType", [&] {
    require(node && type, "node or type is null");
    // Kernel, memcpy, memset, host: numbered from 1 in HIP 5, from 0 in HIP 6; empty is 6 and 5.
    const size_t index = reinterpret_cast<GraphNode *>(node)->operation.index();
    const int number = (index == 4 ? 5 : int(index)) + (hipMajorVersion() == 5 ? 1 : 0);
    *type = static_cast<hipGraphNodeType>(number);
  });
}
NSTF_HIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                        const hipKernelNodeParams *params) {
  return guarded("hipGraphExecKernelNodeSetParams", [&] { replace(exec, node, getKernel(params)); });
}
NSTF_HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to,
                                                          const void *from, size_t bytes, hipMemcpyKind kind) {
  return guarded("hipGraphExecMemcpyNodeSetParams1D",
                 [&] { replace(exec, node, CopyOperation{to, from, bytes, 1, 0, 0, kind}); });
}
NSTF_HIP_API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                        const hipMemsetParams *params) {
  return guarded("hipGraphExecMemsetNodeSetParams", [&] { replace(exec, node, fillOf(params)); });
}
