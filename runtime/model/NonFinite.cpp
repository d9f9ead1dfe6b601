#include "runtime/model/NonFinite.h"
#include "nstf/FloatTypes.h"
#include "nstf/Generate.h"
#include "support/Escape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nstf::runtime {

using manifest::ElementType;

namespace {

enum class Finding { Finite, Infinite, NotANumber };

Finding find(const HostTensor &tensor) {
  Finding worst = Finding::Finite;
  if (!isFloatType(tensor.type))
    return worst;
  std::vector<float> values(tensor.elements());
  convertNumbers(tensor.data.data(), tensor.type, reinterpret_cast<std::byte *>(values.data()), ElementType::F32,
                 values.size());
  for (float value : values)
    worst = std::max(worst, std::isnan(value)   ? Finding::NotANumber
                            : std::isinf(value) ? Finding::Infinite
                                                : Finding::Finite);
  return worst;
}

const manifest::Buffer &getBuffer(const LaunchView &launch, std::size_t argument) {
  return launch.session().manifest().buffers[launch.step().arguments[argument].buffer];
}

/// The values that a launch wrote: of a state only the rows of this step, a small part.
HostTensor readWritten(const LaunchView &launch, std::size_t argument) {
  const manifest::KernelArgument &parameter = launch.kernel().arguments[argument];
  const std::vector<int64_t> &shape = parameter.shape.dimensions;
  if (getBuffer(launch, argument).kind != manifest::BufferKind::State || shape.empty() ||
      shape.front() != launch.session().manifest().model.context)
    return launch.read(argument);
  HostTensor rows{parameter.type, shape, {}};
  rows.shape.front() = 1;
  const uint64_t rowBytes = rows.elements() * manifest::sizeOf(parameter.type);
  rows.shape.front() = launch.tokens();
  if (parameter.shape.order) {
    std::vector<std::byte> all = launch.read(argument).data;
    auto first = all.begin() + launch.position() * rowBytes;
    rows.data.assign(first, first + launch.tokens() * rowBytes);
    return rows;
  }
  rows.data.resize(launch.tokens() * rowBytes);
  const manifest::StepArgument &place = launch.step().arguments[argument];
  launch.session().readBuffer(place.buffer, place.offset + launch.position() * rowBytes, rows.data);
  return rows;
}

Finding findInResults(const LaunchView &launch) {
  Finding worst = Finding::Finite;
  for (std::size_t i = 0; i < launch.kernel().arguments.size(); ++i)
    if (launch.kernel().arguments[i].access != manifest::Access::Read)
      worst = std::max(worst, find(readWritten(launch, i)));
  return worst;
}

Finding findInWeights(const LaunchView &launch) {
  Finding worst = Finding::Finite;
  for (std::size_t i = 0; i < launch.kernel().arguments.size(); ++i)
    if (getBuffer(launch, i).kind == manifest::BufferKind::Weights)
      worst = std::max(worst, find(launch.read(i)));
  return worst;
}

std::string explain(const LaunchView &launch) {
  const std::string name = "'" + support::escape(launch.step().name) + "'";
  const bool isF16 = launch.session().manifest().model.precision == ElementType::F16;
  const std::string wider = isF16 ? " (compile with --precision=bf16)" : "";
  switch (findInWeights(launch)) {
  case Finding::NotANumber:
    return ": a weight of " + name + " is NaN";
  case Finding::Infinite:
    return ": a weight of " + name + " is infinite" + (isF16 ? " in f16" : "") + wider;
  case Finding::Finite:
    break;
  }
  return isF16 ? ": activations leave the range of f16 in " + name + wider
               : ": the results of " + name + " are the first that aren't finite";
}

} // namespace

std::string explainStep(Session &session, int64_t tokens) {
  std::string finding;
  try {
    session.runSteps(tokens, [&](const LaunchView &launch) {
      if (finding.empty() && findInResults(launch) != Finding::Finite)
        finding = explain(launch);
    });
  } catch (const std::runtime_error &) { // only earlier findings count
  }
  return finding;
}

std::string explainText(Session &session, std::span<const int32_t> ids, std::size_t unchecked, int64_t limit) {
  const int64_t begin = session.position() - static_cast<int64_t>(ids.size());
  auto explainPart = [&](std::size_t from, std::size_t count) {
    session.seek(begin + static_cast<int64_t>(from));
    session.setInput("ids", makeIds(ids.subspan(from, count)));
    return explainStep(session, static_cast<int64_t>(count));
  };
  std::size_t done = 0;
  for (int64_t chunk : planChunks(session.target(), static_cast<int64_t>(unchecked), limit)) {
    if (std::string finding = explainPart(done, chunk); !finding.empty())
      return finding;
    done += chunk;
  }
  return done < ids.size() ? explainPart(ids.size() - 1, 1) : "";
}

} // namespace nstf::runtime
