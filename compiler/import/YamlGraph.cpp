// Imports the user's YAML graphs.

#include "compiler/import/YamlGraph.h"

#include "compiler/import/Diagnose.h"
#include "compiler/import/GraphBuilder.h"

#include <filesystem>

using namespace mlir;
using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::description;
using namespace nstf::import;
namespace fs = std::filesystem;

OwningOpRef<ModuleOp> nstf::import::importYamlGraph(const std::string &path, MLIRContext *context,
                                                    const ImportOptions &options) {
  return diagnose(context, [&]() -> OwningOpRef<ModuleOp> {
    GraphDescription description = readGraphDescription(support::readTextFile(path), path);
    if (!description.architectures.empty())
      throw support::InputError("'" + path +
                                "' describes an architecture: import a folder with a config.json that names it");
    Parameters parameters = evaluateParameters(description, /*source=*/nullptr);
    ExpandedGraph graph = expandGraph(description, parameters);
    if (options.context && *options.context != graph.context)
      throw support::InputError("'" + path + "': a graph says its context itself: expected " +
                                std::to_string(graph.context) + " but got " + std::to_string(*options.context));
    std::optional<Checkpoint> checkpoint;
    if (options.needWeights && description.checkpoint)
      checkpoint = Checkpoint::open((fs::path(path).parent_path() / *description.checkpoint).string());
    if (checkpoint && !checkpoint->unread().empty())
      tell(context, checkpoint->unread());
    return buildModule(graph, {"graph", description.name, "", ""}, checkpoint ? &*checkpoint : nullptr,
                       "'" + path + "'",
                       /*locateInFile=*/true, context);
  });
}
