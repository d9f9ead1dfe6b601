#include "nstf/Encoder.h"
#include "runtime/model/NonFinite.h"
#include "support/Escape.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace nstf::runtime {

using manifest::ElementType;

namespace {

bool isIndexInput(const manifest::Port *port) {
  return port && port->type == ElementType::I32 && port->shape.str() == "[tokens]";
}

bool isRowOutput(const manifest::Port *port, int64_t rows) {
  return port && port->type == ElementType::F32 && port->shape.dimensions.size() == 2 &&
         port->shape.dimensions.front() == rows;
}

} // namespace

std::string Encoder::reasonAgainst(const manifest::Manifest &manifest) {
  for (const manifest::Buffer &buffer : manifest.buffers)
    if (buffer.kind == manifest::BufferKind::State)
      return "it keeps a state (\"" + support::escape(buffer.name) + "\") from step to step";
  if (!isIndexInput(manifest.findInput("ids")))
    return "it has no input \"ids\", i32 [tokens]";
  for (const manifest::Port &input : manifest.inputs)
    if (input.name != "ids" && (input.name != "token_types" || !isIndexInput(&input)))
      return "it has an input \"" + support::escape(input.name) + "\", which is neither ids nor token_types";
  if (!isRowOutput(manifest.findOutput("hidden"), manifest::Shape::tokensDimension) &&
      !isRowOutput(manifest.findOutput("embedding"), 1))
    return "it has neither an output \"hidden\", f32 [tokens, n], nor \"embedding\", f32 [1, n]";
  return "";
}

Encoder::Encoder(Session &session) : session(session) {
  if (std::string reason = reasonAgainst(session.manifest()); !reason.empty())
    throw std::runtime_error(session.package().folder().string() + ": expected an encoder but " + reason);
  takesTypes = session.manifest().findInput("token_types") != nullptr;
}

void Encoder::check(const TokenSequence &text) const {
  const manifest::Manifest &manifest = session.manifest();
  const manifest::Target &target = session.target();
  if (text.ids.empty())
    throw std::runtime_error("expected a text of at least one token but got none");
  auto tokens = static_cast<int64_t>(text.ids.size());
  if (tokens > target.maxTokens()) {
    bool isContext = manifest.model.context && *manifest.model.context <= target.maxTokens();
    throw std::runtime_error("expected a text of at most " + std::to_string(target.maxTokens()) + " tokens, " +
                             (isContext ? "the model's context" : "the largest step the package was compiled for") +
                             ", but got " + std::to_string(tokens) + ": an encoder takes a text whole");
  }
  if (!target.bucketFor(tokens))
    throw std::runtime_error("expected a text of as many tokens as the package was compiled for (" +
                             target.bucketRanges() + ") but got " + std::to_string(tokens));
  if (!text.types.empty() && text.types.size() != text.ids.size())
    throw std::runtime_error("expected " + std::to_string(tokens) + " token types, one for each id, but got " +
                             std::to_string(text.types.size()));
  bool allZero = std::all_of(text.types.begin(), text.types.end(), [](int32_t type) { return type == 0; });
  if (!takesTypes && !allZero)
    throw std::runtime_error(session.package().folder().string() +
                             ": expected token types of 0, as the package has no input \"token_types\"");
  auto checkValues = [&](const char *name, const std::vector<int32_t> &values, int64_t limit) {
    for (int32_t value : values)
      if (value < 0 || value >= limit)
        throw std::runtime_error("expected " + std::string(name) + " from 0 to " + std::to_string(limit - 1) +
                                 " but got " + std::to_string(value));
  };
  const manifest::Port *ids = manifest.findInput("ids"), *types = manifest.findInput("token_types");
  if (std::optional<int64_t> limit = manifest.limitOf(*ids))
    checkValues("token ids", text.ids, *limit);
  if (types && types->limit)
    checkValues("token types", text.types, *types->limit);
}

void Encoder::run(const TokenSequence &text) {
  check(text);
  session.reset();
  session.setInput("ids", makeIds(text.ids));
  if (takesTypes)
    session.setInput("token_types", makeIds(text.types.empty() ? std::vector<int32_t>(text.ids.size()) : text.types));
  tokens = static_cast<int64_t>(text.ids.size());
  session.run(tokens);
}

HostTensor Encoder::hidden() const { return session.output("hidden"); }

HostTensor Encoder::embedding() const {
  bool given = isRowOutput(session.manifest().findOutput("embedding"), 1);
  HostTensor result = given ? session.output("embedding") : poolRows(hidden());
  try {
    checkFinite(result, "an embedding");
  } catch (const std::runtime_error &error) {
    session.reset();
    throw std::runtime_error(error.what() + explainStep(session, tokens));
  }
  return result;
}

void checkFinite(const HostTensor &tensor, const std::string &what) {
  for (uint64_t i = 0; i < tensor.elements(); ++i)
    if (float value = tensor.as<float>()[i]; !std::isfinite(value))
      throw std::runtime_error("expected " + what + " of finite numbers but number " + std::to_string(i) + " is " +
                               (std::isnan(value) ? "NaN" : "infinite"));
}

HostTensor poolRows(const HostTensor &hidden) {
  int64_t rows = hidden.shape.at(0), columns = hidden.shape.at(1);
  std::vector<double> mean(columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < columns; ++i)
      mean[i] += static_cast<double>(hidden.as<float>()[row * columns + i]) / static_cast<double>(rows);
  double squares = 0;
  for (double value : mean)
    squares += value * value;
  double norm = std::max(std::sqrt(squares), 1e-12);
  HostTensor pooled{ElementType::F32, {1, columns}, {}};
  pooled.data.resize(columns * sizeof(float));
  for (int64_t i = 0; i < columns; ++i) {
    auto value = static_cast<float>(mean[i] / norm);
    std::memcpy(pooled.data.data() + i * sizeof(float), &value, sizeof(float));
  }
  return pooled;
}

} // namespace nstf::runtime
